public import Link
public import Posix

/// A link whose bytes are also recorded, from either end.
public final class RecordingLink: ByteLink {
    private let inner: any ByteLink
    private let connection: RecordedConnection
    private let outgoing: RecordedConnection.Direction

    public var peer: String { inner.peer }

    /// `isClient` says whether this end opened the connection.
    public init(
        _ inner: any ByteLink, _ recorder: Recorder, local: IPEndpoint, remote: IPEndpoint, isClient: Bool
    ) {
        self.inner = inner
        connection = recorder.connection(client: isClient ? local : remote, server: isClient ? remote : local)
        outgoing = isClient ? .toServer : .toClient
    }

    private var incoming: RecordedConnection.Direction { outgoing == .toServer ? .toClient : .toServer }

    public func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError)
        -> Int
    {
        let count: Int
        do throws(LinkError) {
            count = try await inner.receive(into: buffer, range, spill: spill)
        } catch {
            if case .reset = error { connection.closed(incoming, isReset: true) }
            throw error
        }
        if count == 0 { connection.closed(incoming, isReset: false) }
        let first = min(count, range.count)
        let memory = UnsafeRawBufferPointer(buffer.memory)
        connection.moved(
            UnsafeRawBufferPointer(rebasing: memory[range.lowerBound..<range.lowerBound + first]), incoming)
        if let spill, count > first {
            connection.moved(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(spill.memory)[..<(count - first)]),
                incoming)
        }
        return count
    }

    public func send(_ pieces: [Piece]) async throws(LinkError) {
        // What goes out is recorded first: the answer to it must not stand before it in the file.
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): bytes.withUnsafeBytes { connection.moved($0, outgoing) }
            case .buffer(let buffer, let range):
                connection.moved(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.memory)[range]), outgoing)
            }
        }
        try await inner.send(pieces)
    }

    public func close(_ manner: LinkClosing) {
        connection.closed(outgoing, isReset: manner == .reset)
        inner.close(manner)
    }
}
