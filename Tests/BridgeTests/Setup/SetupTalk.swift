import Bridge
import Testing

/// A setup played from a table: what it is to ask or to do next, and what is typed or comes of it.
struct SetupTalk {
    enum Turn: Sendable {
        /// A question that holds these words, and what is typed.
        case asks(String, types: String)
        /// Work, and what came of it.
        case does(SetupConversation.Work, comes: SetupConversation.Happening)
    }

    private(set) var conversation: SetupConversation
    private(set) var told: [String] = []
    private(set) var hasEnded = false
    private var next: SetupConversation.Action?

    init(_ standing: SetupStanding = SetupStanding(), _ steps: [SetupStep] = []) {
        conversation = SetupConversation(standing, steps: steps)
        take(conversation.begin())
    }

    /// What is told goes before the one thing that is waited for, and that is the last.
    private mutating func take(_ actions: [SetupConversation.Action]) {
        for case .tell(let line) in actions { told.append(line) }
        next = actions.last
        hasEnded = next == .end
        let others = actions.dropLast().filter { if case .tell = $0 { false } else { true } }
        #expect(others.isEmpty, "\(others)")
    }

    mutating func play(_ turns: [Turn], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for turn in turns {
            switch (turn, next) {
            case (.asks(let words, let line), .ask(let question)):
                #expect(question.text.contains(words), "\(question.text)", sourceLocation: sourceLocation)
                take(conversation.handle(.answered(line)))
            case (.does(let work, let happening), .perform(let wanted)):
                #expect(wanted == work, sourceLocation: sourceLocation)
                take(conversation.handle(happening))
            default:
                Issue.record(
                    "\(turn) where there is \(String(describing: next))", sourceLocation: sourceLocation)
                throw Lost()
            }
        }
    }

    struct Lost: Error {}

    /// The question that waits.
    var question: SetupQuestion? { if case .ask(let question) = next { question } else { nil } }
    var text: String { told.joined(separator: "\n") }
}
