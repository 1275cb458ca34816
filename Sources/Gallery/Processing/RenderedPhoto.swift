package import Imaging

/// What the renderer has found out about a photo, and made of it.
package struct RenderedPhoto: Equatable, Sendable {
    package struct Image: Equatable, Sendable {
        package let size: UInt64
        package let width: Int
        package let height: Int
    }

    /// Of the file as it is, in hexadecimal.
    package let sha256: String
    package let size: UInt64
    /// Upright. Of a raw file, those of the image that is embedded in it.
    package let width: Int
    package let height: Int
    /// As the file said it, from 1 to 8; the renditions are upright.
    package let orientation: Int
    package let exif: ExifFacts
    package let thumb: Image
    package let screen: Image
    /// What the file says about its colours and could not be used, as a sentence; the photo is there all the same.
    package var colourProblem: String?
}

/// Why there is none.
package struct RenderProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case notAnImage = "NOT_AN_IMAGE"
        case typeMismatch = "TYPE_MISMATCH"
        case truncated = "TRUNCATED"
        case tooLarge = "TOO_LARGE"
        case unsupported = "UNSUPPORTED"
        /// It took more time than any photo does.
        case timeout = "PROCESSING_TIMEOUT"
        case crashed = "DECODER_CRASHED"
        /// A file could not be read or written, or the renderer not be started: ours, and it may pass.
        case storage = "STORAGE_ERROR"
        /// The gallery is being stopped; nothing is known about the photo.
        case stopped = "STOPPED"
    }

    package let code: Code
    /// A sentence for whoever sent the photo.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Whether the same file may do better another time.
    package var isCurable: Bool {
        switch code {
        case .notAnImage, .typeMismatch, .truncated, .tooLarge, .unsupported: false
        // A photo that has killed a renderer will do so again, and one that took too long on a busy machine need not.
        case .crashed: false
        case .timeout, .storage, .stopped: true
        }
    }
}

/// One photo to be rendered: a file, and where its renditions go. Paths begin at the root: a renderer works in a folder of
/// its own.
package struct RenderJob: Equatable, Sendable {
    package let file: String
    /// As whoever sent it called it.
    package let declaredType: String
    package let thumb: String
    package let screen: String

    package init(file: String, declaredType: String, thumb: String, screen: String) {
        precondition(
            [file, thumb, screen].allSatisfy { $0.hasPrefix("/") }, "a renderer's paths begin at the root")
        self.file = file
        self.declaredType = declaredType
        self.thumb = thumb
        self.screen = screen
    }
}
