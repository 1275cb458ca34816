import CPcap
import Glibc
public import Posix
import Synchronization

/// Writes conversations into a pcap file that Wireshark opens, with TCP/IP around them as if captured.
///
/// Every record is in the file whole or not at all, also when the program is killed (`Posix.ChildWrittenFile`).
/// Recording never disturbs what it records: when the disk is full it stops, says so once, and the conversation goes on.
public final class Recorder: Sendable {
    public struct CannotRecord: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Seconds and microseconds of the day's clock.
    public typealias Clock = @Sendable () -> (seconds: Int64, microseconds: Int64)

    private struct Output {
        var dump: OpaquePointer?
        var dead: OpaquePointer?
        var file: ChildWrittenFile?
        var hasFailed = false
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
        let file: ChildWrittenFile
        do throws(SystemError) {
            file = try ChildWrittenFile(path: path)
        } catch {
            pcap_close(dead)
            throw CannotRecord(
                description: "\(path) cannot be recorded to: \(error) Choose another place for it.")
        }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.bufferSize, alignment: 16)
        setvbuf(file.stream, buffer, Int32(_IOFBF), Self.bufferSize)
        guard let dump = pcap_dump_fopen(dead, file.stream) else {
            let reason = pcap_geterr(dead).map { String(cString: $0) } ?? "unknown"
            pcap_close(dead)
            _ = file.finish()
            fclose(file.stream)
            buffer.deallocate()
            throw CannotRecord(description: "\(path) cannot be recorded to: \(reason).")
        }
        pcap_dump_flush(dump)
        output = Mutex(Output(dump: dump, dead: dead, file: file, buffer: buffer))
    }

    deinit {
        close()
    }

    /// What was recorded stays. Anything after this goes nowhere. Returns when all of it is in the file.
    public func close() {
        let failure = output.withLock { output -> Int32? in
            guard let file = output.file else { return nil }
            let failure = file.finish()
            if let dump = output.dump { pcap_dump_close(dump) }
            if let dead = output.dead { pcap_close(dead) }
            output.buffer?.deallocate()
            defer { output = Output() }
            return output.hasFailed ? nil : failure
        }
        if let failure { tellOfFailure(failure) }
    }

    /// The next connection, as seen from the end that opened it.
    public func connection(client: IPEndpoint, server: IPEndpoint) -> RecordedConnection {
        RecordedConnection(self, client: client, server: server)
    }

    func write(_ frame: [UInt8], lengthOnWire: Int) {
        let now = clock()
        let failure = output.withLock { output -> Int32? in
            guard let dump = output.dump, let file = output.file, !output.hasFailed else { return nil }
            var header = pcap_pkthdr()
            header.ts = timeval(tv_sec: Int(now.seconds), tv_usec: Int(now.microseconds))
            header.caplen = UInt32(frame.count)
            header.len = UInt32(lengthOnWire)
            pcap_dump(UnsafeMutablePointer<UInt8>(dump), &header, frame)
            let isSent = pcap_dump_flush(dump) == 0
            guard let number = file.failure ?? (isSent ? nil : EPIPE) else { return nil }
            output.hasFailed = true
            return number
        }
        if let failure { tellOfFailure(failure) }
    }

    private func tellOfFailure(_ number: Int32) {
        onFailure(
            "recording to \(path) has stopped: \(String(cString: strerror(number))). The camera is not affected; free some space and record again."
        )
    }
}
