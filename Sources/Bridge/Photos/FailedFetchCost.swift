/// What one photo has cost so far without having become a file.
public struct FailedFetchCost: Equatable, Sendable {
    /// Connections that ended while the camera was asked for it.
    public var connections: Int
    /// Bytes that came for it.
    public var bytes: UInt64
    public var time: Duration

    public init(connections: Int = 0, bytes: UInt64 = 0, time: Duration = .zero) {
        self.connections = connections
        self.bytes = bytes
        self.time = time
    }

    public static let none = FailedFetchCost()
}
