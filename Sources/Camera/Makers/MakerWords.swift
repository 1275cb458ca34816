import PTP

/// What the person beside a body is told, in the words of its maker's menus: whole sentences, each of which names the body.
///
/// The table is complete: a maker has a sentence for each ``ConnectionTrouble`` that its bodies can have, so that nothing
/// is said in general words where more is known.
protocol MakerWords: Sendable {
    /// Where its connection to a computer is switched on.
    var howToConnect: String { get }
    /// Nothing for what cannot happen with such a body.
    func advice(on trouble: ConnectionTrouble) -> String?
    /// Nothing for an answer that says the same with every maker.
    func advice(on code: ResponseCode) -> String?
}

/// What can stand between a body and its photos, by what the person beside it can do.
enum ConnectionTrouble: CaseIterable, Sendable {
    /// It has not answered the greeting: it may show a question.
    case unanswered
    /// That was not confirmed in time, or nothing was shown.
    case notConfirmed
    /// It does not know who we are: InitFail 1.
    case stranger
    /// Another client has its only place: InitFail 2.
    case taken
    /// It refuses, and does not say why.
    case turnedAway
    /// No host answers at its address.
    case unreachable
    /// The host is there, and its PTP/IP port is closed.
    case notListening
    /// What stands before it wants another password or key.
    case notAdmitted
    /// A link broke off in the middle of something.
    case lost
    /// Its bytes come too slowly, or not at all.
    case slow
    /// It holds the connection and says nothing.
    case hung
    /// It hung up while nothing was asked of it.
    case asleep
}

extension Ending {
    /// Nothing where a person beside the body can do nothing about it, or it is no camera at all.
    var connectionTrouble: ConnectionTrouble? {
        switch self {
        case .refused(.rejectedInitiator, _): .stranger
        case .refused(.busy, _): .taken
        case .refused, .sessionRefused: .turnedAway
        case .notConfirmed: .notConfirmed
        case .unreachable: .unreachable
        case .nothingListens: .notListening
        case .notAdmitted: .notAdmitted
        case .linkLost: .lost
        case .stalled, .tooSlow: .slow
        case .silent, .hung: .hung
        case .closed, .cancelled, .foreign, .malformed, .misbehaved: nil
        }
    }
}

extension MakerWords {
    func advice(on ending: Ending) -> String? { ending.connectionTrouble.flatMap { advice(on: $0) } }
}
