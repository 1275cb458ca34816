import Bridge
import Synchronization

/// Says what one body does that is not yet seen on a body: each at most once in a connection.
///
/// What is met where no remark is read, in a greeting that fails or on leaving, is said in the next one.
final class UnseenRemarks: Sendable {
    private struct State {
        var met: Set<Unseen> = []
        /// The connection is used: its remarks are read.
        var isUsed = false
        var unsaid: [String]
    }

    private let body: String
    private let changes: CameraChanges
    private let state: Mutex<State>

    /// More than one body can do. At one place others may have been before it.
    static let mostUnsaid = 32

    init(on body: String, _ changes: CameraChanges, before unsaid: [String] = []) {
        (self.body, self.changes) = (body, changes)
        state = Mutex(State(unsaid: unsaid))
    }

    func met(_ conduct: Unseen, _ detail: String? = nil) {
        let sentence: String? = state.withLock { state in
            guard state.met.insert(conduct).inserted else { return nil }
            let sentence = conduct.sentence(on: body, detail)
            if state.isUsed { return sentence }
            if !state.unsaid.contains(sentence), state.unsaid.count < Self.mostUnsaid {
                state.unsaid.append(sentence)
            }
            return nil
        }
        sentence.map { changes.push(.remark($0)) }
    }

    /// The connection is used from now on.
    func usingBegins() {
        let unsaid = state.withLock { state in
            defer { (state.isUsed, state.unsaid) = (true, []) }
            return state.unsaid
        }
        for sentence in unsaid { changes.push(.remark(sentence)) }
    }

    /// It is not used any more.
    func usingEnds() { state.withLock { $0.isUsed = false } }

    /// What has not been said.
    var unsaid: [String] { state.withLock(\.unsaid) }
}
