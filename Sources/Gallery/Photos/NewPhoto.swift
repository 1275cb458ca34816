package import Imaging

/// A photo that is about to be one: what was found out about the bytes, and where its renditions lie.
package struct NewPhoto: Equatable, Sendable {
    package var sha256: String
    /// CRC-32 of the original, where it was made.
    package var crc: UInt32?
    package var size: UInt64
    package var width: Int
    package var height: Int
    package var exif: ExifFacts
    package var renditions: Renditions
    /// Nothing of one that stands still.
    package var video: Video?

    package struct Renditions: Equatable, Sendable {
        package let thumb: Rendition
        /// Nothing where the picture is hardly larger than its thumb.
        package var tile: Rendition?
        package let screen: Rendition
        package var placeholder: Placeholder?
        /// Keys that were written down for removal, and under which nothing was kept.
        package var unused: [String] = []
    }

    package struct Rendition: Equatable, Sendable {
        package let key: String
        package let size: UInt64
        package let width: Int
        package let height: Int
        /// CRC-32 of its bytes, where it was made.
        package let crc: UInt32?

        package init(key: String, size: UInt64, width: Int, height: Int, crc: UInt32? = nil) {
            self.key = key
            self.size = size
            self.width = width
            self.height = height
            self.crc = crc
        }
    }

    package init(
        sha256: String, crc: UInt32? = nil, size: UInt64, width: Int, height: Int, exif: ExifFacts,
        renditions: Renditions, video: Video? = nil
    ) {
        self.sha256 = sha256
        self.crc = crc
        self.size = size
        self.width = width
        self.height = height
        self.exif = exif
        self.renditions = renditions
        self.video = video
    }

    /// The copy of a video for guests, and how long it is.
    package struct Video: Equatable, Sendable {
        package let key: String
        package let size: UInt64
        package let crc: UInt32
        package let milliseconds: Int64?
        package let hasPoster: Bool
    }

    /// Of what was made of it.
    var madeKeys: [String] {
        [renditions.thumb.key, renditions.screen.key] + [renditions.tile?.key, video?.key].compactMap(\.self)
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
