import PTP

/// A camera of no maker: what the standard says, with a card, a shutter, and notices pushed as Event packets.
struct GenericPersonality: Personality {
    let card: VirtualCard

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        VirtualBody(card: card, traits: .generic, localSeconds: settings.localSeconds, &faults)
    }
}

extension CameraTraits {
    static let generic = CameraTraits(
        operations: .standard,
        // "often 6 or 0xFFFFFFFF over PTP/IP": the manufacturer's name is what tells cameras apart.
        vendorExtensionID: 0xFFFF_FFFF, vendorExtensionVersion: 100,
        events: [
            .objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .devicePropChanged, .objectInfoChanged,
            .storeFull, .captureComplete, .unreportedStatus,
        ])
}
