import Basics
import Web

/// The texts of scripts: a file for each of these parts and each language, "wall-de.js", which `text.js` loads.
enum ScriptWords: String, CaseIterable {
    /// What the guests' page has from the beginning.
    case wall
    /// What it has for guests who pick photos and take them home.
    case picks
    /// What it has for guests who open a photo to which the hosts take hearts and comments.
    case hearts
    /// What it has for guests who open a video.
    case video
    /// What it has for guests who bring photos, or see one that a guest brought.
    case bring
    /// The screen in the hall.
    case show

    static let assets: [Asset] = allCases.flatMap { part in Language.allCases.map(part.asset) }

    func name(_ language: Language) -> String { "\(rawValue)-\(language.code).js" }

    /// All of its language whose keys begin with the name of the part.
    private func asset(_ language: Language) -> Asset {
        let texts = Words.of(language).texts.filter { $0.key.hasPrefix("\(rawValue).") }
        let object = JSONValue.object(texts.map { ($0.key, .string($0.text)) })
        return Asset(name(language), .script, Array("export default \(object.compact);\n".utf8))
    }
}
