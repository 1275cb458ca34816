import Glibc
import TestSupport

/// Whatever answers on the network: a TCP server whose bytes are written out by hand, after the standard and not by our
/// encoder, and which may say anything.
final class HostileCamera: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private var thread = pthread_t()

    typealias Conduct = @Sendable (HostilePeer) throws -> Void

    /// Each conduct has one client's connection, on which the Init Command Request has been read; then comes the next.
    init(_ conducts: Conduct...) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard bound else { throw FileProblem(path: "a port for the hostile camera", number: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        let work = Unmanaged.passRetained(Work(listener: listener, conducts: conducts))
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
    }

    /// Every call of the thread has a limit or an end, so that it ends with the client.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        pthread_join(thread, nil)
        close(listener)
    }

    var address: String { "127.0.0.1:\(port)" }

    private final class Work {
        let listener: Int32
        let conducts: [Conduct]

        init(listener: Int32, conducts: [Conduct]) {
            self.listener = listener
            self.conducts = conducts
        }

        func run() {
            for conduct in conducts {
                do {
                    try conduct(try HostilePeer(listener: listener))
                } catch {
                    // The client has left, which is what it should do, or is being left.
                    continue
                }
            }
        }
    }
}

/// The client as a hostile camera sees it.
final class HostilePeer: @unchecked Sendable {
    struct Gone: Error {}

    struct Request {
        let code: UInt16
        let transaction: UInt32
        let parameters: [UInt32]
    }

    let listener: Int32
    private let command: Int32
    private var event: Int32 = -1

    init(listener: Int32) throws {
        self.listener = listener
        command = try HostilePeer.accepted(listener)
        _ = try packet()
    }

    deinit {
        close(command)
        if event >= 0 { close(event) }
    }

    private static func accepted(_ listener: Int32) throws -> Int32 {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { throw Gone() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    // MARK: Saying

    func say(_ bytes: [UInt8]) throws { try say(bytes, on: command) }
    func notice(_ bytes: [UInt8]) throws { try say(bytes, on: event) }

    private func say(_ bytes: [UInt8], on descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Gone() }
            sent += count
        }
    }

    /// A dataset in one End Data, and OK.
    func give(_ data: [UInt8], to request: Request) throws {
        try say(
            Wire.startData(request.transaction, UInt64(data.count)) + Wire.endData(request.transaction, data)
                + Wire.response(0x2001, request.transaction))
    }

    func answer(_ code: UInt16, _ request: Request) throws {
        try say(Wire.response(code, request.transaction))
    }

    /// Ends the command connection, and waits for the client to end the other.
    func hangUp() throws {
        shutdown(command, Int32(SHUT_WR))
        try waitForEnd()
    }

    // MARK: Hearing

    /// One packet of the command connection, as a client sends them.
    func packet() throws -> [UInt8] { try packet(from: command) }

    private func packet(from descriptor: Int32) throws -> [UInt8] {
        let head = try bytes(4, from: descriptor)
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard (8...4096).contains(length) else { throw Gone() }
        return head + (try bytes(length - 4, from: descriptor))
    }

