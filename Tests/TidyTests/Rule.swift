/// Something that no line of code may hold, where, and why.
struct Rule: Sendable {
    let name: String
    /// One of these stands in every line that breaks the rule. Looking for them is a hundred times faster than
    /// matching an expression.
    let signs: [[UInt8]]
    let reason: String
    let scope: Scope
    let isBroken: @Sendable (_ line: String) -> Bool

    init(
        _ name: String, _ signs: [String], _ reason: String, in scope: Scope,
        _ isBroken: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.signs = signs.map { Array($0.utf8) }
        self.reason = reason
        self.scope = scope
        self.isBroken = isBroken
    }

    /// Which files a rule is about.
    enum Scope {
        case sources
        case tests
        case both
        /// Sources but for the roots and Posix, which is where the world comes in.
        case inside
        /// One folder of the sources.
        case below(String)

        func holds(_ path: String) -> Bool {
            let isSource = path.hasPrefix("Sources/")
            // The tests of these rules have to write down what breaks them.
            let isTest = path.hasPrefix("Tests/") && !path.hasPrefix("Tests/TidyTests/")
            switch self {
            case .sources: return isSource
            case .tests: return isTest
            case .both: return isSource || isTest
            case .below(let folder): return path.hasPrefix(folder)
            case .inside:
                let outer = ["Sources/tetherline/", "Sources/camsim/", "Sources/Posix/"]
                return isSource && !outer.contains { path.hasPrefix($0) }
            }
        }
    }

    static let all: [Rule] = [
        Rule("try?", ["try?"], "it loses the error", in: .both) {
            $0.contains(/\btry\?/)
        },
        Rule("try!", ["try!"], "a failure becomes a crash", in: .both) {
            $0.contains(/\btry!/)
        },
        Rule(
            "fatalError", ["fatalError"],
            "input must not end the program; a caller's bug is a preconditionFailure",
            in: .sources
        ) { $0.contains(/\bfatalError\b/) },
        Rule("empty catch", ["catch"], "it loses the error", in: .both) {
            $0.contains(/\bcatch\b[^{]*\{\s*\}/)
        },
        Rule(
            "a time limit of its own", ["timeLimit"],
            "a verdict does not depend on pace; Cases.minutesOfHang is for all",
            in: .tests
        ) { $0.contains(/\.timeLimit\((?!\.minutes\(Cases\.minutesOfHang\))/) },
        Rule(
            "a refusal judged by the session", [".code", "RetryRule("],
            "what a camera's answer means, and whether it is asked again, is the machine's to say",
            in: .below("Sources/Camera/Session/")
        ) {
            $0.contains(/\.code\s*(==(?! \.ok else)|!=|\{)/) || $0.contains(/\bRetryRule\s*\(/)
        },
        Rule("as!", ["as!"], "a wrong guess becomes a crash", in: .sources) { $0.contains(/\bas!/) },
        Rule("Task.detached", ["detached"], "it leaves the executor that was given", in: .inside) {
            $0.contains(/\bTask\s*\.\s*detached\b/)
        },
        Rule(
            "a clock of its own", ["Date()", "Clock", "gettime", "time("], "time is an argument",
            in: .inside
        ) {
            $0.contains(/\b(Date\(\)|ContinuousClock|SuspendingClock|clock_gettime|gettimeofday|time\(nil\))/)
        },
        Rule(
            "randomness of its own", ["UUID()", "Random", "random", "shuffle"], "randomness is an argument",
            in: .inside
        ) {
            $0.contains(/\b(UUID\(\)|SystemRandomNumberGenerator|getrandom|arc4random)/)
                || $0.contains(/\.(random\(in:|randomElement\(|shuffled\(|shuffle\()/)
                    && !$0.contains("using:")
        },
        Rule(
            "sleep", ["sleep"], "a wait is for something, or until a deadline of the time source",
            in: .sources
        ) {
            $0.contains(/\b(usleep|nanosleep)\(|\b(Task|Thread)\.sleep\b|(^|[^.\w])sleep\([0-9]/)
        },
        Rule("sleep in a test", ["sleep"], "a test waits for what happens", in: .tests) {
            $0.contains(/\b(usleep|nanosleep)\(|\b(Task|Thread)\.sleep\b|(^|[^.\w])sleep\([0-9]/)
        },
        Rule(
            "Foundation", ["import"], "the package does without: smaller, and the same everywhere",
            in: .both
        ) {
            $0.contains(/^\s*(@\w+\s+)?(public |package |internal )?import (Foundation|Dispatch|XCTest)/)
        },
        Rule(
            "print", ["print("], "what is said goes through the roots, and failures of it count",
            in: .inside
        ) {
            $0.contains(/(^|[^.\w])print\(/)
        },
        Rule(
            "a row's number of its own", ["ID: Hashable"], "RowID is the number of every row of the ledger",
            in: .sources
        ) { $0.contains(/struct [A-Za-z]*[a-z]ID: Hashable/) },
        Rule(
            "a test that does not run", ["disabled", "XCTSkip", "withKnownIssue"],
            "a skip needs a condition and a sentence", in: .tests
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
        all.filter { $0.scope.holds(path) }.flatMap { rule in
            text.lines.enumerated().filter { $0.element.has(oneOf: rule.signs) && rule.isBroken($0.element) }
                .map {
                    Breach(rule: rule, path: path, line: $0.offset + 1)
                }
        }
    }
}
