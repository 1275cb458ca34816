/// Which uploads there is a hand free for.
package struct WorkKinds: Equatable, Sendable {
    package var photos = true
    package var videos = true

    package init(photos: Bool = true, videos: Bool = true) {
        self.photos = photos
        self.videos = videos
    }

    /// Of a row of the uploads.
    var condition: String {
        switch (photos, videos) {
        case (true, true): "true"
        case (true, false): "content_type NOT LIKE 'video/%'"
        case (false, true): "content_type LIKE 'video/%'"
        case (false, false): "false"
        }
    }
}
