import TestSupport

/// What is wrong with one camera, drawn by chance. Whatever would keep a good photo from arriving for ever passes after a
/// while; what a body can do all its life without losing a photo may stay.
struct EveningFaults {
    private(set) var script: [String] = []
    /// The place on the card of a photo that ends every connection it is asked for in.
    private(set) var poisoned: Int?
    private var random: Seeded

    /// The first photo of a simulated card, behind its two folders.
    private static let firstHandle = 0x0001_0003

    init(seed: UInt64, photos: Int) {
        random = Seeded(seed)
        for _ in 0..<Int.random(in: 0...5, using: &random) { script.append(passing()) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { addLasting() }
        if photos > 0, random.chance(15), !script.contains("renumber"), !givesOnlyParts { poison(photos) }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func one<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    /// Over after so many times, or after so long.
    private mutating func passing() -> String {
        let times = "times=\(number(1...3)) skip=\(number(0...10))"
        let after = one([0, 1, 500, 4096, 10_000, 19_999])
        switch number(0...21) {
        case 0...3: return "cut after=\(after) \(times)"
        case 4...6: return "reset after=\(after) \(times)"
        case 7: return "stall after=\(after) for=\(number(1...100))s \(times)"
        case 8: return "stall after=\(after) \(times)"
        case 9: return "lost-fin after=\(after) hold=\(number(1...40))s \(times)"
        case 10: return "busy \(times)"
        case 11:
            return "not-ready for=\(number(1...20))s code=\(one(["0x2002", "0xA102", "0x2019"])) \(times)"
        case 12: return "late-size for=\(number(1...20))s as=\(one([0, 5, 30_000, 60_000])) \(times)"
        case 13:
            return
                "out-of-step kind=\(one(["wrong-transaction", "no-start", "start-twice", "unknown-packet"])) \(times)"
        case 14: return "no-data-phase \(times)"
        case 15:
            return
                "hang for=\(number(1...200))s operation=\(one(["0x1004", "0x1007", "0x1008", "0x1009"])) \(times)"
        case 16: return "init-fail times=\(number(1...3))"
        case 17: return one(["refuse-event-link", "silent-accept", "session-already-open"]) + " \(times)"
        case 18: return "hold-ack for=\(number(1...50))s \(times)"
        case 19:
            return "vanish operation=\(one(["0x1007", "0x1008", "0x1009"])) for=\(number(1...60))s \(times)"
        case 20: return "stale-response \(times)"
        default: return "flood kind=\(one(["events", "probes"])) rate=1000 for=\(number(1...20))s times=1"
        }
    }

    /// How this body is.
    private mutating func lasting() -> String {
        switch number(0...15) {
        case 0: "duplicate-notices"
        case 1: "missing-notices"
        case 2: "only-capture-complete"
        case 3: "renumber"
        case 4: "stale-handles"
        case 5: "refuse-parts code=\(one(["0x2005", "0x2002", "0x201D", "0xA001"]))"
        case 6: "ignore-offset"
        case 7: "part-length by=\(one(["-7", "7"]))"
        case 8: "wrong-size by=\(one(["-1000", "1000"]))"
        case 9: "no-partial-reads"
        case 10: "no-whole-objects"
        case 11: "unknown-total"
        case 12: "trailing-bytes bytes=\(number(1...100))"
        case 13: "truncate-strings"
        case 14: "no-stable-ids"
        default: "five-parameters"
        }
    }

    /// One of a kind; and a camera that gives neither whole photos nor parts is none.
    private mutating func addLasting() {
        let conduct = lasting()
        let name = conduct.prefix { $0 != " " }
        if script.contains(where: { $0.prefix { $0 != " " } == name }) { return }
        if givesOnlyParts, Self.spoilsParts.contains(where: { conduct.hasPrefix($0) }) { return }
        if conduct == "no-whole-objects", givesNoParts { return }
        script.append(conduct)
    }

    private static let spoilsParts = ["refuse-parts", "no-partial-reads", "part-length"]

    private var givesOnlyParts: Bool { script.contains("no-whole-objects") }
    private var givesNoParts: Bool {
        script.contains { conduct in Self.spoilsParts.contains(where: { conduct.hasPrefix($0) }) }
    }

    private mutating func poison(_ photos: Int) {
        let place = number(0...photos - 1)
        poisoned = place
        let object = "object=\(Self.firstHandle + place)"
        let operation = one(["0x1009", "0x1008"])
        script.append(
            one([
                "cut after=0 operation=\(operation) \(object)",
                "reset after=0 operation=\(operation) \(object)",
                "stall after=0 operation=\(operation) \(object)",
                "out-of-step kind=no-start operation=\(operation) \(object)",
            ]))
        // It would be had in parts.
        script.append("no-partial-reads")
    }
}
