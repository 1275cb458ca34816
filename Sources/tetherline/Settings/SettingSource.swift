import Arguments
import Basics

/// What is said of one setting, in the file or on the command line. Each has its own sentences for what cannot be meant.
protocol SettingSource {
    /// What it says is kept, and is read by others.
    var isFile: Bool { get }
    func flag() throws -> Bool
    func text() throws -> String
    func texts() throws -> [String]
    func number(in range: ClosedRange<Int64>) throws -> Int
    func size(in range: ClosedRange<UInt64>) throws -> UInt64
    func time(in range: ClosedRange<Duration>) throws -> Duration
    func choice(of words: [String]) throws -> String
    /// It is not what is wanted here.
    func wrong(_ wanted: String) -> any Error
    /// It cannot be used, for the reason that this sentence gives.
    func problem(_ sentence: String) -> any Error
}

extension SettingSource {
    func word<Word: RawRepresentable & CaseIterable>() throws -> Word where Word.RawValue == String {
        try word(of: Array(Word.allCases))
    }

    func word<Word: RawRepresentable>(of words: [Word]) throws -> Word where Word.RawValue == String {
        let list = words.map(\.rawValue)
        let text = try choice(of: list)
        guard let word = Word(rawValue: text) else { throw wrong("one of \(list.joined(separator: ", "))") }
        return word
    }

    /// One or more of these.
    func words<Word: RawRepresentable & CaseIterable>() throws -> [Word] where Word.RawValue == String {
        let words = try texts().map { Word(rawValue: $0) }
        guard !words.isEmpty, !words.contains(where: { $0 == nil }) else {
            throw wrong("a list of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return words.compactMap { $0 }
    }
}

/// As `config.json5` says it.
struct FileValue: SettingSource {
    let value: JSONValue
    let key: String
    let path: String
    let isSecret: Bool
    var isFile: Bool { true }

    func wrong(_ wanted: String) -> any Error {
        mistake("\(key) is \(wanted)\(isSecret ? "" : ", not \(value.compact)").")
    }

    func problem(_ sentence: String) -> any Error {
        mistake("\(key): \(sentence)")
    }

    private func mistake(_ sentence: String) -> Settings.Unusable {
        Settings.Unusable(path, key: key, sentence)
    }

    func flag() throws -> Bool {
        guard let flag = value.bool else { throw wrong("true or false") }
        return flag
    }

    func text() throws -> String {
        guard let text = value.string else { throw wrong("a text") }
        return text
    }

    func texts() throws -> [String] {
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw wrong("a list of texts")
        }
        return texts.compactMap { $0 }
    }

    func number(in range: ClosedRange<Int64>) throws -> Int {
        guard let number = value.integer, range.contains(number) else {
            throw wrong("a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(number)
    }

    /// A bare number is bytes.
    func size(in range: ClosedRange<UInt64>) throws -> UInt64 {
        let size = value.string.flatMap { Values.size($0) } ?? value.integer.flatMap { UInt64(exactly: $0) }
        guard let size, range.contains(size) else {
            throw wrong("a size such as \"2GiB\" from \(range.lowerBound) to \(range.upperBound) bytes")
        }
        return size
    }

    func time(in range: ClosedRange<Duration>) throws -> Duration {
        guard let time = value.string.flatMap({ Values.duration($0) }), range.contains(time) else {
            throw wrong("a time such as \"10s\" from \(range.lowerBound) to \(range.upperBound)")
        }
        return time
    }

    func choice(of words: [String]) throws -> String {
        guard let text = value.string, words.contains(text) else {
            let near = value.string.flatMap { Nearest.to($0, among: words) }
            let suggestion = near.map { " Did you mean '\($0)'?" } ?? ""
            let found = isSecret ? "" : ", not \(value.compact)"
            throw mistake("\(key) is one of \(words.joined(separator: ", "))\(found).\(suggestion)")
        }
        return text
    }
}

/// As the command line says it.
struct OptionValue: SettingSource {
    let option: SettingOption
    let invocation: Invocation

    var isFile: Bool { false }
    private var name: String { option.name }

    func wrong(_ wanted: String) -> any Error {
        UsageError("--\(name) is \(wanted), not '\(invocation.value(name) ?? "")'.")
    }

    func problem(_ sentence: String) -> any Error { UsageError("--\(name): \(sentence)") }

    private func given<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw UsageError("--\(name) needs a value.") }
        return value
    }

    func flag() throws -> Bool { invocation.has(name) }
    func text() throws -> String { try given(invocation.value(name)) }
    func texts() throws -> [String] { invocation.all(name) }
    func number(in range: ClosedRange<Int64>) throws -> Int {
        try given(invocation.integer(name, in: Int(range.lowerBound)...Int(range.upperBound)))
    }
    func size(in range: ClosedRange<UInt64>) throws -> UInt64 { try given(invocation.size(name, in: range)) }
    func time(in range: ClosedRange<Duration>) throws -> Duration {
        try given(invocation.duration(name, in: range))
    }
    func choice(of words: [String]) throws -> String {
        if let word = option.word { return word }
        return try given(invocation.choice(name, of: words))
    }
}
