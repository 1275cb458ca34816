import Bridge
import PTP
import Synchronization

/// What one connection teaches for the next one at the same place, and only its end can tell, when no session is
/// left to keep it in the ledger.
final class Experience: Sendable {
    struct Past: Equatable, Sendable {
        /// It has answered a probe.
        var answersProbes = false
        /// It was left while a list of its card had not come to its end: the card may be fuller than the last one.
        var endedInList = false
        /// And because it answered neither the list nor the probes meanwhile. It may be one that cannot do both at once:
        /// it has a list's whole time until it answers a probe in one.
        var wasDeafInCall = false
        /// It hung up right after a probe, and has never answered one: it is not probed any more.
        var hangsUpOnProbes = false
    }

    /// What one connection has shown when it is over.
    struct Lesson: Sendable {
        var hasAnsweredProbe = false
        var hasAnsweredProbeInCall = false
        var wasLostOverProbe = false
        /// Both links stood.
        var wasLetIn = false
        /// The system gave a link up because nothing was acknowledged any more: no goodbye has reached the body.
        var hasLinkTimedOut = false
        /// A list was begun, and one has not come to its end.
        var hasBegunList = false
        var endedInList = false
    }

    private struct Memory {
        var identity: CameraIdentity?
        var kind: BodyKind?
        var past = Past()
        var slotHeld: SlotHold?
        var fellSilent = false
        /// It let us in and said nothing more: some bodies hang that were not probed at once.
        var isProbedFirst = false
        /// It has said who it is, in the connection that stands.
        var isGreeted = false
        /// What bodies here have done that is not yet seen on a body, and the operator has not heard.
        var unsaid: [String] = []
    }

    /// A place for a client that is left alone.
    struct SlotHold: Equatable, Sendable {
        let until: Duration
        /// It is our own, from a connection that was lost. Otherwise the body has said that another client has it.
        let isOurs: Bool
    }

    private let memory = Mutex(Memory())

    /// Who answers now, and what is known of it from before.
    func of(_ identity: CameraIdentity, _ kind: BodyKind? = nil) -> Past {
        memory.withLock { memory in
            if memory.identity != identity { memory = Memory(identity: identity, unsaid: memory.unsaid) }
            memory.isGreeted = true
            memory.kind = kind
            return memory.past
        }
    }

    /// Which kind of body has answered here last; nothing before one has.
    var kind: BodyKind? { memory.withLock(\.kind) }

    /// A greeting that comes to nothing says nothing of the lists before it. `expected` is what was known of the body before
    /// it said who it is.
    func ended(_ ending: Ending?, _ lesson: Lesson, of expected: BodyKind? = nil, at now: Duration) {
        memory.withLock { memory in
            let wasGreeted = memory.isGreeted
            memory.isGreeted = false
            let isSilence = ending?.isSilence ?? false
            if [memory.kind, expected].contains(where: { $0?.holdsSlot == true }) {
                if wasGreeted || lesson.wasLetIn, isSilence || lesson.hasLinkTimedOut {
                    memory.slotHeld = SlotHold(until: now + BodyKind.nikonSlotHold, isOurs: true)
                } else if ending?.isForAnotherClient == true {
                    memory.slotHeld = SlotHold(until: now + BodyKind.nikonSlotHold, isOurs: false)
                }
            }
            if !wasGreeted, lesson.wasLetIn, isSilence { memory.isProbedFirst.toggle() }
            switch ending {
            // What is tried in vain says nothing of the body that was here.
            case nil, .notConfirmed, .unreachable, .nothingListens, .notAdmitted, .refused, .foreign: return
            default: break
            }
            guard wasGreeted else {
                memory.fellSilent = memory.fellSilent || isSilence
                return
            }
            memory.fellSilent = isSilence
            memory.past.learn(lesson, ending)
        }
    }

    /// "Send ProbeRequest on the event link right after InitEventAck, otherwise the session hangs": a body that nothing is
    /// known of is asked so once it has hung, and not any more when that was no help.
    var isProbedFirst: Bool { memory.withLock(\.isProbedFirst) }

    /// For the next connection, whichever body answers then.
    func leave(unsaid sentences: [String]) { memory.withLock { $0.unsaid = sentences } }

    func takeUnsaid() -> [String] {
        memory.withLock { memory in
            defer { memory.unsaid = [] }
            return memory.unsaid
        }
    }

    /// "If the FIN is lost the camera keeps its single slot ≥ 30 s; hammering it with Init in that window can wedge the
    /// firmware"; "too many clients: wait ≥ 30 s before the next Init".
    func slotIsHeld(at now: Duration) -> SlotHold? {
        memory.withLock(\.slotHeld).flatMap { now < $0.until ? $0 : nil }
    }

    /// What a person can do while there is no answer to the greeting.
    func adviceWhileSilent(of kind: BodyKind?) -> String {
        let name = kind?.name ?? "camera"
        return memory.withLock(\.fellSilent)
            ? "The \(name) fell silent before and has not answered since: press OK if its screen asks; if nothing on it reacts, switch it off and on."
            : kind?.words?.advice(on: .unanswered)
                ?? "The \(name) has not answered yet: look at its screen and press OK if it asks."
    }
}

extension Experience.Past {
    fileprivate mutating func learn(_ lesson: Experience.Lesson, _ ending: Ending?) {
        if lesson.hasAnsweredProbe { answersProbes = true }
        if lesson.wasLostOverProbe { hangsUpOnProbes = true }
        guard lesson.hasBegunList else { return }
        endedInList = lesson.endedInList
        if lesson.hasAnsweredProbeInCall { wasDeafInCall = false }
        if case .hung(_, .getObjectHandles) = ending, lesson.hasAnsweredProbe { wasDeafInCall = true }
    }
}

extension Ending {
    /// "Too many clients: InitFail 2, or OpenSession Device_Busy."
    fileprivate var isForAnotherClient: Bool {
        switch self {
        case .refused(.busy, _), .sessionRefused(.deviceBusy): true
        default: false
        }
    }

    fileprivate var isSilence: Bool {
        switch self {
        case .silent, .stalled, .hung: true
        case .closed, .cancelled, .unreachable, .nothingListens, .notAdmitted, .linkLost, .refused,
            .notConfirmed, .sessionRefused, .tooSlow, .foreign, .malformed, .misbehaved:
            false
        }
    }
}
