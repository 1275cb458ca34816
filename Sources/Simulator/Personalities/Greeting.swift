package import PTP

/// How a camera receives clients: what it says of itself, whom it lets in and when, and how long it puts up with what.
/// Lives as long as the camera does, so that one that pairs can remember whom it has let in.
package protocol Greeting: Sendable {
    /// Identity, limits, probes, the event link: what the protocol's machine has to know. Which operations bring data
    /// is the body's business.
    func conduct() -> Responder.Settings

    /// Whether this client is let in, and when.
    mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission

    /// What the next client that is let in is told.
    mutating func identity(_ faults: inout Faults) -> InitCommandAck

    /// The camera was off, and is on again: with it, the mode that its menu was in.
    mutating func switchedOn()
}

extension Greeting {
    package mutating func switchedOn() {}
}

package enum Admission: Equatable, Sendable {
    case now
    /// A person has to press OK, and takes so long.
    case after(Duration)
    case refused(InitFailReason)
    /// It has taken the connection, and does not say a word on it.
    case unanswered
}

/// What the standard has, and what a fault script makes of it.
package struct StandardGreeting: Greeting {
    package var ack: InitCommandAck
    private let settings: Responder.Settings
    private let seed: UInt64
    private var admitted: UInt64 = 0

    package init(name: String, guid: GUID, seed: UInt64, _ faults: Faults) {
        let number = faults.first(.connectionNumber)?.number("value") ?? 1
        self.init(
            InitCommandAck(connectionNumber: UInt32(truncatingIfNeeded: number), guid: guid, name: name),
            seed: seed, faults)
    }

    package init(_ ack: InitCommandAck, seed: UInt64, _ faults: Faults) {
        self.ack = ack
        self.seed = seed
        settings = Self.conduct(ack, faults)
    }

    private static func conduct(_ ack: InitCommandAck, _ faults: Faults) -> Responder.Settings {
        var responder = Responder.Settings(identity: ack)
        responder.idleLimit = faults.first(.sleep)?.duration("after")
        if let rule = faults.first(.probe) ?? faults.first(.probeOnCommand) {
            responder.probeInterval = rule.duration("every")
            responder.probeAnswerLimit = rule.duration("within") ?? responder.probeAnswerLimit
            responder.probesOnCommandLink = rule.name == .probeOnCommand
        }
        if let rule = faults.first(.ignoreProbes) {
            responder.answersProbes = rule.text("when") == "asked" ? .idle : .none
        }
        if let delay = faults.first(.lateProbes)?.duration("by") { responder.probeAnswerDelay = delay }
        if faults.first(.hangUpOnProbe) != nil { responder.answersProbes = .hangUp }
        if let limit = faults.first(.dropLateEventLink)?.duration("after") {
            responder.eventLinkLimit = limit
        }
        // A client that asks for the slot of a camera that lost its last one waits as long as the camera holds it.
        if let hold = faults.first(.lostFin)?.duration("hold") { responder.probeAnswerLimit = hold }
        return responder
    }

    package func conduct() -> Responder.Settings { settings }

    package mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission {
        if let wanted = faults.first(.demandGUID)?.text("value"), GUID(text: wanted) != request.guid {
            return .refused(.rejectedInitiator)
        }
        if let rule = faults.take(.initFail) {
            return .refused(InitFailReason(rawValue: UInt32(truncatingIfNeeded: rule.number("reason") ?? 1)))
        }
        return faults.take(.holdAck)?.duration("for").map { .after($0) } ?? .now
    }

    package mutating func identity(_ faults: inout Faults) -> InitCommandAck {
        admitted += 1
        var ack = ack
        if faults.take(.unstableGUID) != nil {
            // Drawn apart from what else is left to chance, which would come out otherwise.
            var random = Mixer(Mixer.mix(seed) &+ admitted)
            ack.guid = GUID(random: &random)
        }
        return ack
    }
}
