/// One setting of a switch.
struct FaultParameter: Sendable {
    enum Kind: Sendable {
        case number(ClosedRange<UInt64>)
        /// With a sign.
        case difference
        case duration
        case durationOrForever
        case choice([String])
        case guid
        case packets
    }

    let name: String
    let kind: Kind
    /// What holds where a script says nothing.
    let usual: String?
    let isRequired: Bool

    static func required(_ name: String, _ kind: Kind) -> FaultParameter {
        FaultParameter(name: name, kind: kind, usual: nil, isRequired: true)
    }

    static func optional(_ name: String, _ kind: Kind, _ usual: String? = nil) -> FaultParameter {
        FaultParameter(name: name, kind: kind, usual: usual, isRequired: false)
    }

    /// As `camsim --faults help` shows it.
    var help: String {
        let example = "\(name)=\(kind.example)"
        if isRequired { return example }
        guard let usual else { return "[\(example)]" }
        guard case .choice(let choices) = kind else { return "[\(name)=\(usual)]" }
        let others = choices.filter { $0 != usual }
        return "[\(name)=\(([usual] + others).joined(separator: "|"))]"
    }

    /// What every switch takes: how often, how likely, and for whom.
    static let common: [FaultParameter] = [
        .optional("times", .number(1...1_000_000_000)), .optional("chance", .number(1...100), "100"),
        .optional("object", .number(1...0xFFFF_FFFE)), .optional("operation", .number(0...0xFFFF)),
        .optional("skip", .number(0...1_000_000_000), "0"),
    ]
}
