import PTP
import Posix
import Synchronization

/// One TCP connection of a recording: gets the bytes of both directions and writes the segments that could have
/// carried them.
public final class RecordedConnection: Sendable {
    public enum Direction: Sendable {
        case toServer
        case toClient
    }

    private struct State {
        var client: SegmentWriter
        var server: SegmentWriter
        var fromClient = PacketSplitter()
        var fromServer = PacketSplitter()
        /// Whether the data of the transaction under way is a photo.
        var isPhoto = false
        var isClosed = false
    }

    private let recorder: Recorder
    private let state: Mutex<State>

    init(_ recorder: Recorder, client: IPEndpoint, server: IPEndpoint) {
        self.recorder = recorder
        // Numbers that any stack could have chosen; the same for the same connection.
        let first = UInt32(client.port) << 16 | UInt32(server.port)
        var state = State(
            client: SegmentWriter(from: client, to: server, initialSequence: first),
            server: SegmentWriter(from: server, to: client, initialSequence: ~first))
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var frames = [state.client.segment(.syn, acknowledging: 0, payload: nothing)]
        frames.append(
            state.server.segment([.syn, .ack], acknowledging: state.client.sequence, payload: nothing))
        frames.append(state.client.segment(.ack, acknowledging: state.server.sequence, payload: nothing))
        for frame in frames { recorder.write(frame.frame, lengthOnWire: frame.lengthOnWire) }
        self.state = Mutex(state)
    }

    /// Bytes that went over the link, in order.
    public func moved(_ bytes: UnsafeRawBufferPointer, _ direction: Direction) {
        state.withLock { state in
            guard !state.isClosed else { return }
            var framer = direction == .toServer ? state.fromClient : state.fromServer
            var out = SegmentCollector(recorder.leavesOutPhotos)
            framer.feed(bytes) { out.take($0, &state.isPhoto) }
            out.flush()
            switch direction {
            case .toServer: state.fromClient = framer
            case .toClient: state.fromServer = framer
            }
            for segment in out.segments { write(segment, direction, &state) }
        }
    }

    private func write(_ segment: SegmentCollector.Segment, _ direction: Direction, _ state: inout State) {
        var rest = segment.bytes[...]
        var left = segment.length
        repeat {
            let count = min(left, SegmentWriter.longestPayload)
            // Left-out payload is counted, not kept: any memory of that length will do.
            let frame = rest.prefix(count).withUnsafeBytes { captured in
                segment.isCaptured
                    ? Self.emit(captured, direction, &state, captures: true)
                    : Self.silence.withUnsafeBytes {
                        Self.emit(
                            UnsafeRawBufferPointer(rebasing: $0[..<count]), direction, &state, captures: false
                        )
                    }
            }
            recorder.write(frame.frame, lengthOnWire: frame.lengthOnWire)
            rest = rest.dropFirst(count)
            left -= count
        } while left > 0
    }

    private static let silence = [UInt8](repeating: 0, count: SegmentWriter.longestPayload)

    private static func emit(
        _ bytes: UnsafeRawBufferPointer, _ direction: Direction, _ state: inout State, captures: Bool
    ) -> (frame: [UInt8], lengthOnWire: Int) {
        switch direction {
        case .toServer:
            state.client.segment(
                [.psh, .ack], acknowledging: state.server.sequence, payload: bytes, captures: captures)
        case .toClient:
            state.server.segment(
                [.psh, .ack], acknowledging: state.client.sequence, payload: bytes, captures: captures)
        }
    }

    /// The connection's end: an orderly one by both sides, or a break.
    public func closed(_ direction: Direction, isReset: Bool) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            func add(_ flags: TCPSegment.Flags, fromClient: Bool) {
                let frame =
                    fromClient
                    ? state.client.segment(flags, acknowledging: state.server.sequence, payload: nothing)
                    : state.server.segment(flags, acknowledging: state.client.sequence, payload: nothing)
                recorder.write(frame.frame, lengthOnWire: frame.lengthOnWire)
            }
            let clientFirst = direction == .toServer
            if isReset { return add([.rst, .ack], fromClient: clientFirst) }
            add([.fin, .ack], fromClient: clientFirst)
            add([.fin, .ack], fromClient: !clientFirst)
            add(.ack, fromClient: clientFirst)
        }
    }
}

/// Turns pieces of a stream into segments: each packet begins one, and payload follows its header in the same one
/// as far as it came in the same call.
private struct SegmentCollector {
    struct Segment {
        var bytes: [UInt8]
        /// Of what is not captured only the length is known.
        var length: Int
        let isCaptured: Bool
    }

    private let leavesOutPhotos: Bool
    private(set) var segments: [Segment] = []
    private var open: [UInt8] = []

    init(_ leavesOutPhotos: Bool) {
        self.leavesOutPhotos = leavesOutPhotos
    }

    mutating func take(_ piece: PacketSplitter.Piece, _ isPhoto: inout Bool) {
        switch piece {
        case .packet(let bytes, let type):
            flush()
            if type == .operationRequest, bytes.count >= 14 {
                let code = OperationCode(rawValue: UInt16(bytes[12]) | UInt16(bytes[13]) << 8)
                isPhoto = code.carriesObjectBytes
            }
            open = bytes
        case .payload(let bytes) where isPhoto && leavesOutPhotos:
            flush()
            segments.append(Segment(bytes: [], length: bytes.count, isCaptured: false))
        case .payload(let bytes), .other(let bytes):
            open += bytes
        }
    }

    mutating func flush() {
        guard !open.isEmpty else { return }
        segments.append(Segment(bytes: open, length: open.count, isCaptured: true))
        open = []
    }
}
