import CPcap
import PTP
import Posix

/// A file of captured frames, in any format that libpcap reads.
public enum PcapFile {
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// More connections than this are no conversation with a camera.
    private static let mostFlows = 10_000

    /// Reads a capture to its end and gives its conversations.
    public static func conversations(in path: String) throws -> PcapContents {
        var reading = Reading(store: try PayloadStore())
        let damage = try forEachFrame(of: path) { frame, length, time, layer in
            try reading.take(frame, length, time, layer)
        }
        try reading.finish()
        return PcapContents(
            conversations: Conversation.all(in: reading.flows), frames: reading.frames,
            skipped: reading.skipped,
            damage: damage)
    }

    /// Calls `body` for every frame, with its length on the wire and its time. Says what is wrong with the rest of
    /// the file where something is: the program that wrote it may have been killed.
    private static func forEachFrame(
        of path: String, _ body: (ArraySlice<UInt8>, Int, CaptureTime, LinkLayer) throws -> Void
    ) throws -> String? {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let capture = pcap_open_offline(path, &message) else {
            throw Unreadable(description: "\(path) cannot be read as a capture: \(text(message))")
        }
        defer { pcap_close(capture) }
        let number = pcap_datalink(capture)
        guard let layer = LinkLayer(dataLinkType: number) else {
            let name = pcap_datalink_val_to_name(number).map { String(cString: $0) } ?? "\(number)"
            throw Unreadable(
                description:
                    "\(path) holds frames of the kind \(name); Ethernet, Linux cooked, loopback and raw IP can be read."
            )
        }
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        while true {
            let result = pcap_next_ex(capture, &header, &data)
            if result == PCAP_ERROR_BREAK { return nil }
            guard result == 1, let header = header?.pointee, let data else {
                return pcap_geterr(capture).map { String(cString: $0) } ?? "it cannot be read to its end"
            }
            let frame = Array(UnsafeBufferPointer(start: data, count: Int(header.caplen)))
            let time = CaptureTime(
                microseconds: Int64(header.ts.tv_sec) * 1_000_000 + Int64(header.ts.tv_usec))
            try body(frame[...], Int(header.len), time, layer)
        }
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Frames on their way to conversations.
    private struct Reading {
        let store: PayloadStore
        var flows: [Flow] = []
        private var current: [FlowKey: Int] = [:]
        var frames = 0
        var skipped: [SkippedFrame: Int] = [:]
        private var lastTime = CaptureTime(microseconds: 0)

        init(store: PayloadStore) {
            self.store = store
        }

        mutating func take(
            _ frame: ArraySlice<UInt8>, _ length: Int, _ time: CaptureTime, _ layer: LinkLayer
        ) throws {
            frames += 1
            lastTime = time
            let segment: TCPSegment
            do throws(SkippedFrame) {
                segment = try FrameDecoder.decode(frame, originalLength: length, layer)
            } catch {
                skipped[error, default: 0] += 1
                return
            }
            let index = try flow(of: segment)
            if segment.source == flows[index].ends.0 {
                try flows[index].directions.0.add(segment, store, at: time, frames)
            } else {
                try flows[index].directions.1.add(segment, store, at: time, frames)
            }
        }

        /// The connection a segment belongs to. A SYN on ports that have been used begins another one.
        private mutating func flow(of segment: TCPSegment) throws -> Int {
            let key = FlowKey(segment.source, segment.destination)
            if let known = current[key] {
                let isNew =
                    segment.flags.isSuperset(of: .syn) && !segment.flags.contains(.ack)
                    && (flows[known].directions.0.isEnded || flows[known].directions.1.isEnded
                        || flows[known].directions.0.firstPacket != nil)
                if !isNew { return known }
            }
            guard flows.count < PcapFile.mostFlows else {
                throw Unreadable(
                    description: "the capture holds more than \(PcapFile.mostFlows) connections")
            }
            flows.append(Flow(ends: (segment.source, segment.destination), order: flows.count))
            current[key] = flows.count - 1
            return flows.count - 1
        }

        mutating func finish() throws {
            for index in flows.indices {
                try flows[index].directions.0.finish(store, at: lastTime, frames)
                try flows[index].directions.1.finish(store, at: lastTime, frames)
            }
        }
    }

    /// The same for both directions.
    private struct FlowKey: Hashable {
        private let ends: Set<FlowEnd>

        init(_ first: FlowEnd, _ second: FlowEnd) {
            ends = [first, second]
        }
    }
}

/// What a capture file holds.
public struct PcapContents: Sendable {
    public let conversations: [Conversation]
    public let frames: Int
    let skipped: [SkippedFrame: Int]
    /// Why the file could not be read to its end.
    public let damage: String?

    /// Frames that could not be used, by reason, for people.
    public var skippedText: String {
        skipped.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
