import CPcap
import Glibc
public import Posix
import Synchronization

/// Writes conversations into a pcap file that Wireshark opens, with TCP/IP around them as if captured.
///
/// Every record reaches the file with one write, so that a killed program leaves a whole file. Recording never
/// disturbs what it records: when the disk is full it stops, says so once, and the conversation goes on.
public final class Recorder: Sendable {
    public struct CannotRecord: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Seconds and microseconds of the day's clock.
    public typealias Clock = @Sendable () -> (seconds: Int64, microseconds: Int64)

    private struct Output {
        var dump: OpaquePointer?
        var dead: OpaquePointer?
        /// The FILE's buffer, which has to live as long as it.
        var buffer: UnsafeMutableRawPointer?
    }

    private let path: String
    let leavesOutPhotos: Bool
    private let clock: Clock
    private let onFailure: @Sendable (String) -> Void
    private let output: Mutex<Output>

    /// Larger than any record, so that each is one write.
    private static let bufferSize = 128 << 10

    private static let snapLength: Int32 = 262_144

    /// "Raw IP": the packet begins with an IP header of either version.
    private static let rawIP: Int32 = 12

    public init(
        path: String, leavesOutPhotos: Bool, clock: @escaping Clock,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws(CannotRecord) {
        self.path = path
        self.leavesOutPhotos = leavesOutPhotos
        self.clock = clock
        self.onFailure = onFailure
        guard let dead = pcap_open_dead(Self.rawIP, Self.snapLength) else {
            throw CannotRecord(description: "libpcap cannot be used")
        }
        guard let dump = pcap_dump_open(dead, path) else {
            let reason = pcap_geterr(dead).map { String(cString: $0) } ?? "unknown"
            pcap_close(dead)
            throw CannotRecord(
                description: "\(path) cannot be recorded to: \(reason). Choose another place for it.")
        }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.bufferSize, alignment: 16)
        // Flushed first: the file's header is in the old buffer.
        pcap_dump_flush(dump)
        setvbuf(pcap_dump_file(dump), buffer, Int32(_IOFBF), Self.bufferSize)
        output = Mutex(Output(dump: dump, dead: dead, buffer: buffer))
    }

    deinit {
        close()
    }

    /// What was recorded stays. Anything after this goes nowhere.
    public func close() {
        output.withLock { output in
            if let dump = output.dump { pcap_dump_close(dump) }
            if let dead = output.dead { pcap_close(dead) }
            output.buffer?.deallocate()
            output = Output()
        }
    }

    /// The next connection, as seen from whoever opened it.
    public func connection(client: IPEndpoint, server: IPEndpoint) -> RecordedConnection {
        RecordedConnection(self, client: client, server: server)
    }

    func write(_ frame: [UInt8], lengthOnWire: Int) {
        let now = clock()
        let failed = output.withLock { output -> Bool in
            guard let dump = output.dump else { return false }
            var header = pcap_pkthdr()
            header.ts = timeval(tv_sec: Int(now.seconds), tv_usec: Int(now.microseconds))
            header.caplen = UInt32(frame.count)
            header.len = UInt32(lengthOnWire)
            pcap_dump(UnsafeMutablePointer<UInt8>(dump), &header, frame)
            guard pcap_dump_flush(dump) != 0 || ferror(pcap_dump_file(dump)) != 0 else { return false }
            // Not closed, because closing would try to write again; the process's end will.
            output.dump = nil
            return true
        }
        if failed {
            let reason = String(cString: strerror(errno))
            onFailure(
                "recording to \(path) has stopped: \(reason). The camera is not affected; free some space and record again."
            )
        }
    }
}
