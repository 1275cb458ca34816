import Basics

/// What became of what is said about a photo, where it was delivered.
public enum DeliveredCaption: Equatable, Sendable {
    /// In the photo's own file.
    case inside(unknownCodes: [String] = [])
    /// In a file beside it.
    case sidecar(key: String, size: UInt64, sha256: String, unknownCodes: [String] = [])
    /// The photo was delivered as the camera wrote it, and why.
    case leftOut(String)

    /// Codes that stand in it as they were written, because the roster does not have them.
    public var unknownCodes: [String] {
        switch self {
        case .inside(let codes), .sidecar(_, _, _, let codes): codes
        case .leftOut: []
        }
    }

    public static func leftOut(because reason: String) -> String {
        "delivered without its caption: \(reason)"
    }

    /// What an operator should know of the codes in it, which is the same for many photos; nothing where all is well.
    public var codeProblem: String? {
        let codes = unknownCodes
        guard !codes.isEmpty else { return nil }
        let list = codes.map { "'\($0)'" }.joined(separator: ", ")
        return codes.count == 1
            ? "the code \(list) is not in the roster, and stands there as it was written"
            : "the codes \(list) are not in the roster, and stand there as they were written"
    }

    var json: JSONValue {
        let codes = JSONValue.array(unknownCodes.map(JSONValue.string))
        switch self {
        case .inside: return ["place": "photo", "unknownCodes": codes]
        case .sidecar(let key, let size, let sha256, _):
            return [
                "place": "sidecar", "key": .string(key), "size": .unsigned(size), "sha256": .string(sha256),
                "unknownCodes": codes,
            ]
        case .leftOut(let reason): return ["place": "none", "reason": .string(reason)]
        }
    }

    /// Nothing for what says nothing of a caption.
    init?(_ value: JSONValue?) {
        let codes = (value?["unknownCodes"]?.array ?? []).compactMap(\.string)
        switch value?["place"]?.string {
        case "photo": self = .inside(unknownCodes: codes)
        case "sidecar":
            guard let key = value?["key"]?.string,
                let size = value?["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
                let sha256 = value?["sha256"]?.string
            else { return nil }
            self = .sidecar(key: key, size: size, sha256: sha256, unknownCodes: codes)
        case "none": self = .leftOut(value?["reason"]?.string ?? "")
        default: return nil
        }
    }
}
