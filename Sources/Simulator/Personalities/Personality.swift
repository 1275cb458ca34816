/// What kind of camera a simulated one is: everything in which the bodies of two makers differ on the wire.
///
/// A value that makes what a camera needs. The driver (``SimulatedCamera``) moves bytes and time, `PTP.Responder` knows
/// what the standard says, the fault script spoils what any of them would have done; what is left is decided here. A
/// personality of a maker's own is a folder beside `Generic`, and a line in ``CameraModel``.
package protocol Personality: Sendable {
    /// How the bytes of one link become packets; asked for once for each link.
    func framing() -> any Framing

    /// How clients are received; made when the camera is.
    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting

    /// What stands behind the protocol: what operations mean, and what the camera tells by itself.
    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody
}

extension Personality {
    package func framing() -> any Framing { StandardFraming() }

    package func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        StandardGreeting(name: settings.name, guid: settings.guid, seed: settings.seed, faults)
    }
}

/// Any body behind a camera that is otherwise like the standard.
struct BodyPersonality: Personality {
    let behind: any CameraBody

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody { behind }
}
