import Basics
import Posix
import Store

extension Settings {
    /// What is wrong in the file, all of it.
    struct Unusable: Error, CustomStringConvertible {
        struct Mistake: Equatable {
            /// As `config set` takes it; empty for the whole.
            let key: String
            let sentence: String
            var line: Int?
        }

        let path: String
        fileprivate(set) var mistakes: [Mistake] = []

        init(_ path: String) {
            self.path = path
        }

        init(_ path: String, key: String, _ sentence: String) {
            self.path = path
            mistakes = [Mistake(key: key, sentence: sentence)]
        }

        /// Of a text that is not in the file: without the lines.
        init(_ path: String, _ mistakes: [Mistake]) {
            self.path = path
            self.mistakes = mistakes.map { Mistake(key: $0.key, sentence: $0.sentence) }
        }

        mutating func add(_ key: String, _ sentence: String, line: Int? = nil) {
            mistakes.append(Mistake(key: key, sentence: sentence, line: line))
        }

        /// Goes on where this is wrong: the rest is looked at as well.
        mutating func collect(_ reading: () throws -> Void) throws {
            do {
                try reading()
            } catch let error as Unusable {
                mistakes += error.mistakes
            }
        }

        func check() throws {
            guard mistakes.isEmpty else { throw self }
        }

        /// Each with its line, as what is no JSON5 has it.
        func text(_ mistake: Mistake) -> String {
            "\(path): \(mistake.line.map { "line \($0): " } ?? "")\(mistake.sentence)"
        }

        var description: String {
            guard let first = mistakes.first else { return "\(path) cannot be used." }
            let more = mistakes.count - 1
            guard more > 0 else { return text(first) }
            return text(first)
                + " There \(more == 1 ? "is 1 more mistake" : "are \(more) more mistakes") in it: "
                + "'tetherline config check' says all."
        }
    }
}

/// `config.json5` as it lies in the home.
struct SettingsFile {
    let path: String
    let document: JSON5Document

    /// Nothing where there is no such file.
    init?(of home: Home) throws {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: home.settings, limit: Settings.limit)
        } catch {
            if error.kind == .missing { return nil }
            throw error
        }
        try self.init(bytes, path: home.settings)
    }

    init(_ bytes: [UInt8], path: String) throws {
        self.path = path
        do throws(JSON5Error) {
            document = try JSON5Document(bytes)
        } catch {
            throw Settings.Unusable(path, key: "", "\(error)")
        }
    }

    init(_ document: JSON5Document, path: String) {
        self.path = path
        self.document = document
    }

    func settings() throws -> Settings {
        do {
            return try Settings(document.value, path: path)
        } catch var error as Settings.Unusable {
            for index in error.mistakes.indices {
                error.mistakes[index].line = SettingKey(error.mistakes[index].key).flatMap(line)
            }
            error.mistakes.sort { ($0.line ?? 0) < ($1.line ?? 0) }
            throw error
        }
    }

    /// Of what is missing: the line of the object that it is missing in.
    func line(of key: SettingKey) -> Int? {
        var path = key.path
        while !path.isEmpty {
            if let line = document.line(of: path) { return line }
            path.removeLast()
        }
        return nil
    }

    /// What it names outside, each with the line that names it.
    func unusable(_ problems: [Settings.FileProblem]) -> Settings.Unusable {
        var unusable = Settings.Unusable(path)
        for problem in problems {
            unusable.add(
                problem.key, "\(problem.key): \(problem.sentence)",
                line: SettingKey(problem.key).flatMap(line))
        }
        return unusable
    }

    /// What is wrong in it; nothing where all is well.
    func mistakes() throws -> [Settings.Unusable.Mistake] {
        do {
            _ = try settings()
            return []
        } catch let error as Settings.Unusable {
            return error.mistakes
        }
    }
}

/// The way to a setting, as sentences and `config set` write it: `network.ssids."My.phone".limit`, `cameras[0].at`.
struct SettingKey: CustomStringConvertible {
    static let longest = 1000

    let description: String
    let path: [JSON5Step]

    /// Nothing where it is no way.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else { return nil }
        var path: [JSON5Step] = []
        var rest = text[...]
        while !rest.isEmpty {
            if rest.hasPrefix("[") {
                guard !path.isEmpty, let close = rest.firstIndex(of: "]"),
                    let index = Int(rest[rest.index(after: rest.startIndex)..<close]), index >= 0
                else { return nil }
                path.append(.index(index))
                rest = rest[rest.index(after: close)...]
            } else {
                if !path.isEmpty {
                    guard rest.removeFirst() == "." else { return nil }
                }
                guard let key = Self.key(&rest) else { return nil }
                path.append(.key(key))
            }
        }
        self.path = path
        description = text
    }

    /// A name with dots in it stands in quotes.
    private static func key(_ rest: inout Substring) -> String? {
        let key: Substring
        if rest.first == "\"" {
            let inner = rest.dropFirst()
            guard let close = inner.firstIndex(of: "\"") else { return nil }
            key = inner[..<close]
            rest = inner[inner.index(after: close)...]
        } else {
            key = rest.prefix { $0 != "." && $0 != "[" }
            rest = rest[key.endIndex...]
        }
        return key.isEmpty ? nil : String(key)
    }

    /// A name of the operator's as it is written between dots.
    static func spelled(_ name: String) -> String {
        name.contains { ".[\"".contains($0) } ? "\"\(name)\"" : name
    }
}
