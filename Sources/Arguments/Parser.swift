extension CommandSpec {
    /// Reads the words behind the program's name.
    public func parse(_ words: [String]) throws(UsageError) -> Parsed {
        var reading = Reading(words: words[...])
        let parsed = try parse(&reading, path: [name])
        guard case .run(let invocation) = parsed, let text = try description(askedBy: invocation) else {
            return parsed
        }
        return .help(text)
    }

    struct Reading {
        var words: ArraySlice<String>
        var values: [String: [String]] = [:]
        var flags: Set<String> = []
        var positionals: [String] = []
        var onlyPositionals = false
    }

    func parse(_ reading: inout Reading, path: [String]) throws(UsageError) -> Parsed {
        while let word = reading.words.popFirst() {
            if reading.onlyPositionals || !word.hasPrefix("-") || word == "-" {
                if !subcommands.isEmpty { return try descend(word, &reading, path: path) }
                reading.positionals.append(word)
            } else if word == "--" {
                reading.onlyPositionals = true
            } else if word == "--help" || word == "-h" {
                return .help(help(path: path))
            } else if word == "--version", path.count == 1 {
                return .version
            } else {
                // The one option that is typed often enough to have a short name.
                try readOption(word == "-q" ? "--quiet" : word, &reading, path: path)
            }
        }
        guard subcommands.isEmpty else {
            let names = subcommands.map(\.name).joined(separator: ", ")
            throw UsageError("\(shown(path)) needs a command: \(names). \(advice(path))")
        }
        try check(reading, path: path)
        return .run(
            Invocation(
                path: Array(path.dropFirst()), values: reading.values, flags: reading.flags,
                positionals: reading.positionals))
    }

    private func descend(
        _ word: String, _ reading: inout Reading, path: [String]
    ) throws(UsageError) -> Parsed {
        if word == "help" {
            guard let next = reading.words.popFirst() else { return .help(help(path: path)) }
            if next == Self.exitCodes, path.count == 1 { return .help(ExitCode.help) }
            reading.words = ["--help"] + Array(reading.words)[...]
            return try descend(next, &reading, path: path)
        }
        guard let command = subcommands.first(where: { $0.name == word }) else {
            throw UsageError(
                "\(shown(path)) has no command '\(word)'\(suggestion(word, subcommands.map(\.name))) \(advice(path))"
            )
        }
        return try command.parse(&reading, path: path + [word])
    }

    private func readOption(_ word: String, _ reading: inout Reading, path: [String]) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let option = options.first { "--\($0.name)" == parts[0] }
        guard let option else {
            let known = options.map { "--\($0.name)" }
            throw UsageError(
                "\(shown(path)) has no option \(parts[0])\(suggestion(parts[0], known)) \(advice(path))")
        }
        guard let placeholder = option.placeholder else {
            guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value.") }
            reading.flags.insert(option.name)
            return
        }
        if let given = reading.values[option.name], !given.isEmpty, !option.mayRepeat {
            throw UsageError("--\(option.name) is given twice.")
        }
        guard let value = parts.count == 2 ? parts[1] : reading.words.popFirst() else {
            throw UsageError("--\(option.name) needs a value: --\(option.name) \(placeholder).")
        }
        try option.values.check(value, of: "--\(option.name)")
        reading.values[option.name, default: []].append(value)
    }

    private func check(_ reading: Reading, path: [String]) throws(UsageError) {
        for group in exclusive {
            let given = group.filter { reading.flags.contains($0) || reading.values[$0] != nil }
            if given.count > 1 {
                throw UsageError(
                    "Only one of \(given.map { "--\($0)" }.joined(separator: " and ")) can be given.")
            }
        }
        var left = reading.positionals.count
        for positional in positionals {
            switch positional.count {
            case .one:
                guard left > 0 else {
                    throw UsageError(
                        "\(shown(path)) needs \(positional.name): \(positional.help) \(advice(path))")
                }
                left -= 1
            case .upToOne: left = max(0, left - 1)
            case .any: left = 0
            }
        }
        guard left == 0 else {
            let surplus = reading.positionals.suffix(left).joined(separator: " ")
            throw UsageError("\(shown(path)) does not know what to do with '\(surplus)'. \(advice(path))")
        }
        for (index, value) in reading.positionals.enumerated() where !positionals.isEmpty {
            let positional = positionals[min(index, positionals.count - 1)]
            try positional.values.check(value, of: positional.name)
        }
    }

    private func shown(_ path: [String]) -> String { path.joined(separator: " ") }

    private func advice(_ path: [String]) -> String { "See '\(shown(path)) --help'." }

    private func suggestion(_ word: String, _ known: [String]) -> String {
        Nearest.to(word, among: known).map { "; did you mean '\($0)'?" } ?? "."
    }
}
