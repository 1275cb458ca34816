/// Something that no line of code may hold, where, and why.
struct Rule: Sendable {
    let name: String
    /// One of these stands in every line that breaks the rule. Looking for them is a hundred times faster than
    /// matching an expression.
    let signs: [[UInt8]]
    let reason: String
    let appliesTo: @Sendable (_ path: String) -> Bool
    let isBroken: @Sendable (_ line: String) -> Bool

    init(
        _ name: String, _ signs: [String], _ reason: String, in applies: @escaping @Sendable (String) -> Bool,
        _ isBroken: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.signs = signs.map { Array($0.utf8) }
        self.reason = reason
        appliesTo = applies
        self.isBroken = isBroken
    }

    static func isSource(_ path: String) -> Bool { path.hasPrefix("Sources/") }
    static func isTest(_ path: String) -> Bool { path.hasPrefix("Tests/") && !isTestsOfTidy(path) }
    static func isTestsOfTidy(_ path: String) -> Bool { path.hasPrefix("Tests/TidyTests/") }
    static func isRoot(_ path: String) -> Bool {
        ["Sources/tetherline/", "Sources/camsim/"].contains { path.hasPrefix($0) }
    }
    static func isPosix(_ path: String) -> Bool { path.hasPrefix("Sources/Posix/") }
    static func isPartOfSources(_ path: String) -> Bool { isSource(path) && !isRoot(path) && !isPosix(path) }

    static let all: [Rule] = [
        Rule("try?", ["try?"], "it loses the error", in: { isSource($0) || isTest($0) }) {
            $0.contains(/\btry\?/)
        },
        Rule("try!", ["try!"], "a failure becomes a crash", in: { isSource($0) || isTest($0) }) {
            $0.contains(/\btry!/)
        },
        Rule(
            "fatalError", ["fatalError"],
            "input must not end the program; a caller's bug is a preconditionFailure",
            in: isSource
        ) { $0.contains(/\bfatalError\b/) },
        Rule("empty catch", ["catch"], "it loses the error", in: { isSource($0) || isTest($0) }) {
            $0.contains(/\bcatch\b[^{]*\{\s*\}/)
        },
        Rule("as!", ["as!"], "a wrong guess becomes a crash", in: isSource) { $0.contains(/\bas!/) },
        Rule("Task.detached", ["detached"], "it leaves the executor that was given", in: isPartOfSources) {
            $0.contains(/\bTask\s*\.\s*detached\b/)
        },
        Rule(
            "a clock of its own", ["Date()", "Clock", "gettime", "time("], "time is an argument",
            in: isPartOfSources
        ) {
            $0.contains(/\b(Date\(\)|ContinuousClock|SuspendingClock|clock_gettime|gettimeofday|time\(nil\))/)
        },
        Rule(
            "randomness of its own", ["UUID()", "Random", "random", "shuffle"], "randomness is an argument",
            in: isPartOfSources
        ) {
            $0.contains(/\b(UUID\(\)|SystemRandomNumberGenerator|getrandom|arc4random)/)
                || $0.contains(/\.(random\(in:|randomElement\(|shuffled\(|shuffle\()/)
                    && !$0.contains("using:")
        },
        Rule(
            "sleep", ["sleep"], "a wait is for something, or until a deadline of the time source",
            in: isSource
        ) {
            $0.contains(/\b(usleep|nanosleep)\(|\b(Task|Thread)\.sleep\b|(^|[^.\w])sleep\([0-9]/)
        },
        Rule("sleep in a test", ["sleep"], "a test waits for what happens", in: isTest) {
            $0.contains(/\b(usleep|nanosleep)\(|\b(Task|Thread)\.sleep\b|(^|[^.\w])sleep\([0-9]/)
        },
        Rule(
            "Foundation", ["import"], "the package does without: smaller, and the same everywhere",
            in: { !isTestsOfTidy($0) }
        ) {
            $0.contains(/^\s*(@\w+\s+)?(public |package |internal )?import (Foundation|Dispatch|XCTest)/)
        },
        Rule(
            "print", ["print("], "what is said goes through the roots, and failures of it count",
            in: isPartOfSources
        ) {
            $0.contains(/(^|[^.\w])print\(/)
        },
        Rule(
            "a test that does not run", ["disabled", "XCTSkip", "withKnownIssue"],
            "a skip needs a condition and a sentence", in: isTest
        ) {
            $0.contains(/\.disabled\(|XCTSkip|withKnownIssue/)
        },
    ]

    struct Breach: CustomStringConvertible {
        let rule: Rule
        let path: String
        let line: Int

        var description: String { "\(path):\(line): \(rule.name): \(rule.reason)" }
    }

    static func breaches(of text: SwiftText, at path: String) -> [Breach] {
        all.filter { $0.appliesTo(path) }.flatMap { rule in
            text.lines.enumerated().filter { $0.element.has(oneOf: rule.signs) && rule.isBroken($0.element) }
                .map {
                    Breach(rule: rule, path: path, line: $0.offset + 1)
                }
        }
    }
}
