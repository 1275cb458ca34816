public import Link
import PTP
import Synchronization

/// Keeps what passes over the links to one camera in memory, so that it can be redacted before anything of it is written.
///
/// A greeting is some hundred packets. Beyond ``limit`` nothing more is kept.
public final class GreetingTap: Sendable {
    public static let limit = 8 << 20

    private struct Stream: Hashable {
        let link: Int
        let toCamera: Bool
    }

    private struct Kept {
        var links = 0
        var bytes = 0
        var rests: [Stream: [UInt8]] = [:]
        var broken: Set<Stream> = []
        var packets: [TappedPacket] = []
    }

    private let clock: Recorder.Clock
    private let kept = Mutex(Kept())

    public init(clock: @escaping Recorder.Clock) {
        self.clock = clock
    }

    /// The same link, listened to.
    public func listen(to link: any ByteLink) -> any ByteLink {
        let number = kept.withLock { kept in
            kept.links += 1
            return kept.links
        }
        return TappedLink(link) { [weak self] in self?.passed($0, number, toCamera: $1) }
    }

    /// Every whole packet so far, in the order in which they were complete.
    public var packets: [TappedPacket] { kept.withLock { $0.packets } }

    private func passed(_ bytes: UnsafeRawBufferPointer, _ link: Int, toCamera: Bool) {
        let now = clock()
        kept.withLock { kept in
            let stream = Stream(link: link, toCamera: toCamera)
            guard !kept.broken.contains(stream) else { return }
            guard kept.bytes + bytes.count <= Self.limit else {
                kept.broken.insert(stream)
                return
            }
            kept.bytes += bytes.count
            var rest = kept.rests[stream, default: []] + bytes
            while let length = Self.length(of: rest) {
                // What is no packet may be anything: it could not be redacted.
                guard length >= PacketType.headerLength, length <= Self.limit else {
                    kept.broken.insert(stream)
                    break
                }
                guard rest.count >= length else { break }
                let micro = now.seconds * 1_000_000 + now.microseconds
                kept.packets.append(
                    TappedPacket(
                        link: link, toCamera: toCamera, microseconds: micro, bytes: Array(rest.prefix(length))
                    ))
                rest.removeFirst(length)
            }
            kept.rests[stream] = rest
        }
    }

    private static func length(of bytes: [UInt8]) -> Int? {
        bytes.count < PacketType.headerLength ? nil : Int(little(bytes, at: 0))
    }
}

private final class TappedLink: ByteLink {
    private let inner: any ByteLink
    private let passed: @Sendable (UnsafeRawBufferPointer, Bool) -> Void

    init(_ inner: any ByteLink, passed: @escaping @Sendable (UnsafeRawBufferPointer, Bool) -> Void) {
        self.inner = inner
        self.passed = passed
    }

    var peer: String { inner.peer }

    func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError) -> Int {
        let count = try await inner.receive(into: buffer, range, spill: spill)
        let first = min(count, range.count)
        let memory = UnsafeRawBufferPointer(buffer.memory)
        passed(UnsafeRawBufferPointer(rebasing: memory[range.lowerBound..<range.lowerBound + first]), false)
        if let spill, count > first {
            let more = UnsafeRawBufferPointer(spill.memory)
            passed(UnsafeRawBufferPointer(rebasing: more[..<(count - first)]), false)
        }
        return count
    }

    func send(_ pieces: [Piece]) async throws(LinkError) {
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): bytes.withUnsafeBytes { passed($0, true) }
            case .buffer(let buffer, let range):
                passed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.memory)[range]), true)
            }
        }
        try await inner.send(pieces)
    }

    func close(_ manner: LinkClosing) { inner.close(manner) }
}
