import Arguments
import Basics
import Posix
import Store

/// One setting of `config.json5` changed at its place. Nothing is written that makes the file worse than it was.
struct SettingsEdit {
    private let home: Home
    private let key: SettingKey
    /// Nothing is printed: something else has the terminal.
    private let isQuiet: Bool

    init(_ home: Home, _ key: String, isQuiet: Bool = false) throws(UsageError) {
        guard let key = SettingKey(key) else {
            throw UsageError(
                "'\(key)' is no setting's name, such as transfer.take; 'tetherline config show' shows them.")
        }
        self.home = home
        self.key = key
        self.isQuiet = isQuiet
    }

    func set(_ words: [String]) throws -> ExitCode {
        try change { document, known in
            var failures: [Settings.Unusable] = []
            for value in Self.meanings(of: words) {
                let changed = try Self.refusing(home.settings) { () throws(JSON5Error) in
                    try document.setting(key.path, to: value)
                }
                let file = SettingsFile(changed, path: home.settings)
                let new = try file.mistakes().filter { !known.contains($0.sentence) }
                if new.isEmpty { return file }
                failures.append(Settings.Unusable(home.settings, new))
            }
            // What is wrong with a value of the right kind says more than that another kind is wanted.
            let telling = failures.first { "\($0)".contains("\(key): ") }
            throw telling ?? failures.first
                ?? Settings.Unusable(home.settings, key: key.description, "\(key) has no such value.")
        }
    }

    func unset() throws -> ExitCode {
        try change { document, _ in
            guard document.has(key.path) else { return nil }
            let changed = try Self.refusing(home.settings) { () throws(JSON5Error) in
                try document.removing(key.path)
            }
            return SettingsFile(changed, path: home.settings)
        }
    }

    /// What an operator can mean by words, the likeliest first: a number is no text, unless the setting wants one.
    private static func meanings(of words: [String]) -> [JSONValue] {
        let texts = JSONValue.array(words.map(JSONValue.string))
        guard words.count == 1, let word = words.first else {
            return [texts, .string(words.joined(separator: " "))]
        }
        var written: [JSONValue] = []
        do throws(JSON5Error) {
            written = [try JSON5.parse(word)]
        } catch {
            // It is no JSON5, but a word as it stands.
        }
        return written + [.string(word), texts]
    }

    private static func refusing(
        _ path: String, _ work: () throws(JSON5Error) -> JSON5Document
    ) throws -> JSON5Document {
        do throws(JSON5Error) {
            return try work()
        } catch {
            throw Settings.Unusable(path, key: "", "\(error)")
        }
    }

    /// Reads, changes and writes it as one step among all programs of this user.
    private func change(
        _ edit: (JSON5Document, _ known: Set<String>) throws -> SettingsFile?
    ) throws -> ExitCode {
        let folder = try home.make()
        let lock = try FileLock(path: "\(folder.path)/.config.json5.lock")
        defer { withExtendedLifetime(lock) {} }
        let old = try SettingsFile(of: home)
        let before = try old ?? SettingsFile(Array("{\n}\n".utf8), path: home.settings)
        let known = Set(try before.mistakes().map(\.sentence))
        guard let file = try edit(before.document, known) else {
            printOutput(
                "\(Visible(home.settings)): it does not say \(Visible(key.description)); nothing is changed")
            return .success
        }
        if file.document.text != before.document.text || old == nil {
            try write(file.document.text)
        }
        guard !isQuiet else { return .success }
        let line = file.document.line(of: key.path).map { "line \($0): " } ?? ""
        printOutput(
            "\(Visible(home.settings)): \(line)\(Visible(key.description)) is \(line.isEmpty ? "not set any more" : "set")"
        )
        for mistake in try file.mistakes() {
            printError("tetherline: \(Visible(Settings.Unusable(home.settings).text(mistake)))")
        }
        return .success
    }

    /// Into the file itself, where the one in the home is a link to it; with the owner and the rights that it had.
    private func write(_ text: String) throws {
        let (folder, name) = try Directory.following(home.settings)
        let old = try folder.facts(of: name)
        if let old, old.kind != .file {
            throw Settings.Unusable(
                home.settings, key: "",
                "\(home.settings) is no file: a link to one that is not there, perhaps. Make the file, or remove the link."
            )
        }
        try writeAtomically(Array(text.utf8), to: name, in: folder, like: old)
    }
}
