import PTP
import PacketCapture

/// The camera of a recording: it greets as that one did, and its answers are that one's.
struct ReplayPersonality: Personality {
    let recording: Recording

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        guard let ack = recording.ack else {
            return StandardGreeting(name: settings.name, guid: settings.guid, seed: settings.seed, faults)
        }
        return StandardGreeting(ack, seed: settings.seed, faults)
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        ReplayBody(recording)
    }
}
