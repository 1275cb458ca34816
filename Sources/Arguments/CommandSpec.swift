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

    public static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(name, nil, help)
    }

    public init(_ name: String, _ placeholder: String?, mayRepeat: Bool = false, _ help: String) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.mayRepeat = mayRepeat
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

    public init(_ name: String, _ count: Count, _ help: String) {
        self.name = name
        self.count = count
        self.help = help
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
