extension Responder {
    /// A link that is not part of the connection yet.
    enum Guest: Equatable, Sendable {
        /// Has said nothing. Left by its first packet or the deadline.
        case expectingInit(until: Duration)
        /// Has asked to come in while another holds the camera; that one is being asked whether it is still
        /// there. Left by its answer, or by its silence.
        case waitingForSlot(InitCommandRequest, until: Duration)
        /// The body or a person decides. Left by `admit` or `refuse`, with no limit of ours: that is the
        /// client's timeout.
        case waitingForAdmission(InitCommandRequest)

        var hasSaidNothing: Bool {
            switch self {
            case .expectingInit: true
            case .waitingForSlot, .waitingForAdmission: false
            }
        }

        var deadline: Duration? {
            switch self {
            case .expectingInit(let until), .waitingForSlot(_, let until): until
            case .waitingForAdmission: nil
            }
        }
    }

    struct ProbeAnswer: Equatable, Sendable {
        let link: LinkID
        let at: Duration
    }

    /// The client that holds the camera.
    struct Connection: Equatable, Sendable {
        enum EventLink: Equatable, Sendable {
            /// Acked on the command link. Left when the event link names our number, or by the deadline, which is only
            /// where there has to be one.
            case expected(until: Duration?)
            case standing(LinkID)
        }

        let client: InitCommandRequest
        let commandLink: LinkID
        var events: EventLink
        var session: UInt32?
        var exchange: Exchange?
        /// A request that came before the last one was answered; more than one is too many.
        var waitingRequest: OperationRequest?
        var expectedTransaction: TransactionID?
        var lastRequestAt: Duration
        var lastProbeAt: Duration
        /// Set while an answer to a probe is owed.
        var probeAskedAt: Duration?
        /// What is answered late of the client's own, the oldest first.
        var probeAnswersDue: [ProbeAnswer] = []

        var eventLink: LinkID? {
            switch events {
            case .expected: nil
            case .standing(let link): link
            }
        }

        func deadlines(_ settings: Settings) -> [Duration] {
            var all: [Duration] = []
            if case .expected(let until?) = events { all.append(until) }
            if let probeAskedAt {
                all.append(probeAskedAt + settings.probeAnswerLimit)
            } else if let interval = settings.probeInterval, eventLink != nil {
                all.append(lastProbeAt + interval)
            }
            if let limit = settings.idleLimit, exchange == nil { all.append(lastRequestAt + limit) }
            if let until = exchange?.answerCancelAt { all.append(until) }
            if let next = probeAnswersDue.first { all.append(next.at) }
            return all
        }
    }

    /// One transaction, from request to response.
    struct Exchange: Equatable, Sendable {
        enum Phase: Equatable, Sendable {
            /// Start Data of the client has not come. Left by it.
            case expectingData
            /// Left by End Data.
            case receivingData
            /// The body works. Left by its answer.
            case performing
            /// Left by `dataSent` or `dataStopped`.
            case sendingData(Answer)
            /// Everything has stopped, only the copy of the Cancel on the command link is missing.
            case expectingCancelCopy
        }

        let request: OperationRequest
        var phase: Phase
        var collected: [UInt8] = []
        /// What the headers of the client's data packets promised so far, and whether that was the last.
        var announcedOut = 0
        var sawEndOfData = false
        var isCancelled = false
        var sawCancelOnCommandLink = false
        var answerCancelAt: Duration?
    }
}

extension Responder.Parting: CustomStringConvertible {
    public var description: String {
        switch self {
        case .linkLost: "its connection ended"
        case .refused(let reason): "refused: \(reason)"
        case .silent(let step): "nothing came during \(step)"
        case .misbehaved(let conduct): conduct
        case .malformed(let bytes): "\(bytes)"
        case .asleep: "it asked for nothing, and the camera went to sleep"
        case .replaced: "another client came, and this one did not say that it is still there"
        }
    }
}
