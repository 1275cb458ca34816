import Bridge
import PTP
import Synchronization

/// What one connection teaches for the next one at the same place, and only its end can tell: there is nobody left to
/// keep it in the ledger then.
final class Experience: Sendable {
    struct Past: Equatable, Sendable {
        /// It has answered a probe.
        var answersProbes = false
        /// It was left while a list of its card had not come to its end: the card may be fuller than the last one.
        var endedInList = false
        /// And because it answered neither the list nor the probes meanwhile. It may be one that cannot do both at once:
        /// it has a list's whole time until it answers a probe in one.
        var wasDeafInCall = false
    }

    private struct Memory {
        var identity: CameraIdentity?
        var past = Past()
        var fellSilent = false
    }

    private let memory = Mutex(Memory())

    /// Who answers now, and what is known of it from before.
    func of(_ identity: CameraIdentity) -> Past {
        memory.withLock { memory in
            if memory.identity != identity { memory = Memory(identity: identity) }
            return memory.past
        }
    }

    func ended(_ ending: Ending?, hasAnsweredProbe: Bool, inList: Bool) {
        memory.withLock { memory in
            switch ending {
            // What is tried in vain says nothing of the body that was here.
            case nil, .notConfirmed, .unreachable, .nothingListens, .refused, .foreign: return
            case .hung(_, let operation):
                memory.fellSilent = true
                memory.past.wasDeafInCall = hasAnsweredProbe && operation == .getObjectHandles
            default:
                memory.fellSilent = ending?.isSilence ?? false
                memory.past.wasDeafInCall = false
            }
            if hasAnsweredProbe { memory.past.answersProbes = true }
            memory.past.endedInList = inList
        }
    }

    /// What a person can do while there is no answer to the greeting.
    var adviceWhileSilent: String {
        memory.withLock(\.fellSilent)
            ? "it fell silent before and has not answered since: press OK if its screen asks; if nothing on it reacts, switch it off and on"
            : "look at the camera's screen and press OK if it asks"
    }
}

extension Ending {
    fileprivate var isSilence: Bool {
        switch self {
        case .silent, .stalled, .hung: true
        case .closed, .cancelled, .unreachable, .nothingListens, .linkLost, .refused, .notConfirmed,
            .sessionRefused, .tooSlow, .foreign, .malformed, .misbehaved:
            false
        }
    }
}
