package import ImageCache

/// Where pictures of photos come from.
package protocol PictureSource: Sendable {
    func picture(of photo: PicturedPhoto, _ size: PictureSize) async -> PictureAnswer
}

/// The local file while it is there, and what the gallery has made of the photo when it has gone.
package struct PictureSources: PictureSource {
    private let local: any PictureSource
    /// Nothing where the event goes to no gallery.
    private let gallery: GalleryPictures?

    package init(local: any PictureSource, gallery: GalleryPictures?) {
        self.local = local
        self.gallery = gallery
    }

    package func picture(of photo: PicturedPhoto, _ size: PictureSize) async -> PictureAnswer {
        if photo.path != nil {
            let answer = await local.picture(of: photo, size)
            // Of a file of which no picture can be made here a gallery may have one.
            guard case .none = answer else { return answer }
        }
        return await gallery?.picture(of: photo, size) ?? .none
    }
}

/// A photo by its bytes: here, at the gallery, or both.
package struct PicturedPhoto: Equatable, Sendable {
    /// Other bytes have another one.
    package let key: String
    /// Nothing where the local file has gone.
    package let path: String?
    /// The gallery's id of it; nothing where it is not there.
    package var atGallery: String?

    package init(key: String, path: String?, atGallery: String? = nil) {
        self.key = key
        self.path = path
        self.atGallery = atGallery
    }
}

package enum PictureSize: String, Equatable, Sendable, CaseIterable {
    /// What the camera has put into the file: small, and there at once.
    case camera
    case tile
    case screen

    /// The longer side; nothing for what is taken as it is.
    var edge: Int? {
        switch self {
        case .camera: nil
        case .tile: 480
        case .screen: 1600
        }
    }
}

package enum PictureAnswer: Equatable, Sendable {
    case jpeg([UInt8])
    /// A gallery's, which its host may take back at any time.
    case gallery(CachedImage)
    /// There is none, and none will be.
    case none
    /// Too many are asked for just now.
    case busy
}
