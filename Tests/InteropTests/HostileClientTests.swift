import Glibc
import TestSupport
import Testing

/// A client of camsim that says what it likes, in bytes written out by hand.
final class HostileClient {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw FileProblem(path: "port \(port)", number: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// False when the camera does not want any more.
    func say(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// What comes next; nothing at the end.
    func hear() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    static let initCommandRequest = Wire.packet(
        1,
        [UInt8](repeating: 9, count: 16) + Array("evil".utf16).flatMap(Wire.u16) + [0, 0] + Wire.u32(0x1_0000)
    )

    static func request(
        _ code: UInt16, _ transaction: UInt32, sendsData: Bool = false, _ parameters: [UInt32] = []
    )
        -> [UInt8]
    {
        Wire.packet(
            6,
            Wire.u32(sendsData ? 2 : 1) + Wire.u16(code) + Wire.u32(transaction)
                + parameters.flatMap(Wire.u32))
    }

    /// Both connections and a session.
    static func connected(port: Int) throws -> (command: HostileClient, event: HostileClient) {
        let command = try HostileClient(port: port)
        #expect(command.say(initCommandRequest))
        let ack = command.hear()
        try #require(ack.count > 12)
        let event = try HostileClient(port: port)
        #expect(event.say(Wire.packet(3, Array(ack[8..<12]))))
        _ = event.hear()
        #expect(command.say(request(0x1002, 0, [1])))
        _ = command.hear()
        return (command, event)
    }
}

/// The simulator trusts its clients as little as the client its cameras: whatever they do, the next one is served.
@Suite struct HostileClientTests {
    static let mostMemory = 32 << 20

    func expectService(_ camera: Camsim, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try Operator().run("camera", "info", camera.address)
        #expect(outcome.code == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(try #require(try camera.daemon.peakBytes()) < Self.mostMemory, sourceLocation: sourceLocation)
    }

    @Test("hundreds of connections that say nothing")
    func silentCrowd() throws {
        let camera = try Camsim()
        let crowd = try (0..<300).map { _ in try HostileClient(port: camera.port) }
        try expectService(camera)
        #expect(crowd.count == 300)
    }

    @Test("more connections than there are file descriptors")
    func noDescriptors() throws {
        let daemon = try Daemon(
            "/bin/bash", ["-c", "ulimit -n 40; exec \"$0\" --listen 127.0.0.1:0", Built.camsim])
        let camera = try Camsim(daemon)
        var crowd = try (0..<60).map { _ in try HostileClient(port: camera.port) }
        crowd.removeAll()
        try expectService(camera)
    }

    @Test(
        "data without end, for an operation that takes data and for one that does not",
        arguments: [0x1016, 0x1001])
    func endlessData(code: UInt16) throws {
        let camera = try Camsim()
        let (command, event) = try HostileClient.connected(port: camera.port)
        #expect(command.say(HostileClient.request(code, 1, sendsData: true, [0x5005])))
        #expect(command.say(Wire.startData(1, 1 << 50)))
        let chunk = Wire.data(1, [UInt8](repeating: 0, count: 1 << 20))
        var chunks = 0
        while command.say(chunk) {
            chunks += 1
            try #require(chunks < 500, "the camera took half a gigabyte for a property")
        }
        withExtendedLifetime(event) {}
        try expectService(camera)
    }

    @Test("lengths that no packet can have", arguments: [0, 7, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func lengths(length: UInt32) throws {
        let camera = try Camsim()
        let client = try HostileClient(port: camera.port)
        #expect(client.say(Wire.u32(length) + Wire.u32(1) + [UInt8](repeating: 0, count: 100)))
        #expect(client.hear().isEmpty)
        try expectService(camera)
    }

    @Test(
        "packets that a client never sends, out of order, and cut short",
        arguments: [2, 4, 5, 6, 7, 8, 9, 10, 12, 99])
    func wrongPackets(type: UInt32) throws {
        let camera = try Camsim()
        let client = try HostileClient(port: camera.port)
        #expect(client.say(Wire.packet(type, [UInt8](repeating: 1, count: 12))))
        while !client.hear().isEmpty {}
        let half = try HostileClient(port: camera.port)
        #expect(half.say(Array(HostileClient.initCommandRequest.prefix(20))))
        try expectService(camera)
    }

    @Test("noise at any moment", arguments: 0..<8)
    func noise(seed: Int) throws {
        let camera = try Camsim()
        var random = Seeded(UInt64(seed))
        if seed % 2 == 0 {
            let client = try HostileClient(port: camera.port)
            _ = client.say(random.bytes(2000))
        } else {
            let (command, event) = try HostileClient.connected(port: camera.port)
            _ = command.say(random.bytes(2000))
            _ = event.say(random.bytes(2000))
        }
        try expectService(camera)
    }

    @Test("requests that are sent by the thousand, and answers that the client does not read")
    func unreadAnswers() throws {
        let camera = try Camsim()
        let (command, event) = try HostileClient.connected(port: camera.port)
        // The system's buffers fill up, and then nothing is taken any more.
        var flood: [UInt8] = []
        for number in 1...20_000 as ClosedRange<UInt32> { flood += HostileClient.request(0x1001, number) }
        _ = command.say(Array(flood.prefix(200_000)))
        #expect(try #require(try camera.daemon.peakBytes()) < Self.mostMemory)
        withExtendedLifetime(event) {}
    }
}
