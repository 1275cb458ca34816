import PTP

/// A Sony body: in PC Remote mode, where it gives its photos out of its memory, or in one of the modes that show its card.
struct SonyPersonality: Personality {
    let model: SonyModel
    let card: VirtualCard

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        let number = faults.first(.connectionNumber)?.number("value") ?? 1
        var ack = InitCommandAck(
            connectionNumber: UInt32(truncatingIfNeeded: number), guid: settings.guid, name: settings.name)
        if model.omitsVersion { ack.version = nil }
        return SonyReception(StandardGreeting(ack, seed: settings.seed, faults), faults)
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        SonyBody(model: model, card: card, localSeconds: settings.localSeconds, &faults)
    }
}
