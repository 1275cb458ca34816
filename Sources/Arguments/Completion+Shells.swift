/// zsh's own `_arguments` knows options, their values and what stands where, once it is told.
struct ZshCompletion {
    private let spec: CommandSpec

    init(_ spec: CommandSpec) {
        self.spec = spec
    }

    var script: String {
        let functions = spec.tree().map { function($0.path, $0.spec) }.joined(separator: "\n\n")
        return """
            #compdef \(spec.name)
            # zsh completion of \(spec.name); written by the program itself. Put it as _\(spec.name) into a folder of $fpath,
            # or, behind compinit in ~/.zshrc: source <(\(spec.name) completions zsh)

            \(functions)

            if [[ $funcstack[1] == _\(spec.name) ]]; then
                _\(spec.name) "$@"
            else
                compdef _\(spec.name) \(spec.name)
            fi
            """
    }

    private func name(_ path: [String]) -> String { "_" + path.joined(separator: "__") }

    private func function(_ path: [String], _ spec: CommandSpec) -> String {
        var words = spec.options.map { option($0, exclusive: spec.exclusive) }
        words.append("'(-h --help)'{-h,--help}'[Say what this does and takes]'")
        guard !spec.subcommands.isEmpty else {
            words += spec.positionals.enumerated().map { index, positional in
                let place = positional.count == .any ? "*" : "\(index + 1)"
                let optional = positional.count == .upToOne ? "::" : ":"
                return ShellText.quoted(
                    "\(place)\(optional)\(escaped(positional.name)):\(action(positional.values))")
            }
            return """
                \(name(path))() {
                    _arguments -S : \\
                        \(words.joined(separator: " \\\n        "))
                }
                """
        }
        words += ["'1: :->command'", "'*:: :->rest'"]
        let commands = spec.subcommands.map { ShellText.quoted("\($0.name):\(ShellText.brief($0.summary))") }
        let cases = spec.subcommands.map { "        \($0.name)) \(name(path + [$0.name])) ;;" }
        return """
            \(name(path))() {
                local context state state_descr line
                typeset -A opt_args
                _arguments -C -S : \\
                    \(words.joined(separator: " \\\n        "))
                case $state in
                command)
                    local -a commands=(
                        \(commands.joined(separator: "\n            "))
                        'help:Say what a command does and takes'
                    )
                    _describe -t commands command commands ;;
                rest)
                    case $line[1] in
            \(cases.joined(separator: "\n"))
                    esac ;;
                esac
            }
            """
    }

    private func option(_ option: OptionSpec, exclusive: [[String]]) -> String {
        let others = exclusive.filter { $0.contains(option.name) }.flatMap { $0 }.filter { $0 != option.name }
        var shut = Set(others).sorted().map { "--\($0)" }
        if !option.mayRepeat { shut.append("--\(option.name)") }
        var text = shut.isEmpty ? "" : "(\(shut.joined(separator: " ")))"
        if option.mayRepeat { text += "*" }
        text += "--\(option.name)"
        if option.placeholder != nil { text += "=" }
        text += "[\(escaped(ShellText.brief(option.help)))]"
        if let placeholder = option.placeholder {
            text += ":\(escaped(placeholder)):\(action(option.values))"
        }
        return ShellText.quoted(text)
    }

    private func action(_ values: ValueKind) -> String {
        switch values {
        case .free: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .words(let words), .oneOf(let words):
            "(\(words.map { escaped($0, also: " ()") }.joined(separator: " ")))"
        }
    }

    /// What `_arguments` would take as an end.
    private func escaped(_ text: String, also more: String = "") -> String {
        String(text.flatMap { "[]:\\\(more)".contains($0) ? ["\\", $0] : [$0] })
    }
}

/// fish is told each option and each word by itself, with the command that it belongs to.
struct FishCompletion {
    private let spec: CommandSpec

    init(_ spec: CommandSpec) {
        self.spec = spec
    }

    var script: String {
        let tree = spec.tree()
        let known = tree.dropFirst().map { ShellText.quoted($0.path.joined(separator: " ")) }
        let function = "__\(spec.name)_is_at"
        var lines = [
            "# fish completion of \(spec.name); written by the program itself.",
            "# For every shell to come: \(spec.name) completions fish > ~/.config/fish/completions/\(spec.name).fish",
            "function \(function) -d 'Whether the command line is at this command'",
            "    set -l path \(spec.name)",
            "    for word in (commandline -opc)[2..-1]",
            "        contains -- \"$path $word\" \(known.joined(separator: " "))",
            "        and set path \"$path $word\"",
            "    end",
            "    test \"$path\" = \"$argv\"",
            "end",
            "complete -c \(spec.name) -f",
        ]
        for (path, command) in tree {
            let line = path.joined(separator: " ")
            let here = "complete -c \(spec.name) -n \(ShellText.quoted("\(function) \(line)"))"
            for below in command.subcommands {
                lines.append(
                    "\(here) -a \(below.name) -d \(ShellText.quoted(ShellText.brief(below.summary)))")
            }
            if !command.subcommands.isEmpty {
                lines.append("\(here) -a help -d 'Say what a command does and takes'")
            }
            for positional in command.positionals {
                if let values = values(positional.values) { lines.append("\(here) \(values)") }
            }
            for option in command.options {
                var text = "\(here) -l \(option.name)"
                if option.placeholder != nil { text += " -r " + (values(option.values) ?? "-f") }
                lines.append("\(text) -d \(ShellText.quoted(ShellText.brief(option.help)))")
            }
            lines.append("\(here) -s h -l help -d 'Say what this does and takes'")
        }
        return lines.joined(separator: "\n")
    }

    /// Which files, or which words; nothing where neither can be known.
    private func values(_ values: ValueKind) -> String? {
        switch values {
        case .free: nil
        case .file: "-F"
        case .folder: "-f -a '(__fish_complete_directories (commandline -ct))'"
        case .words, .oneOf:
            "-f -a \(ShellText.quoted(values.offered.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")))"
        }
    }
}
