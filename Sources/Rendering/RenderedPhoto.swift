package import Imaging

/// What the renderer has found out about a photo, and made of it.
package struct RenderedPhoto: Equatable, Sendable {
    /// Of the file as it is, in hexadecimal.
    package let sha256: String
    /// Of the same, where it was made.
    package let crc32: UInt32?
    package let size: UInt64
    /// Upright. Of a raw file, those of the image that is embedded in it.
    package let width: Int
    package let height: Int
    /// As the file said it, from 1 to 8; the renditions are upright.
    package let orientation: Int
    package let exif: ExifFacts
    /// In the order in which they were asked for.
    package let renditions: [Rendition]
    /// Of their files, where they were made.
    package let renditionCRCs: [UInt32]
    /// What the file says about its colours and could not be used, as a sentence; the photo is there all the same.
    package var colourProblem: String?
    /// Nothing of a drawing.
    package var placeholder: Placeholder?

    package init(
        sha256: String, crc32: UInt32? = nil, size: UInt64, width: Int, height: Int, orientation: Int,
        exif: ExifFacts, renditions: [Rendition], renditionCRCs: [UInt32] = [], colourProblem: String? = nil,
        placeholder: Placeholder? = nil
    ) {
        self.placeholder = placeholder
        self.sha256 = sha256
        self.crc32 = crc32
        self.size = size
        self.width = width
        self.height = height
        self.orientation = orientation
        self.exif = exif
        self.renditions = renditions
        self.renditionCRCs = renditionCRCs
        self.colourProblem = colourProblem
    }
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
        /// Rendering is being stopped; nothing is known about the photo.
        case stopped = "STOPPED"
    }

    package let code: Code
    /// A sentence for the sender of the photo.
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

/// One photo to be rendered: a file, and the renditions that are wanted. Paths begin at the root: a renderer works in a
/// folder of its own.
package struct RenderJob: Equatable, Sendable {
    package let file: String
    /// What its sender calls it.
    package let declaredType: String
    package let renditions: [RenditionRequest]
    /// A picture with a longer side is refused by what its header says; nothing for what any photo may have.
    package let longestSide: Int?

    package init(
        file: String, declaredType: String, renditions: [RenditionRequest], longestSide: Int? = nil
    ) {
        precondition(
            ([file] + renditions.map(\.path)).allSatisfy { $0.hasPrefix("/") },
            "a renderer's paths begin at the root")
        self.file = file
        self.declaredType = declaredType
        self.renditions = renditions
        self.longestSide = longestSide
    }
}
