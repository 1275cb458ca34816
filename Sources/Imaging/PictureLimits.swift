/// How much of a picture is looked at. A header may promise anything, and is believed only below these.
package struct PictureLimits: Equatable, Sendable {
    /// Twice what the largest cameras make.
    package var pixels = 200_000_000
    /// "X'0001' to X'FFFF'" is all that a JPEG can say (ITU-T T.81, table B.2).
    package var side = 65_535
    package var fileSize: UInt64 = 512 << 20

    package init() {}
}

/// Why a file is not taken for a picture: the uploader's business, never ours.
package struct PictureRefusal: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case notAnImage = "NOT_AN_IMAGE"
        /// It is one, and another kind than was said.
        case typeMismatch = "TYPE_MISMATCH"
        /// It ends before the image does, or its middle is damaged.
        case truncated = "TRUNCATED"
        case tooLarge = "TOO_LARGE"
        /// A kind of it that is not understood here.
        case unsupported = "UNSUPPORTED"
    }

    package let code: Code
    /// A sentence for the client that sent it.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
