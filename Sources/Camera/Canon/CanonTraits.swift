import PTP

/// How one Canon differs from others, as the ledger keeps it and as an operator may say it.
struct CanonTraits: Equatable, Sendable {
    /// How 0x9172 takes its offset, for films of more than 4 GiB. Whether that has 32 or 64 bits has not been seen on a
    /// body: until it is said, it is not used.
    enum PartsLayout: String, CaseIterable, Sendable {
        case unused
        case offset32
        case offset64
    }

    var layoutOf9172 = PartsLayout.unused

    private static let word = "canon-9172"

    var words: [String: String] {
        layoutOf9172 == .unused ? [:] : [Self.word: layoutOf9172.rawValue]
    }

    mutating func apply(_ word: String, _ value: String) {
        if word == Self.word { layoutOf9172 = PartsLayout(rawValue: value) ?? layoutOf9172 }
    }

    static let vocabulary: [String: [String]] = [word: PartsLayout.allCases.map(\.rawValue)]

    /// How it gives parts of a file. "Some bodies do not like 5 MB, but like 1 MB."
    var parts: [PartOperation] {
        let usual = [
            PartOperation(OperationCode.Canon.getPartialObject, .offset32),
            PartOperation(.getPartialObject, .offset32),
            // "Handle, 64-bit offset, most bytes."
            PartOperation(OperationCode.Canon.getPartialObjectEx64, .offset64),
        ]
        return switch layoutOf9172 {
        case .unused: usual
        case .offset32: usual + [PartOperation(OperationCode.Canon.getPartialObject64, .offset32)]
        case .offset64: usual + [PartOperation(OperationCode.Canon.getPartialObject64, .offset64)]
        }
    }
}
