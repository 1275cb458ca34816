/// The shells that complete a command line by a script of ours.
public enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
}

extension CommandSpec {
    /// The script that makes a shell complete this program's command lines.
    public func completion(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletion(self).script
        case .zsh: ZshCompletion(self).script
        case .fish: FishCompletion(self).script
        }
    }

    /// This and every command below it, each with its way from the program on.
    func tree(_ path: [String] = []) -> [(path: [String], spec: CommandSpec)] {
        let here = path + [name]
        return [(here, self)] + subcommands.flatMap { $0.tree(here) }
    }
}

enum ShellText {
    /// One word for every shell: in single quotes, which quote all but themselves.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The beginning of a help, for a list beside which there is little room.
    static func brief(_ help: String) -> String {
        var end = help.endIndex
        for mark in [". ", "; ", ": "] {
            if let stop = help.firstRange(of: mark)?.lowerBound, stop < end { end = stop }
        }
        let text = help[..<end]
        return String(text.last == "." ? text.dropLast() : text)
    }
}

/// bash has no descriptions. What stands before the cursor decides: the command, an option that wants a value, and how
/// many arguments there are already.
struct BashCompletion {
    private let spec: CommandSpec

    init(_ spec: CommandSpec) {
        self.spec = spec
    }

    var script: String {
        let function = "_\(spec.name)"
        let tree = spec.tree()
        let commands = tree.flatMap { path, spec in
            spec.subcommands.map { "'\((path + [$0.name]).joined(separator: " "))'" }
        }
        let descend =
            commands.isEmpty
            ? "" : "            \(commands.joined(separator: "|"))) path=\"$path $word\"; continue ;;\n"
        let wanting = tree.flatMap { path, spec in
            spec.options.filter { $0.placeholder != nil }.map {
                "'\(path.joined(separator: " ")) --\($0.name)'"
            }
        }
        let skip =
            wanting.isEmpty
            ? "" : "            \(wanting.joined(separator: "|"))) option=$word; continue ;;\n"
        return """
            # bash completion of \(spec.name); written by the program itself.
            # For every shell to come: \(spec.name) completions bash > ~/.local/share/bash-completion/completions/\(spec.name)
            \(function)() {
                local path=\(spec.name) option= count=0 word index current=${COMP_WORDS[COMP_CWORD]}
                COMPREPLY=()
                for ((index = 1; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    # --name=value are three words for bash.
                    if [[ -n $option ]]; then
                        [[ $word == = ]] || option=
                        continue
                    fi
                    case "$path $word" in
            \(descend)\(skip)        esac
                    [[ $word == -* ]] || ((count += 1))
                done
                [[ -n $option && $current == = ]] && current=
                local kind=
                if [[ -n $option ]]; then
                    case "$path $option" in
            \(values(tree))        esac
                elif [[ $current == -* ]]; then
                    case $path in
            \(options(tree))        esac
                else
                    case "$path $count" in
            \(arguments(tree))        esac
                fi
                case $kind in
                '') ;;
                FILE) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                FOLDER) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$current") ;;
                esac
            }
            complete -F \(function) \(spec.name)
            """
    }

    private func kind(_ values: ValueKind) -> String? {
        switch values {
        case .free: nil
        case .file: "FILE"
        case .folder: "FOLDER"
        case .words(let words), .oneOf(let words):
            ShellText.quoted(words.filter { !$0.contains(" ") }.joined(separator: " "))
        }
    }

    private func lines(_ cases: [(pattern: String, kind: String)]) -> String {
        cases.map { "        '\($0.pattern)') kind=\($0.kind) ;;\n" }.joined()
    }

    private func values(_ tree: [(path: [String], spec: CommandSpec)]) -> String {
        lines(
            tree.flatMap { path, spec in
                spec.options.compactMap { option in
                    kind(option.values).map { ("\(path.joined(separator: " ")) --\(option.name)", $0) }
                }
            })
    }

    private func options(_ tree: [(path: [String], spec: CommandSpec)]) -> String {
        lines(
            tree.map { path, spec in
                let names = spec.options.map { "--\($0.name)" } + ["--help"]
                return (path.joined(separator: " "), ShellText.quoted(names.joined(separator: " ")))
            })
    }

    /// By how many stand there already; the last one may come any number of times.
    private func arguments(_ tree: [(path: [String], spec: CommandSpec)]) -> String {
        var text = ""
        for (path, spec) in tree {
            let line = path.joined(separator: " ")
            if !spec.subcommands.isEmpty {
                let names = spec.subcommands.map(\.name) + ["help"]
                text += "        '\(line) 0') kind=\(ShellText.quoted(names.joined(separator: " "))) ;;\n"
            }
            for (index, positional) in spec.positionals.enumerated() {
                guard let kind = kind(positional.values) else { continue }
                let number = positional.count == .any ? "'*" : "\(index)'"
                text += "        '\(line) \(number)) kind=\(kind) ;;\n"
            }
        }
        return text
    }
}
