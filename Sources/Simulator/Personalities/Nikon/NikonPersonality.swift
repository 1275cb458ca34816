import PTP
import Synchronization

/// A Nikon, from a D7200 to a Z 8.
struct NikonPersonality: Personality {
    let card: VirtualCard
    let model: NikonModel
    /// Whom it has paired with. Known to those who let clients in and to those who work for them.
    private let profiles = NikonProfiles()

    init(card: VirtualCard, model: NikonModel) {
        self.card = card
        self.model = model
    }

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        NikonGreeting(
            standard: StandardGreeting(
                name: settings.name, guid: settings.guid, seed: settings.seed, faults),
            model: model, profiles: profiles)
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        NikonBody(
            inner: VirtualBody(
                card: card, traits: model.traits(isPaired: true), localSeconds: settings.localSeconds, &faults
            ),
            model: model, profiles: profiles)
    }
}

/// Whom a body has paired with, and who is there.
final class NikonProfiles: Sendable {
    private struct Memory {
        var paired: Set<GUID> = []
        var client: GUID?
    }

    private let memory = Mutex(Memory())

    func met(_ client: GUID) { memory.withLock { $0.client = client } }

    /// The client that is there may come back.
    func keep() { memory.withLock { memory in memory.client.map { _ = memory.paired.insert($0) } } }

    var knowsClient: Bool { memory.withLock { memory in memory.client.map(memory.paired.contains) ?? false } }
    var isEmpty: Bool { memory.withLock { $0.paired.isEmpty } }
    func knows(_ client: GUID) -> Bool { memory.withLock { $0.paired.contains(client) } }
}

/// "per-GUID profile": a body that has paired lets in whom it has paired with.
struct NikonGreeting: Greeting {
    var standard: StandardGreeting
    let model: NikonModel
    let profiles: NikonProfiles

    func conduct() -> Responder.Settings {
        var conduct = standard.conduct()
        conduct.idleLimit = conduct.idleLimit ?? model.idleLimit
        return conduct
    }

    mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission {
        let admission = standard.admission(of: request, &faults)
        if case .refused = admission { return admission }
        let isKnown = faults.has(.nikonPaired) || profiles.isEmpty || profiles.knows(request.guid)
        if model.ritual == .pairing, !isKnown { return .refused(.rejectedInitiator) }
        profiles.met(request.guid)
        if faults.has(.nikonPaired) { profiles.keep() }
        return admission
    }

    mutating func identity(_ faults: inout Faults) -> InitCommandAck { standard.identity(&faults) }
}
