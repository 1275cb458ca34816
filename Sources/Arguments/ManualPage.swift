/// A program's manual page in the macros of man(7), which every `man` reads.
struct ManualPage {
    private let spec: CommandSpec

    /// Of a program each of whose commands has examples that it would take.
    init(_ spec: CommandSpec) throws(UsageError) {
        if let problem = spec.unusableExample() { throw UsageError(problem) }
        self.spec = spec
    }

    var text: String {
        var lines = [
            ".\\\" Written by '\(spec.name) \(spec.subcommands.isEmpty ? "--man" : "man")'.",
            ".TH \(spec.name.uppercased()) 1 \(CommandSpec.released) \"\(spec.name) \(CommandSpec.version)\"",
            ".SH NAME",
        ]
        lines += Self.wrapped("\(spec.name) - \(Self.withoutStop(spec.summary))")
        lines += [".SH SYNOPSIS", Self.bold(spec.name), Self.escaped(synopsis)]
        if !spec.discussion.isEmpty { lines += [".SH DESCRIPTION"] + Self.paragraphs(spec.discussion) }
        if spec.subcommands.isEmpty {
            lines.append(".SH OPTIONS")
            lines += Self.arguments(of: spec)
        } else {
            lines.append(".SH COMMANDS")
            for (path, command) in spec.tree().dropFirst() where command.subcommands.isEmpty {
                lines += Self.section(path, command)
            }
        }
        lines.append(".SH ENVIRONMENT")
        for (name, meaning) in spec.environment { lines += Self.item(Self.bold(name), meaning) }
        if spec.environment.isEmpty { lines += Self.wrapped("It reads none.") }
        lines.append(".SH EXIT STATUS")
        for code in ExitCode.allCases { lines += Self.item(Self.bold("\(code.rawValue)"), code.meaning) }
        if !spec.examples.isEmpty { lines += [".SH EXAMPLES"] + Self.examples(spec.examples) }
        return lines.joined(separator: "\n")
    }

    private var synopsis: String {
        String(spec.usage([spec.name]).dropFirst(spec.name.count + 1))
    }

    private static func section(_ path: [String], _ command: CommandSpec) -> [String] {
        var lines = [".SS \(quoted(command.usage(path)))"] + wrapped(command.summary)
        if !command.discussion.isEmpty { lines += [".PP"] + paragraphs(command.discussion) }
        lines += arguments(of: command)
        return lines + [".PP", "Examples:", ".PP"] + examples(command.examples)
    }

    private static func arguments(of command: CommandSpec) -> [String] {
        var lines: [String] = []
        for positional in command.positionals where !positional.help.isEmpty {
            lines += item("\\fI\(escaped(positional.name))\\fR", positional.help)
        }
        for option in command.options {
            let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
            lines += item("\\fB\(escaped("--\(option.name)"))\\fR\(value)", option.help)
        }
        return lines
    }

    private static func item(_ tag: String, _ meaning: String) -> [String] {
        [".TP", tag] + wrapped(meaning)
    }

    private static func paragraphs(_ paragraphs: [String]) -> [String] {
        Array(paragraphs.map(wrapped).joined(separator: [".PP"]))
    }

    private static func examples(_ examples: [String]) -> [String] {
        [".RS 4", ".nf"] + examples.map(escaped) + [".fi", ".RE"]
    }

    // MARK: The macros' own rules

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// Lines that an editor shows whole.
    private static func wrapped(_ text: String) -> [String] {
        CommandSpec.wrapped(text, indent: 0, width: 70).split(separator: "\n").map { escaped(String($0)) }
    }

    private static func withoutStop(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// "\-" is the minus sign of command lines, and a "-" may be made a hyphen; a line that begins with "." or "'" would
    /// be a macro's.
    private static func escaped(_ text: String) -> String {
        var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case "…": result += "..."
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            default: result.append(character)
            }
        }
        return result
    }
}
