/// A question of the setup, and what an answer to it means.
public struct SetupQuestion: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// Enter alone means `usual`.
        case yesOrNo(usual: Bool)
        /// One of so many that were listed; Enter alone means `usual`, other words mean themselves where they may.
        case oneOf(Int, usual: Int?, orWords: Bool)
        /// Words; Enter alone means `usual`.
        case words(usual: String?)
        /// Nothing is asked but to go on.
        case enter
    }

    public let text: String
    public let kind: Kind
    /// More than that was pasted by mistake.
    static let longestAnswer = 1000

    init(_ text: String, _ kind: Kind) {
        self.text = text
        self.kind = kind
    }

    /// With what may be typed.
    public var prompt: String {
        switch kind {
        case .yesOrNo(let usual): "\(text) [\(usual ? "Y/n" : "y/N")] "
        case .oneOf(_, let usual?, _): "\(text) [\(usual)] "
        case .words(let usual?): "\(text) [\(usual)] "
        case .oneOf(_, nil, _), .words(nil), .enter: "\(text) "
        }
    }

    /// Nothing for what is no answer to it.
    func answer(_ line: String) -> SetupAnswer? {
        guard line.count <= Self.longestAnswer else { return nil }
        let word = Self.trimmed(line)
        let small = word.lowercased()
        if let way = way(small) { return way }
        switch kind {
        case .yesOrNo(let usual):
            switch small {
            case "": return usual ? .yes : .no
            case "y", "yes": return .yes
            case "n", "no": return .no
            default: return nil
            }
        case .oneOf(let count, let usual, let mayBeWords):
            if word.isEmpty { return usual.map { .number($0) } ?? (mayBeWords ? .words("") : nil) }
            if let number = Int(word) { return (1...max(count, 1)).contains(number) ? .number(number) : nil }
            return mayBeWords ? .words(word) : nil
        case .words(let usual): return .words(word.isEmpty ? usual ?? "" : word)
        case .enter: return .yes
        }
    }

    /// One letter is a way out only where no name is asked for.
    private func way(_ word: String) -> SetupAnswer? {
        switch word {
        case "skip": return .skip
        case "quit": return .quit
        case "s", "q":
            if case .words = kind { return nil }
            return word == "s" ? .skip : .quit
        default: return nil
        }
    }

    /// What is said when an answer was none.
    var hint: String {
        let what =
            switch kind {
            case .yesOrNo: "'y' or 'n'"
            case .oneOf(let count, _, let mayBeWords):
                "a number from 1 to \(count)" + (mayBeWords ? ", or what you mean in words" : "")
            case .words: "at most \(Self.longestAnswer) characters"
            case .enter: "Enter"
            }
        return "Type \(what); 'skip' leaves this step for later, 'quit' ends the setup."
    }

    private static func trimmed(_ line: String) -> String {
        let start = line.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// An answer as it is meant.
enum SetupAnswer: Equatable, Sendable {
    case yes
    case no
    case number(Int)
    case words(String)
    /// The step is left for later.
    case skip
    /// The whole setup is.
    case quit
}
