package import Imaging

/// A photo that is about to be one: what was found out about the bytes, and where its renditions lie.
package struct NewPhoto: Equatable, Sendable {
    package var sha256: String
    package var size: UInt64
    package var width: Int
    package var height: Int
    package var exif: ExifFacts
    package var thumb: Rendition
    package var screen: Rendition

    package struct Rendition: Equatable, Sendable {
        package let key: String
        package let size: UInt64
        package let width: Int
        package let height: Int

        package init(key: String, size: UInt64, width: Int, height: Int) {
            self.key = key
            self.size = size
            self.width = width
            self.height = height
        }
    }

    package init(
        sha256: String, size: UInt64, width: Int, height: Int, exif: ExifFacts, thumb: Rendition,
        screen: Rendition
    ) {
        self.sha256 = sha256
        self.size = size
        self.width = width
        self.height = height
        self.exif = exif
        self.thumb = thumb
        self.screen = screen
    }
}

/// How working on an upload ended.
package enum Completion: Equatable, Sendable {
    case photo(String)
    /// The same bytes are a photo of this event already; nothing was charged.
    case sameAs(String)
    case failed(UploadStateMachine.Failure)
    /// Another request or task has ended it.
    case late
}
