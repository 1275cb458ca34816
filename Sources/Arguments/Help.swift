extension CommandSpec {
    /// Where a line of help ends.
    static let width = 96

    /// What `--help` prints.
    func help(path: [String]) -> String {
        var sections = [summary]
        sections.append("usage: " + usage(path))
        sections += discussion.map { Self.wrapped($0, indent: 0) }
        if !subcommands.isEmpty {
            sections.append(Self.table("commands", subcommands.map { ($0.name, $0.summary) }))
        }
        let arguments = positionals.filter { !$0.help.isEmpty }.map { ($0.name, $0.help) }
        if !arguments.isEmpty { sections.append(Self.table("arguments", arguments)) }
        if !options.isEmpty {
            let rows = options.map { option in
                ("--\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), option.help)
            }
            sections.append(Self.table("options", rows))
        }
        if !examples.isEmpty {
            sections.append("examples:\n" + examples.map { "  \($0)" }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n")
    }

    func usage(_ path: [String]) -> String {
        var words = [path.joined(separator: " ")]
        if !options.isEmpty { words.append("[options]") }
        if !subcommands.isEmpty { words.append("COMMAND …") }
        for positional in positionals {
            switch positional.count {
            case .one: words.append(positional.name)
            case .upToOne: words.append("[\(positional.name)]")
            case .any: words.append("[\(positional.name) …]")
            }
        }
        return words.joined(separator: " ")
    }

    /// Names in a column, what they mean beside it.
    static func table(_ title: String, _ rows: [(String, String)]) -> String {
        let column = min(34, (rows.map(\.0.count).max() ?? 0) + 4)
        let lines = rows.map { name, meaning in
            let text = wrapped(meaning, indent: column)
            guard name.count + 4 <= column else {
                return "  \(name)\n\(String(repeating: " ", count: column))\(text)"
            }
            return "  \(name)\(String(repeating: " ", count: column - 2 - name.count))\(text)"
        }
        return "\(title):\n" + lines.joined(separator: "\n")
    }

    static func wrapped(_ text: String, indent: Int, width: Int = Self.width) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width - indent {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
