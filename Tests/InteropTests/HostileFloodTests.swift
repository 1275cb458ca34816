import Glibc
import TestSupport
import Testing

/// Cameras that never stop talking. Each costs its connection, and neither memory nor the program's attention.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct HostileFloodTests {
    static let sentence = "packets a second and nothing of use"

    static let notices: [UInt8] = (0..<5000).flatMap { Wire.event(0x4002, [UInt32($0)]) }
    static let probes: [UInt8] = (0..<5000).flatMap { _ in Wire.probe }
    static let oddOnes: [UInt8] = (0..<5000).flatMap { _ in Wire.packet(99, [1, 2, 3, 4]) }

    /// A flood that begins with an answer to GetDeviceInfo, on one of the connections.
    static func camera(_ bytes: [UInt8], onCommand: Bool) throws -> HostileCamera {
        try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                try peer.give(Wire.deviceInfo, to: request)
                while true { try onCommand ? peer.say(bytes) : peer.notice(bytes) }
            }
        }
    }

    @Test("a burst of notices with every object costs no memory, and the work goes on")
    func burst() throws {
        let objects = (1...20).map { HostileObject(UInt32($0), "P\($0).JPG", [1]) }
        let camera = try HostileCamera { peer in
            try peer.serve(objects) { request in
                if request.code == 0x1008 { for _ in 0..<2 { try peer.notice(Self.notices) } }
                return false
            }
        }
        let outcome = try Operator().endure(["camera", "ls", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 20)
    }

    @Test("a burst of probes whose answers the camera does not read costs no memory, and the work goes on")
    func probeBurst() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                for _ in 0..<40 { try peer.notice(Self.probes) }
                return false
            }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("666"))
    }

    static let kinds: [(String, [UInt8])] = [("notices", notices), ("probes", probes), ("odd", oddOnes)]

    @Test(
        "a flood without end ends the connection, whatever is waited for", arguments: kinds, [false, true])
    func endless(kind: (name: String, bytes: [UInt8]), onCommand: Bool) throws {
        let camera = try Self.camera(kind.bytes, onCommand: onCommand)
        let outcome = try Operator().endure(["camera", "events", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains(Self.sentence), "\(outcome.errors)")
        #expect(outcome.errors.contains("Switch the camera off and on"), "\(outcome.errors)")
    }

    @Test("a flood before the event connection is acknowledged ends it", arguments: [false, true])
    func beforeTheConnectionStands(onCommand: Bool) throws {
        let camera = try HostileCamera { peer in
            try peer.shakeHands {
                while true { try onCommand ? peer.say(Self.notices) : peer.notice(Self.notices) }
            }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains(Self.sentence), "\(outcome.errors)")
    }

    static let photo = HostileObject(1, "A.JPG", [UInt8](repeating: 7, count: 100_000))

    /// Data packets without payload instead of a photo.
    static func emptyData(startsData: Bool) throws -> HostileCamera {
        try HostileCamera { peer in
            try peer.serve([photo]) { request in
                guard request.code == 0x1009 else { return false }
                if startsData { try peer.say(Wire.startData(request.transaction, 100_000)) }
                let flood = (0..<5000).flatMap { _ in Wire.data(request.transaction, []) }
                while true { try peer.say(flood) }
            }
        }
    }

    @Test("data packets without payload and without end end the connection", arguments: [true, false])
    func emptyDataPackets(startsData: Bool) throws {
        let camera = try Self.emptyData(startsData: startsData)
        let person = try Operator()
        let outcome = try person.endure([
            "camera", "get", camera.address, "--all", "--to", person.out, "--retry", "0s",
        ])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(
            outcome.errors.contains(startsData ? Self.sentence : "a packet data came"), "\(outcome.errors)")
        #expect(try person.arrived().isEmpty)
    }

    // MARK: The end

    /// Tells a program to end and sees that it does within two seconds. Gives its code.
    func end(_ program: Daemon, _ signal: Int32, sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
        let began = ContinuousClock.now
        let code = program.stop(signal)
        let took = ContinuousClock.now - began
        // A photo that stands still ends after 20 s by itself.
        let limit = Cases.within(.seconds(2), before: .seconds(19))
        #expect(took < limit, "\(took)", sourceLocation: sourceLocation)
        return code
    }

    @Test(
        "whatever a camera floods with, Ctrl-C and SIGTERM end the program within two seconds",
        arguments: kinds, [false, true])
    func endsInFlood(kind: (name: String, bytes: [UInt8]), onCommand: Bool) throws {
        let begun = Milestone()
        let length = [18, 8, 12][Self.kinds.firstIndex { $0.0 == kind.name } ?? 0]
        let bytes = Array(kind.bytes.prefix(Self.paced * length))
        let camera = try HostileCamera { peer in
            var isOpen = false
            try peer.serve { request in
                isOpen = isOpen || request.code == 0x1002
                return false
            } trickle: { peer in
                guard isOpen else { return }
                try onCommand ? peer.say(bytes) : peer.notice(bytes)
                begun.reach()
            }
        }
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline, ["camera", "events", camera.address],
            environment: EndingTests.environment(person))
        try begun.wait()
        #expect(end(running, onCommand ? SIGINT : SIGTERM) == 0, "\(running.output)")
    }

    /// Fifty thousand a second: for some seconds that is not said to be a flood, so that it is the signal that ends it.
    private static let paced = 1000

    @Test("also in the middle of a photo", arguments: [SIGINT, SIGTERM])
    func endsInEmptyData(signal: Int32) throws {
        let begun = Milestone()
        let camera = try HostileCamera { peer in
            var photo: UInt32?
            try peer.serve([Self.photo]) { request in
                guard request.code == 0x1009 else { return false }
                photo = request.transaction
                try peer.say(Wire.startData(request.transaction, 100_000))
                return true
            } trickle: { peer in
                guard let photo else { return }
                try peer.say((0..<Self.paced).flatMap { _ in Wire.data(photo, []) })
                begun.reach()
            }
        }
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline, ["camera", "get", camera.address, "--all", "--to", person.out],
            environment: EndingTests.environment(person))
        try begun.wait()
        #expect(end(running, signal) == 130, "\(running.output)")
    }

    @Test("a camera that says a little for ever is no flood, and does not hold up the end", arguments: 0..<3)
    func endsInTrickle(kind: Int) throws {
        let begun = Milestone()
        let bytes = Array(Self.kinds[kind].1.prefix(60 * [18, 8, 12][kind]))
        let camera = try HostileCamera { peer in
            // Three thousand a second, on both connections; and no photo, no answer to Cancel, none to CloseSession.
            try peer.serve([Self.photo]) { request in
                if request.code == 0x1009 { begun.reach() }
                return request.code == 0x1009 || request.code == 0x1003
            } trickle: { peer in
                try peer.say(bytes)
                try peer.notice(bytes)
            }
        }
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline, ["camera", "get", camera.address, "--all", "--to", person.out],
            environment: EndingTests.environment(person))
        try begun.wait()
        #expect(end(running, SIGTERM) == 130, "\(running.output)")
    }

    @Test("a camera that stops when it is told to and then does not answer the goodbye is left in time")
    func endsInSilence() throws {
        let begun = Milestone()
        let camera = try HostileCamera { peer in
            var transaction: UInt32 = 0
            try peer.serve([Self.photo]) { request in
                if request.code == 0x1009 {
                    transaction = request.transaction
                    begun.reach()
                }
                return request.code == 0x1009 || request.code == 0x1003
            } cancelled: {
                try peer.say(Wire.response(0x201F, transaction))
            }
        }
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline, ["camera", "get", camera.address, "--all", "--to", person.out],
            environment: EndingTests.environment(person))
        try begun.wait()
        #expect(end(running, SIGINT) == 130, "\(running.output)")
    }

    @Test("a running bridge ends in time, too, whatever its camera floods with", arguments: [true, false])
    func bridgeEndsInFlood(isEndless: Bool) throws {
        let begun = Milestone()
        let conduct: HostileCamera.Conduct = { peer in
            try peer.serve([Self.photo]) { request in
                request.code == 0x1003
            } trickle: { peer in
                begun.reach()
                repeat { try peer.notice(Array(Self.notices.prefix(60 * 18))) } while isEndless
            }
        }
        let camera = try HostileCamera(conduct, conduct, conduct)
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline,
            [
                "run", "--camera", camera.address, "--event", "Flood", "--destination",
                "file://\(person.out)", "--since", "all",
            ], environment: EndingTests.environment(person))
        try begun.wait()
        // A command is answered meanwhile, by the bridge.
        let asked = ContinuousClock.now
        let status = try person.run("status")
        let took = ContinuousClock.now - asked
        #expect(status.code == 0 && status.text.contains("Flood: running"), "\(status.text)")
        #expect(took < Cases.within(.seconds(1), before: .seconds(10)), "\(took)")
        #expect([0, 130].contains(end(running, SIGTERM)), "\(running.output)")
    }
}

/// Something that a camera's thread comes to and a test waits for.
final class Milestone: @unchecked Sendable {
    struct NeverReached: Error {}

    private var mutex = pthread_mutex_t()
    private var changed = pthread_cond_t()
    private var isReached = false

    init() {
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&changed, nil)
    }

    func reach() {
        pthread_mutex_lock(&mutex)
        isReached = true
        pthread_cond_broadcast(&changed)
        pthread_mutex_unlock(&mutex)
    }

    func wait() throws {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += 60
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        while !isReached {
            guard pthread_cond_timedwait(&changed, &mutex, &deadline) == 0 else { throw NeverReached() }
        }
    }
}
