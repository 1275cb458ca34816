import Glibc
import TestSupport

/// Whatever answers on the network: a TCP server whose bytes are written out by hand, after the standard and not by our
/// encoder, and which may say anything.
final class HostileCamera: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private var thread = pthread_t()
    /// One for each command connection that was taken.
    let accepted = Notes()

    typealias Conduct = @Sendable (HostilePeer) throws -> Void

    /// Each conduct has one client's connection, on which the Init Command Request has been read; then comes
    /// the next. All connections after that are conducted as `always` says, where it is given.
    init(_ conducts: Conduct..., always: Conduct? = nil) throws {
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
        let work = Unmanaged.passRetained(
            Work(listener: listener, conducts: conducts, always: always, accepted: accepted))
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
        let always: Conduct?
        let accepted: Notes

        init(listener: Int32, conducts: [Conduct], always: Conduct?, accepted: Notes) {
            self.listener = listener
            self.conducts = conducts
            self.always = always
            self.accepted = accepted
        }

        func run() {
            var next = conducts.makeIterator()
            while let conduct = next.next() ?? always, let link = HostilePeer.accepted(listener) {
                accepted.note(UInt32(link))
                do {
                    try conduct(try HostilePeer(link, of: listener))
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

    init(_ command: Int32, of listener: Int32) throws {
        self.listener = listener
        self.command = command
        _ = try packet()
    }

    deinit {
        close(command)
        if event >= 0 { close(event) }
    }

    /// Nothing once the camera is being switched off.
    fileprivate static func accepted(_ listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
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

    /// Ends all connections at once, as a camera that is switched off.
    func leave() throws {
        for link in [command, event] where link >= 0 { shutdown(link, Int32(SHUT_RDWR)) }
        throw Gone()
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
        guard let link = HostilePeer.accepted(listener) else { throw Gone() }
        event = link
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
        try serve(HostileCard(objects), special, trickle: trickle, cancelled: cancelled)
    }

    /// The same with a card on which there may be more later, which is noticed.
    func serve(
        _ card: HostileCard, _ special: (Request) throws -> Bool, trickle: Trickle? = nil,
        cancelled: () throws -> Void = {}
    ) throws {
        try shakeHands()
        var noticed = card.objects.count
        while true {
            while trickle != nil || card.mayGrow, !hearsSomething(within: 20) {
                try trickle?(self)
                for object in card.objects.dropFirst(noticed) {
                    noticed += 1
                    try notice(Wire.event(0x4002, [object.handle]))
                }
            }
            let packet = try packet()
            if packet[4] == 11 { try cancelled() }
            guard packet[4] == 6, packet.count >= 18 else { continue }
            let words = stride(from: 18, to: packet.count - 3, by: 4).map { Wire.number(packet[$0..<$0 + 4]) }
            let request = Request(
                code: UInt16(Wire.number(packet[12..<14])), transaction: Wire.number(packet[14..<18]),
                parameters: words)
            if try !special(request) { try serveDecently(request, card.objects) }
        }
    }

    func serveDecently(_ request: Request, _ objects: [HostileObject]) throws {
        let object = request.parameters.first.flatMap { handle in objects.first { $0.handle == handle } }
        switch (request.code, object) {
        case (0x1001, _): try give(Wire.deviceInfo, to: request)
        case (0x1002, _), (0x1003, _): try answer(0x2001, request)
        case (0x1004, _): try give([1, 0, 0, 0, 1, 0, 1, 0], to: request)
        case (0x1007, _):
            try give(Wire.u32(UInt32(objects.count)) + objects.flatMap { Wire.u32($0.handle) }, to: request)
        case (0x1008, let object?): try give(object.info, to: request)
        case (0x1009, let object?): try give(object.content, to: request)
        case (0x101B, let object?): try give(object.part(request), to: request)
        default: try answer(0x2009, request)
        }
    }
}
