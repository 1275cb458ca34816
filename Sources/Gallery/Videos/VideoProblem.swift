/// Why a file is not taken for a video, or why that is not known.
package struct VideoProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Code: String, Sendable {
        case notAVideo = "NOT_A_VIDEO"
        /// It is one, and another kind than was said.
        case typeMismatch = "TYPE_MISMATCH"
        /// It ends before the video does, or what leads through it is damaged.
        case truncated = "TRUNCATED"
        case tooLarge = "TOO_LARGE"
        /// A kind of it that is not understood here.
        case unsupported = "UNSUPPORTED"
        case timeout = "PROCESSING_TIMEOUT"
        case crashed = "DECODER_CRASHED"
        /// A file could not be read or written, or the worker not be started: ours, and it may pass.
        case storage = "STORAGE_ERROR"
        /// Work is being stopped; nothing is known about the video.
        case stopped = "STOPPED"
    }

    package let code: Code
    /// A sentence for the client that sent it.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// How much of a video is looked at. What a file says of itself is believed only below these.
package struct VideoLimits: Equatable, Sendable {
    /// Boxes beside each other in the file: a recording in fragments of two seconds has two for each.
    package var topBoxes = 50_000
    /// Of `moov`, and of each `moof`, which are read whole: an hour of two tracks has some four megabytes.
    package var index = 64 << 20
    /// Boxes within those, of all together.
    package var boxes = 200_000
    package var tracks = 64
    /// Of `ftyp`, which names some brands of four letters.
    package var brands = 1024
    /// More than any screen or camera has.
    package var side = 16_384
    /// A clock that says more is not believed.
    package var seconds: UInt64 = 7 * 86_400
    /// Parts of the file that are blanked in the copy for guests: boxes, and samples of tracks that are taken out. Gaps
    /// between samples that stay are not counted, as a harmless file may have one before each chunk: ``index`` limits them,
    /// of which a chunk takes four bytes or more, so that they are fewer than seventeen million.
    package var blanks = 1_000_000
    /// Of what a camera says of itself.
    package var tags = 256
    package var tagLength = 1024

    package init() {}
}

/// The kinds of videos that are taken.
package enum VideoType {
    package static let mp4 = "video/mp4"
    package static let quickTime = "video/quicktime"
    package static let all = [mp4, quickTime]

    package static func isVideo(_ type: String) -> Bool { all.contains(type) }
}
