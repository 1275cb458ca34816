import Basics
import Camera
import Link
import PTP
import Posix
import TestSupport
import Testing

/// A camera of a few bytes, written out by hand, that talks without end on one of its links.
private final class Chatterbox: LinkOpening {
    let reactor: Reactor
    /// A task that never waits keeps a thread busy; not one of those that all tests share.
    private let thread = ThreadExecutor(name: "chatterbox")
    private let floods: Channel
    private let bytes: [UInt8]
    private let far = Shared<[MemoryLink]>([])
    let said = Shared(0)

    init(_ floods: Channel, _ bytes: [UInt8]) throws {
        reactor = try Reactor(name: "chatterbox")
        self.floods = floods
        self.bytes = bytes
    }

    deinit {
        reactor.shutDown()
        thread.shutDown()
    }

    var target: String { "chatterbox" }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        let (ours, theirs) = MemoryLink.pair()
        far.change { $0.append(theirs) }
        // Init Command Ack, connection 1, no name; Init Event Ack.
        let ack =
            channel == .command
            ? hex("1E 00 00 00 02 00 00 00 01 00 00 00" + String(repeating: "07", count: 16) + "00 00")
            : hex("08 00 00 00 04 00 00 00")
        try await theirs.send(ack)
        if channel == .event {
            let command = far.change { $0[0] }
            Task(executorPreference: thread) { await self.talk(command, theirs) }
        }
        return ours
    }

    /// Init Command Request with the name "test", and OpenSession with its one parameter.
    private static let heardFirst = (8 + 16 + 2 * 5 + 4) + 22

    /// Says OK to OpenSession, and then more than a client reads.
    private func talk(_ command: MemoryLink, _ event: MemoryLink) async {
        do {
            let scratch = Buffer(capacity: 4096)
            var heard = 0
            while heard < Self.heardFirst { heard += try await command.receive(into: scratch) }
            try await command.send(hex("0E 00 00 00 07 00 00 00 01 20 00 00 00 00"))
            while true {
                try await (floods == .command ? command : event).send(bytes)
                said.change { $0 += 1 }
            }
        } catch {
            // The session has hung up.
            return
        }
    }

    func session(_ change: (inout CameraSession.Options) -> Void = { _ in }) -> CameraSession {
        var options = CameraSession.Options(identity: InitCommandRequest(guid: .zero, name: "test"))
        change(&options)
        return CameraSession(links: self, executor: reactor, time: reactor, options: options)
    }
}

@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct FloodTests {
    /// A thousand packets that say nothing new.
    static let notices = [[UInt8]](
        repeating: hex("12 00 00 00 08 00 00 00 02 40 FF FF FF FF 01 00 00 00"), count: 1000
    )
    .flatMap { $0 }

    @Test("a flood ends the connection, and says so", arguments: Channel.allCases)
    func ends(channel: Channel) async throws {
        let camera = try Chatterbox(channel, Self.notices)
        let error = await #expect(throws: CameraError.self) {
            try await camera.session().run { session in
                for await _ in session.notices {}
                try await session.throwIfEnded()
            }
        }
        #expect(error?.ending?.isFlood == true, "\(String(describing: error))")
    }

    @Test(
        "while a link always has something to read, others of its thread have their turn",
        arguments: Channel.allCases)
    func givesWay(channel: Channel) async throws {
        let camera = try Chatterbox(channel, Self.notices)
        let reactor = camera.reactor
        try await camera.session {
            $0.timeouts.uselessPackets = .max
        }.run { [said = camera.said] _ in
            // Each is a job, a look at the clock and at the descriptors, and a job again.
            let turns = try await withTaskExecutorPreference(reactor) {
                var turns = 0
                let before = said.value
                while said.value < before + 300 {
                    try await reactor.sleep(until: reactor.now)
                    turns += 1
                }
                return turns
            }
            #expect(turns > 30, "three hundred thousand packets, and \(turns) turns for others")
        }
    }

    @Test("a flood does not keep a session from being left", arguments: Channel.allCases)
    func leaving(channel: Channel) async throws {
        let camera = try Chatterbox(channel, Self.notices)
        let session = camera.session { $0.timeouts.uselessPackets = .max }
        let task = Task {
            try await session.run { session in
                for await _ in session.notices {}
                try await session.throwIfEnded()
            }
        }
        while camera.said.value < 100 { await Task.yield() }
        let cancelled = camera.reactor.now
        task.cancel()
        _ = await task.result
        // No answer to CloseSession comes.
        let took = camera.reactor.now - cancelled
        // Any other question is given up after fourteen.
        #expect(took < Cases.within(.seconds(2), before: .seconds(14)), "\(took)")
    }
}
