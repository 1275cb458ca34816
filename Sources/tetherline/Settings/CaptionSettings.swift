import Arguments
import Basics
import Bridge
import Captions
import Posix
import Store
import Upload

/// What is said about photos: `captions`.
struct CaptionSettings {
    var book = CaptionBook()
    /// The roster's file, as it was written; nothing where there are no codes.
    var roster: String?
    var delimiter: Unicode.Scalar = "\\"
    /// The operator's own variables.
    var constants: [String: String] = [:]

    private static let mostConstants = 50
    private static let longestConstant = 1_000

    /// Why a file is no roster, with its path.
    struct UnusableRoster: Error, CustomStringConvertible {
        let description: String
    }

    /// What a file of codes is; nothing where none is named.
    func readRoster() throws -> CodeRoster {
        guard let roster, let path = Directory.absolute(roster) else { return CodeRoster() }
        let bytes = try ReadableFile.contents(of: path, limit: CodeRoster.mostBytes)
        do throws(CodeRoster.Invalid) {
            return try CodeRoster(bytes)
        } catch {
            throw UnusableRoster(description: "\(path): \(error)")
        }
    }

    /// Why it cannot be used; nothing where all is well.
    var rosterProblem: String? {
        do {
            _ = try readRoster()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Reading them

    /// In this order: templates go by the delimiter and the variables.
    static var table: [Setting<Settings>] {
        [
            Setting("roster", \.captions.roster) { try $0.text() },
            Setting(
                "delimiter", \.captions.delimiter, shown: { .string(String(Character($0))) },
                { try delimiter($0) }),
            Setting("variables", \.captions.constants) { try constants($0) },
        ]
            + CaptionField.allCases.map { field in
                Setting(field.rawValue) { settings, source in
                    settings.captions.book.fields[field] = try settings.captions.templates(field, source)
                }
            } + [
                .objects("rules") { settings, object in
                    try settings.captions.addRule(object)
                }
            ]
    }

    private static func delimiter(_ source: any SettingSource) throws -> Unicode.Scalar {
        let text = try source.text()
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, scalar.isASCII,
            !scalar.properties.isAlphabetic, !scalar.properties.isWhitespace,
            !"{}#\"".unicodeScalars.contains(scalar),
            !("0"..."9").contains(scalar)
        else {
            throw source.wrong("one character such as \"\\\\\" or \"=\" that is no letter, digit, brace or #")
        }
        return scalar
    }

    private static func constants(_ source: any SettingSource) throws -> [String: String] {
        var constants: [String: String] = [:]
        for text in try source.texts() {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, text.utf8.count <= longestConstant,
                parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
            else { throw source.wrong("a list of texts such as \"venue=Wembley Stadium\"") }
            constants[String(parts[0])] = String(parts[1])
        }
        guard constants.count <= mostConstants else {
            throw source.wrong("a list of at most \(mostConstants)")
        }
        return constants
    }

    private func templates(
        _ field: CaptionField, _ source: any SettingSource
    ) throws -> [CaptionTemplate] {
        let texts = field.isList ? try source.texts() : [try source.text()]
        guard texts.count <= CaptionBook.mostKeywords else {
            throw source.wrong("a list of at most \(CaptionBook.mostKeywords) texts")
        }
        return try texts.map { text in
            do throws(CaptionTemplate.Invalid) {
                return try CaptionTemplate(text, delimiter: delimiter, constants: constants)
            } catch {
                throw source.problem("\(error).")
            }
        }
    }

    /// One object of `captions.rules`.
    private mutating func addRule(_ object: SettingsObject) throws {
        guard book.rules.count < CaptionBook.mostRules else {
            throw object.unusable(
                "event", "is one too many; there are at most \(CaptionBook.mostRules) rules")
        }
        var rule = CaptionRule()
        let settings = self
        let fields = CaptionField.allCases.map { field in
            Setting<CaptionRule>(field.rawValue) { rule, source in
                rule.fields[field] = try settings.templates(field, source)
            }
        }
        try object.read(
            [
                Setting("event", \.event) { try $0.text() }, Setting("camera", \.camera) { try $0.text() },
                Setting("from", \.from) { try Self.moment($0) },
                Setting("until", \.until) { try Self.moment($0) },
            ] + fields, into: &rule)
        guard !rule.fields.isEmpty else {
            throw object.unusable("caption", "is missing, or another text: the rule says nothing")
        }
        book.rules.append(rule)
    }

    private static func moment(_ source: any SettingSource) throws -> CaptionMoment {
        guard let moment = CaptionMoment(try source.text()) else {
            throw source.wrong("a time such as 18:30, or 2026-11-21T18:30")
        }
        return moment
    }
}

extension CaptionSettings {
    /// What keeps captions from being written, said when a run begins: it goes on without them.
    func problem(at destinations: [any Destination]) -> String? {
        let wanting = destinations.filter { $0.url.contains("metadata=iptc") }.map(\.url)
        guard let url = wanting.first else { return nil }
        if book.isEmpty {
            return
                "\(url) asks for captions, and the settings say nothing about photos: 'captions' in them does"
        }
        return rosterProblem.map {
            "photos go without their captions until the roster is there: captions.roster: \($0)"
        }
    }

    /// What makes copies with captions for an event; nothing where nothing is said about photos.
    func desk(for event: BridgeEvent, in home: Home, _ threads: Threads) throws -> CaptionDesk? {
        book.isEmpty ? nil : try CaptionDesk(self, event, home, threads)
    }
}
