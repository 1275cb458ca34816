/// Why a photo that was kept should be looked at by a person. It is delivered all the same, and never deleted from the
/// card by itself.
public enum PhotoDoubt: String, CaseIterable, Comparable, Sendable {
    /// It does not begin as its kind of file begins, each time it is read.
    case beginning
    /// The camera names another size than the number of bytes that it gives, each time.
    case size
    /// Its own structure says that bytes are missing, each time it is read.
    case structure

    public var sentence: String {
        switch self {
        case .beginning: "foreign beginning: it does not begin like a file of its kind"
        case .size: "size disputed: the camera names another size than it gives"
        case .structure: "perhaps cut short: its own structure says that bytes are missing"
        }
    }

    public static func < (left: PhotoDoubt, right: PhotoDoubt) -> Bool { left.rawValue < right.rawValue }
}

extension Set<PhotoDoubt> {
    /// As the ledger holds them: words in alphabetical order; nothing for none.
    public var noted: String? { isEmpty ? nil : sorted().map(\.rawValue).joined(separator: " ") }

    /// A word that this version does not know is passed over.
    public init(noted: String?) {
        self = Set((noted ?? "").split(separator: " ").compactMap { PhotoDoubt(rawValue: "\($0)") })
    }

    /// For people; nothing for none.
    public var sentence: String? {
        isEmpty ? nil : sorted().map(\.sentence).joined(separator: "; ")
    }
}
