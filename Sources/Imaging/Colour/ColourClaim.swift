/// One of the things that a file says about its colours. It may say several, and the first that holds is believed.
enum ColourClaim: Equatable, Sendable {
    /// An ICC profile, as it lies in the file.
    case profile([UInt8])
    case space(ColourSpace)
    /// There is something, and it is of no use: why.
    case damaged(String)

    /// Whether it is a profile of greys: "data colour space", bytes 16 to 19 (ICC.1:2010, §7.2.6).
    var isOfGreys: Bool {
        guard case .profile(let bytes) = self else { return false }
        return bytes.dropFirst(16).starts(with: "GRAY".utf8)
    }
}

/// What has become of a picture's colours.
package struct ColourFacts: Equatable, Sendable {
    /// Whether they were something else than sRGB, and the renditions have been converted.
    package let isConverted: Bool
    /// A sentence about what the file says of its colours and could not be used.
    package let problem: String?

    package init(isConverted: Bool = false, problem: String? = nil) {
        self.isConverted = isConverted
        self.problem = problem
    }
}
