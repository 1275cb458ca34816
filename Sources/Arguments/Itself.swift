extension CommandSpec {
    public static let version = "0.1"
    /// The day that stands in the manual pages.
    static let released = "2026-11-23"

    static let exitCodes = "exit-codes"
    private static let completions = "completions"
    private static let man = "man"

    /// Adds what every program says of itself: what a shell needs to complete its command lines, and its manual page. A
    /// program without commands has options for that.
    public mutating func describeItself() {
        let help = "Print what makes this shell complete command lines: bash, zsh or fish."
        let shells = ValueKind.oneOf(Shell.allCases.map(\.rawValue))
        guard !subcommands.isEmpty else {
            options.append(OptionSpec(Self.completions, "SHELL", help, shells))
            options.append(.flag(Self.man, "Print the manual page."))
            return
        }
        var completions = CommandSpec(Self.completions, "Prints what makes a shell complete command lines.")
        completions.discussion = [
            "Where to put it is said in its first lines. For the shell that runs: source <(\(name) completions bash)."
        ]
        completions.positionals = [PositionalSpec("SHELL", .one, "bash, zsh or fish.", shells)]
        completions.examples = [
            "\(name) completions bash > ~/.local/share/bash-completion/completions/\(name)"
        ]
        var man = CommandSpec(Self.man, "Prints the manual page, for 'man'.")
        man.examples = ["\(name) man > \(name).1"]
        subcommands += [completions, man]
    }

    /// What was asked about the program itself; nothing where it was asked for something else.
    func description(askedBy invocation: Invocation) throws(UsageError) -> String? {
        let asked: String?
        switch invocation.path {
        case [Self.completions]: asked = invocation.positionals.first
        case []: asked = invocation.value(Self.completions)
        default: asked = nil
        }
        if let shell = asked.flatMap(Shell.init) { return completion(for: shell) }
        guard invocation.path == [Self.man] || invocation.path.isEmpty && invocation.has(Self.man) else {
            return nil
        }
        return try ManualPage(self).text
    }

    /// The first example of the tree that this program would refuse, or the first command that has none; nothing where
    /// all is well.
    public func unusableExample() -> String? {
        for (path, command) in tree() where command.subcommands.isEmpty {
            let line = path.joined(separator: " ")
            if command.examples.isEmpty { return "'\(line)' has no example." }
            for example in command.examples {
                let words = Self.words(of: example)
                guard words.starts(with: path) else { return "'\(example)' is no example of '\(line)'." }
                var reading = Reading(words: words.dropFirst())
                do throws(UsageError) {
                    guard case .run = try parse(&reading, path: [name]) else {
                        return "'\(example)' only asks for help."
                    }
                } catch {
                    return "The example '\(example)' cannot be meant: \(error)"
                }
            }
        }
        return nil
    }

    /// The words that a shell makes of a line, up to where its output goes.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else if word == nil, "|>#&".contains(character) {
                return words
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
