/// What is to be changed of many photos at once.
struct ManyPhotosWish: Equatable, Sendable {
    /// The same for all of them.
    var common = PhotoWish()
    /// Besides those that each has, at its end.
    var addedTags: [String] = []
    var removedTags: [String] = []
    /// The ids of albums of their event.
    var addedAlbums: [String] = []
    var removedAlbums: [String] = []

    /// In one request. Each is a change of its own to those who look, and all other writes wait meanwhile.
    static let mostPhotos = 500
    static let mostTags = 50
    static let mostAlbums = 20

    /// Of one of them, as it is now. Throws where it would have more tags than a photo may.
    func wish(for photo: Photo) throws(GalleryRefusal) -> PhotoWish {
        guard !addedTags.isEmpty || !removedTags.isEmpty else { return common }
        var wish = common
        var tags = (common.tags ?? photo.tags).filter { !removedTags.contains($0) }
        for tag in addedTags where !tags.contains(tag) { tags.append(tag) }
        guard tags.count <= Self.mostTags else {
            throw GalleryRefusal.tooManyTags(photo: photo.id, Self.mostTags)
        }
        wish.tags = tags
        return wish
    }
}
