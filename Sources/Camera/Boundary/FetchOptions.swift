public import Digest

/// Where a photo's bytes go, and how long to wait for them.
public struct FetchOptions: Sendable {
    public var sink: any PayloadSink
    /// Fed beside the sink, on a thread of its own.
    public var hasher: SHA256?
    public var workers: PhotoWorkers
    /// How long not a byte may come; the driver's usual limit unless said.
    public var noProgress: Duration?
    /// Told how many bytes have just come.
    public var onMoved: @Sendable (UInt64) -> Void

    public init(
        into sink: any PayloadSink, hasher: SHA256? = nil, workers: PhotoWorkers, noProgress: Duration? = nil,
        onMoved: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) {
        self.sink = sink
        self.hasher = hasher
        self.workers = workers
        self.noProgress = noProgress
        self.onMoved = onMoved
    }
}