    private func bytes(_ count: Int, from descriptor: Int32) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let more = bytes[received...].withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            guard more > 0 else { throw Gone() }
            received += more
        }
        return bytes
    }

    /// Until the client leaves.
    func waitForEnd() throws {
        while true { _ = try bytes(1, from: command) }
    }

    /// Whether the client says something within so many milliseconds.
    private func hearsSomething(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: command, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    // MARK: Conduct

    func shakeHands(_ beforeEventAck: () throws -> Void = {}) throws {
        try say(Wire.initCommandAck)
        event = try HostilePeer.accepted(listener)
        _ = try packet(from: event)
        try beforeEventAck()
        try say([8, 0, 0, 0, 4, 0, 0, 0], on: event)
    }

    /// What a camera says every twenty milliseconds, whatever else it does.
    typealias Trickle = (HostilePeer) throws -> Void

    /// Answers requests until the client leaves. What `special` does not answer is answered as a decent camera
    /// with `objects` would.
    func serve(
        _ objects: [HostileObject] = [], _ special: (Request) throws -> Bool = { _ in false },
        trickle: Trickle? = nil, cancelled: () throws -> Void = {}
    ) throws {
        try shakeHands()
        while true {
            while let trickle, !hearsSomething(within: 20) { try trickle(self) }
            let packet = try packet()
            if packet[4] == 11 { try cancelled() }
            guard packet[4] == 6, packet.count >= 18 else { continue }
            let words = stride(from: 18, to: packet.count - 3, by: 4).map { Wire.number(packet[$0..<$0 + 4]) }
            let request = Request(
                code: UInt16(Wire.number(packet[12..<14])), transaction: Wire.number(packet[14..<18]),
                parameters: words)
            if try !special(request) { try serveDecently(request, objects) }
        }
    }

    private func serveDecently(_ request: Request, _ objects: [HostileObject]) throws {
        let object = request.parameters.first.flatMap { handle in objects.first { $0.handle == handle } }
        switch (request.code, object) {
        case (0x1001, _): try give(Wire.deviceInfo, to: request)
        case (0x1002, _), (0x1003, _): try answer(0x2001, request)
        case (0x1004, _): try give([1, 0, 0, 0, 1, 0, 1, 0], to: request)
        case (0x1007, _):
            try give(Wire.u32(UInt32(objects.count)) + objects.flatMap { Wire.u32($0.handle) }, to: request)
        case (0x1008, let object?): try give(object.info, to: request)
        case (0x1009, let object?): try give(object.content, to: request)
        default: try answer(0x2009, request)
        }
    }
}

/// An object on a card that a hostile camera makes up.
struct HostileObject: Sendable {
    var handle: UInt32
    var name: [UInt16]
    var content: [UInt8] = []
    var claimedSize: UInt32?
    var format: UInt16 = 0x3801
    var parent: UInt32 = 0
    var date = "20260620T143000"

    init(_ handle: UInt32, _ name: String, _ content: [UInt8] = []) {
        self.handle = handle
        self.name = Array(name.utf16)
        self.content = content
    }

    var info: [UInt8] {
        Wire.u32(0x0001_0001) + Wire.u16(format) + Wire.u16(0)
            + Wire.u32(claimedSize ?? UInt32(content.count))
            + Wire.u16(0x3808) + [UInt8](repeating: 0, count: 24) + Wire.u32(parent)
            + Wire.u16(format == 0x3001 ? 1 : 0) + Wire.u32(0) + Wire.u32(0) + Wire.string(name)
            + Wire.string(Array(date.utf16)) + [0, 0]
    }
}

/// PTP/IP's layouts, written out once more: what judges a program may not come from it.
enum Wire {
    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    static func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func packet(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        u32(UInt32(8 + body.count)) + u32(type) + body
    }
    static func startData(_ transaction: UInt32, _ total: UInt64) -> [UInt8] {
        packet(9, u32(transaction) + u64(total))
    }
    static func data(_ transaction: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        packet(10, u32(transaction) + bytes)
    }
    static func endData(_ transaction: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        packet(12, u32(transaction) + bytes)
    }
    static func response(_ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32] = []) -> [UInt8] {
        packet(7, u16(code) + u32(transaction) + parameters.flatMap(u32))
    }
    static func event(_ code: UInt16, _ parameters: [UInt32]) -> [UInt8] {
        packet(8, u16(code) + u32(0xFFFF_FFFF) + parameters.flatMap(u32))
    }
    static let probe: [UInt8] = packet(13, [])

    /// A PTP string: how many units, with the NUL.
    static func string(_ units: [UInt16]) -> [UInt8] {
        units.isEmpty ? [0] : [UInt8(units.count + 1)] + units.flatMap(u16) + [0, 0]
    }

    static let initCommandAck = packet(
        2,
        u32(1) + [UInt8](repeating: 7, count: 16) + Array("bad".utf16).flatMap(u16) + [0, 0] + u32(0x1_0000))

    static func array(_ codes: [UInt16]) -> [UInt8] { u32(UInt32(codes.count)) + codes.flatMap(u16) }

    static let operations: [UInt16] = [
        0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1007, 0x1008, 0x1009, 0x100A, 0x101B,
    ]
    static let deviceInfo: [UInt8] =
        u16(100) + u32(0) + u16(100) + [0] + u16(0) + array(operations) + array([0x4002]) + array([])
        + array([])
        + array([0x3801]) + string(Array("Evil".utf16)) + string(Array("One".utf16))
        + string(Array("1".utf16))
        + string(Array("666".utf16))
}
