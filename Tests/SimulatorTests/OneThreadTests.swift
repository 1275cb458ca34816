import Basics
import Link
import PTP
import Posix
import Simulator
import Synchronization
import TestSupport
import Testing

/// A camera, its clients and the time on one executor that a test turns by hand: what a simulation of everything is
/// built on.
@Suite struct OneThreadTests {
    @Test(
        "nothing of a camera runs anywhere but where it was put, and a seed decides all that it says",
        arguments: 0..<8)
    func sameAgain(seed: UInt64) throws {
        let first = try World(seed).run()
        #expect(try World(seed).run() == first)
        #expect(first.count > 50)
    }
}

/// Runs what it is given, one piece after another, on the thread that turns it.
private final class HandCrank: SerialExecutor, TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// False when there is nothing to run.
    func turn() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        return true
    }
}

private struct World {
    struct Stuck: Error {}

    let crank = HandCrank()
    let clock = ManualClock()
    let incoming = Mailbox<any ByteLink>()
    let camera: SimulatedCamera

    static let script = """
        hold-ack for=5s
        busy chance=20
        cut after=5000 chance=30
        reset after=0 chance=10 operation=0x1008
        stall after=100 for=3s chance=20
        flood kind=events rate=50 for=2s
        hang operation=0x1007 for=30s times=1
        vanish after-shots=2 for=1min
        unstable-guid
        """

    init(_ seed: UInt64) throws {
        var settings = SimulatedCamera.Settings()
        settings.script = try FaultScript(Self.script)
        settings.seed = seed
        settings.localSeconds = { 1_790_000_500 }
        settings.shots = 3
        settings.interval = .seconds(2)
        var card = VirtualCard.Settings()
        card.photoSize = 20_000
        card.seed = seed
        camera = SimulatedCamera(
            card: try VirtualCard(card, photos: 3), settings: settings, executor: crank, time: clock)
    }

    /// Everything that a client hears until it has all photos.
    func run() throws -> [[UInt8]] {
        let heard = Shared<[[UInt8]]>([])
        let isDone = Shared(false)
        let serving = Task(executorPreference: crank) { [incoming, camera] in
            let waiting = Shared<[any ByteLink]>([])
            await camera.run {
                while true {
                    if let link = waiting.change({ $0.isEmpty ? nil : $0.removeFirst() }) { return link }
                    guard let more = await incoming.next() else { throw LinkError.closedHere }
                    waiting.change { $0 += more }
                }
            }
        }
        let client = Task(executorPreference: crank) { [self] in
            // Three from the beginning and two shots; the third finds no card.
            var missing: Set<UInt32> = [3, 4, 5, 6, 7]
            while !missing.isEmpty { await visit(&missing, heard) }
            isDone.change { $0 = true }
        }
        while !isDone.value {
            if crank.turn() { continue }
            // There is nothing to do: the time may pass. What ran elsewhere would be missed here.
            guard let next = clock.nextDeadline else { throw Stuck() }
            clock.advance(by: next - clock.now)
        }
        client.cancel()
        incoming.close()
        serving.cancel()
        while crank.turn() {}
        return heard.value
    }

    private func link() -> HandLink {
        let (ours, theirs) = MemoryLink.pair(names: ("camera", "hand"))
        incoming.post(theirs)
        return HandLink(ours)
    }

    /// One connection, for as long as it lasts.
    private func visit(_ missing: inout Set<UInt32>, _ heard: Shared<[[UInt8]]>) async {
        let command = link()
        let event = link()
        defer {
            command.close()
            event.close()
        }
        do {
            try await command.say(Bytes.initCommandRequest)
            let ack = try await command.packet()
            heard.change { $0.append(ack) }
            try await event.say(Bytes.packet(3, Array(ack[8..<12])))
            let client = HandClient(command: command, event: event, ack: ack)
            let opened = try await client.ask(0x1002, [1])
            heard.change { $0 += opened.packets }
            while let number = missing.min() {
                for code in [0x1007, 0x1008, 0x1009] as [UInt16] {
                    let answer = try await client.ask(code, [code == 0x1007 ? 0xFFFF_FFFF : 0x10000 + number])
                    heard.change { $0 += answer.packets }
                    if code == 0x1009, answer.data.count == 20_000 { missing.remove(number) }
                    // A client that only asks again lets no time pass.
                    if answer.code != 0x2001 { try await clock.sleep(until: clock.now + .milliseconds(500)) }
                }
            }
        } catch {
            heard.change { $0.append([0]) }
        }
    }
}
