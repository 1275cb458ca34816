/// What a program or one of its commands takes on its command line, as a value: the parser, the help and the
/// errors all come from it.
public struct CommandSpec: Sendable {
    public var name: String
    public var summary: String
    /// Whole sentences for the help, a paragraph each.
    public var discussion: [String] = []
    public var options: [OptionSpec] = []
    public var positionals: [PositionalSpec] = []
    public var subcommands: [CommandSpec] = []
    /// Names of options of which only one may be given.
    public var exclusive: [[String]] = []
    /// Command lines that work as they stand.
    public var examples: [String] = []
    /// Of a whole program: which variables of the environment it reads, and what for.
    public var environment: [(name: String, meaning: String)] = []

    public init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}

/// `--name VALUE`, `--name=VALUE`, or `--name` alone where there is no value.
public struct OptionSpec: Sendable {
    public let name: String
    /// What stands for the value in the help; nothing for a flag.
    public let placeholder: String?
    public let help: String
    public let mayRepeat: Bool
    public let values: ValueKind

    public static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(name, nil, help)
    }

    public init(
        _ name: String, _ placeholder: String?, mayRepeat: Bool = false, _ help: String,
        _ values: ValueKind? = nil
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.mayRepeat = mayRepeat
        self.values = values ?? placeholder.map(ValueKind.init(named:)) ?? .free
    }
}

/// What kind of value is wanted, so that a shell can complete it.
public enum ValueKind: Equatable, Sendable {
    case free
    case file
    case folder
    /// One of these, or another one.
    case words([String])
    /// One of these and no other.
    case oneOf([String])

    /// As what stands for it in the help says.
    init(named placeholder: String) {
        switch placeholder {
        case "FILE", "PATH", "PROGRAM": self = .file
        case "DIR": self = .folder
        default: self = .free
        }
    }

    var offered: [String] {
        switch self {
        case .words(let words), .oneOf(let words): words
        case .free, .file, .folder: []
        }
    }

    /// Refuses what is none of those that there are.
    func check(_ value: String, of name: String) throws(UsageError) {
        guard case .oneOf(let words) = self, !words.contains(value) else { return }
        let near = Nearest.to(value, among: words).map { "; did you mean '\($0)'?" } ?? "."
        throw UsageError("\(name) is one of \(words.joined(separator: ", ")), not '\(value)'\(near)")
    }
}

public struct PositionalSpec: Sendable {
    public enum Count: Sendable {
        case one
        case upToOne
        case any
    }

    public let name: String
    public let count: Count
    public let help: String
    public let values: ValueKind

    public init(_ name: String, _ count: Count, _ help: String, _ values: ValueKind? = nil) {
        self.name = name
        self.count = count
        self.help = help
        self.values = values ?? ValueKind(named: name)
    }
}

/// A command line that cannot be meant: what is wrong with it and what to do.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// What a command line came to.
public enum Parsed: Equatable, Sendable {
    case run(Invocation)
    /// A text that was asked for, to be printed: a help, a manual page, a script for a shell.
    case help(String)
    case version
}

/// A command line that is in order: which command, with what.
public struct Invocation: Equatable, Sendable {
    /// The subcommands, outermost first.
    public let path: [String]
    let values: [String: [String]]
    let flags: Set<String>
    public let positionals: [String]

    public func has(_ flag: String) -> Bool { flags.contains(flag) }

    public func value(_ option: String) -> String? { values[option]?.last }

    /// Every value of an option that may be repeated, in order.
    public func all(_ option: String) -> [String] { values[option] ?? [] }
}
