import PTP

/// EOS bodies: a queue that has to be asked for, a connection that lets in the computer it was made with, and nothing but
/// "please ask" on the event link.
struct CanonPersonality: Personality {
    let kind: CanonModel
    let card: VirtualCard

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        CanonGreeting(settings, faults)
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        let plain = VirtualBody(
            card: card, traits: kind.traits, localSeconds: settings.localSeconds, &faults)
        return CanonBody(kind, plain, faults)
    }
}

/// "The GUID is stored in that Wi-Fi setting; later only that GUID is let in": the first client's.
private struct CanonGreeting: Greeting {
    private var standard: StandardGreeting
    private var paired: GUID?

    init(_ settings: SimulatedCamera.Settings, _ faults: Faults) {
        // "Eight zeros, 00 01, then the MAC."
        let mac = settings.guid.bytes.suffix(6)
        let guid = GUID([0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + mac) ?? settings.guid
        standard = StandardGreeting(name: settings.name, guid: guid, seed: settings.seed, faults)
    }

    func conduct() -> Responder.Settings {
        var responder = standard.conduct()
        // "Drops the command link if the event link is not opened within a few seconds."
        responder.eventLinkLimit = min(responder.eventLinkLimit, .seconds(3))
        return responder
    }

    mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission {
        let admission = standard.admission(of: request, &faults)
        guard admission != .refused(.rejectedInitiator), (paired ?? request.guid) == request.guid else {
            return .refused(.rejectedInitiator)
        }
        if case .refused = admission { return admission }
        paired = request.guid
        return admission
    }

    mutating func identity(_ faults: inout Faults) -> InitCommandAck { standard.identity(&faults) }
}
