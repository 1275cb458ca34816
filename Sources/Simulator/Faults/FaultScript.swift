import Arguments
import PTP

/// What goes wrong, as its author wrote it down: one switch a line, `name key=value …`, `#` begins a comment.
///
/// ```
/// hold-ack for=5s             # a person has to press OK
/// cut after=1500000 times=2   # and the first two objects break off
/// busy operation=0x1008 chance=20
/// ```
public struct FaultScript: Sendable {
    public struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
        public let line: Int
        public let reason: String

        public var description: String { "fault script, line \(line): \(reason)" }
    }

    let rules: [FaultRule]

    /// Nothing goes wrong.
    public static let none = FaultScript(rules: [])

    private init(rules: [FaultRule]) {
        self.rules = rules
    }

    /// A script longer than this is a mistake.
    private static let mostLines = 10_000

    public init(_ text: String) throws(Unreadable) {
        var rules: [FaultRule] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard index < Self.mostLines else {
                throw Unreadable(line: index + 1, reason: "more than \(Self.mostLines) lines")
            }
            let content = line.prefix { $0 != "#" }
            let words = content.split { $0.isWhitespace }.map(String.init)
            guard let name = words.first else { continue }
            do throws(FaultRule.Unreadable) {
                rules.append(try FaultRule(name, words.dropFirst()))
            } catch {
                throw Unreadable(line: index + 1, reason: error.reason)
            }
        }
        self.rules = rules
    }

    /// Every switch with its settings, topic by topic, for `camsim --faults help`.
    public static var help: String {
        FaultTopic.all.map { topic in
            "# \(topic.title)\n\n"
                + topic.switches.map { name, facts in
                    ([name.rawValue] + facts.parameters.map(\.help)).joined(separator: " ")
                        + "\n    \(facts.explanation)"
                }.joined(separator: "\n")
        }.joined(separator: "\n\n")
            + "\n\nEvery switch also takes times=N, skip=N, chance=PERCENT, object=HANDLE and operation=CODE."
    }
}

/// One line of a script.
struct FaultRule: Sendable {
    struct Unreadable: Error {
        let reason: String
    }

    let name: FaultSwitch
    private var values: [String: String] = [:]

    init(_ word: String, _ settings: some Sequence<String>) throws(Unreadable) {
        guard let name = FaultSwitch(rawValue: word) else {
            let nearest = Nearest.to(word, among: FaultSwitch.allCases.map(\.rawValue))
            throw Unreadable(
                reason: "there is no switch '\(word)'\(nearest.map { "; did you mean '\($0)'?" } ?? "")")
        }
        self.name = name
        // A parameter of the switch's own wins over one that all have.
        let own = name.parameters
        let known = own + FaultParameter.common.filter { common in !own.contains { $0.name == common.name } }
        for parameter in known {
            if let usual = parameter.usual { values[parameter.name] = usual }
        }
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let parameter = known.first(where: { $0.name == parts[0] }) else {
                let names = known.map(\.name).joined(separator: ", ")
                throw Unreadable(reason: "'\(setting)' is no setting of \(word); it takes \(names)")
            }
            guard parameter.kind.accepts(parts[1]) else {
                throw Unreadable(
                    reason: "\(parameter.name) of \(word) is \(parameter.kind.meaning), not '\(parts[1])'")
            }
            values[parts[0]] = parts[1]
        }
        for parameter in own where parameter.isRequired && values[parameter.name] == nil {
            throw Unreadable(reason: "\(word) needs \(parameter.name)=\(parameter.kind.example)")
        }
        guard name.alternatives.isEmpty || name.alternatives.contains(where: { values[$0] != nil }) else {
            let choices = own.filter { name.alternatives.contains($0.name) }
            throw Unreadable(
                reason: "\(word) needs "
                    + choices.map { "\($0.name)=\($0.kind.example)" }.joined(separator: " or "))
        }
    }

    // MARK: Values. What is asked for here was checked when the rule was read.

    func number(_ name: String) -> UInt64? { values[name].flatMap(FaultParameter.Kind.parseNumber) }

    func difference(_ name: String) -> Int64 { values[name].flatMap { Int64($0) } ?? 0 }

    /// Nothing for "forever".
    func duration(_ name: String) -> Duration? { values[name].flatMap(FaultParameter.Kind.parseDuration) }

    func text(_ name: String) -> String? { values[name] }

    /// A size that is said to be larger or smaller by what the rule says, and never less than none.
    func changed(_ size: UInt64) -> UInt64 {
        UInt64(max(0, Int64(clamping: min(size, 1 << 60)) + difference("by")))
    }
}

extension FaultParameter.Kind {
    func accepts(_ text: String) -> Bool {
        switch self {
        case .number(let range): Self.parseNumber(text).map(range.contains) ?? false
        case .difference: Int64(text).map { $0.magnitude <= Self.largestDifference } ?? false
        case .duration: Self.parseDuration(text) != nil
        case .durationOrForever: text == "forever" || Self.parseDuration(text) != nil
        case .choice(let choices): choices.contains(text)
        case .guid: GUID(text: text) != nil
        case .packets: Packetisation(text) != nil
        }
    }

    var meaning: String {
        switch self {
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .difference: "a number with a sign"
        case .duration: "a time such as 500ms, 3s or 2min"
        case .durationOrForever: "a time such as 500ms, 3s or 2min, or forever"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        case .guid: "32 hexadecimal digits"
        case .packets: Packetisation.meaning
        }
    }

    var example: String {
        switch self {
        case .number: "N"
        case .difference: "±N"
        case .duration, .durationOrForever: "TIME"
        case .choice(let choices): choices.joined(separator: "|")
        case .guid: "GUID"
        case .packets: Packetisation.choices
        }
    }

    /// No object of ours is larger, and sums with it stay inside 64 bits.
    private static let largestDifference: UInt64 = 1 << 50

    /// Decimal, perhaps with a unit of size, or hexadecimal behind 0x.
    static func parseNumber(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : Values.size(text)
    }

    static func parseDuration(_ text: String) -> Duration? { Values.duration(text) }
}

extension VirtualCard.Settings {
    /// What a script says about the card itself, before anything is on it.
    public mutating func apply(_ script: FaultScript) {
        let faults = Faults(script, seed: seed)
        repeatsName = repeatsName || faults.has(.sameName)
        hasOddFolderDate = hasOddFolderDate || faults.has(.oddFolderDate)
        if let number = faults.first(.firstNumber)?.number("value") { firstNumber = Int(number) }
    }
}
