/// Whose counts a decision is about, where a guest's device and its address are counted.
struct DeviceSubject: Sendable {
    let device: String
    /// It has no cookie yet.
    let isNew: Bool
    let address: PeerKey
}
