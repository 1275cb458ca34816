import Posix
import TestSupport
import Testing

@Suite struct ServiceManagerTests {
    let socket: NotifySocket

    init() throws {
        socket = try NotifySocket()
    }

    private func manager(_ more: [String: String] = [:], process: Int32 = 7) throws -> ServiceManager {
        let environment = more.merging(["NOTIFY_SOCKET": socket.path]) { $1 }
        return try #require(try ServiceManager(environment: { environment[$0] }, process: process))
    }

    @Test(
        "the manager is told byte by byte what systemd-notify tells it",
        .enabled(if: Tool.isThere("systemd-notify"), "systemd-notify is not installed"))
    func asSystemdNotify() throws {
        let judge = try #require(Tool("systemd-notify"))
        let environment = ["NOTIFY_SOCKET": socket.path]
        for (words, notices): ([String], [ServiceManager.Notice]) in [
            (["--ready", "--status=5 queued, Zürich"], [.ready, .status("5 queued, Zürich")]),
            (["WATCHDOG=1"], [.working]), (["STOPPING=1"], [.stopping]),
            (["WATCHDOG=1", "STATUS=x"], [.working, .status("x")]),
        ] {
            // Otherwise it waits until it has been heard, by a message more.
            let said = try judge.run(["--no-block"] + words, environment: environment)
            #expect(said.code == 0, "\(said.errors)")
            let expected = try #require(socket.next())
            try manager().tell(notices)
            #expect(socket.next() == expected)
        }
    }

    @Test("a status is one line, whatever an event is called")
    func oneLine() throws {
        try manager().tell([.status("Wedding\nREADY=1\r\nX=1"), .working])
        #expect(socket.next() == ["STATUS=Wedding READY=1 X=1", "WATCHDOG=1"])
    }

    @Test("a name that is no file is told, too")
    func abstract() throws {
        let script = """
            import socket, sys
            door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            door.bind('\\0' + sys.argv[1])
            print('bound', flush=True)
            print(door.recv(4096), flush=True)
            """
        let name = "tetherline-test-\(socket.path.split(separator: "/").joined())"
        let peer = try Daemon(#require(Tool("python3")).path, ["-c", script, name])
        try peer.wait(for: "bound")
        let manager = try ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? "@\(name)" : nil })
        manager?.tell([.ready])
        try peer.wait(for: "b'READY=1'")
    }

    @Test("without a manager there is none, and an address that is none is refused")
    func none() throws {
        #expect(try ServiceManager(environment: { _ in nil }) == nil)
        #expect(try ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? "" : nil }) == nil)
        for address in ["vsock:2:1", "relative/path", "/" + String(repeating: "x", count: 107)] {
            #expect(throws: SystemError.self) {
                try ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? address : nil })
            }
        }
    }

    @Test("it watches the process that it names, and where it names none, this one")
    func watches() throws {
        #expect(try manager().watchdog == nil)
        #expect(try manager(["WATCHDOG_USEC": "120000000"]).watchdog == .seconds(120))
        #expect(try manager(["WATCHDOG_USEC": "5000", "WATCHDOG_PID": "7"]).watchdog == .milliseconds(5))
        #expect(try manager(["WATCHDOG_USEC": "5000", "WATCHDOG_PID": "8"]).watchdog == nil)
        for text in ["0", "-5", "soon", ""] {
            #expect(try manager(["WATCHDOG_USEC": text]).watchdog == nil, "\(text)")
        }
    }

    @Test("a manager that has gone, or that takes nothing, holds nothing up")
    func gone() throws {
        let manager = try manager()
        // Nothing reads them: from some message on the socket takes no more.
        for _ in 0..<10_000 { manager.tell([.working]) }
        let away = try ServiceManager(environment: { $0 == "NOTIFY_SOCKET" ? "\(socket.path)-away" : nil })
        away?.tell([.working])
        #expect(socket.next() == ["WATCHDOG=1"])
    }

    // MARK: The heartbeat

    private struct Beating {
        let task: Task<Void, Never>
        let clock: ManualClock
        let reports: Shared<[String]>
    }

    private func beat(_ answer: @escaping @Sendable () async -> Void) throws -> Beating {
        let (clock, reports) = (ManualClock(), Shared<[String]>([]))
        let heartbeat = ServiceHeartbeat(
            try manager(["WATCHDOG_USEC": "40000000"]),
            parts: [
                ServiceHeartbeat.Part("the first") {}, ServiceHeartbeat.Part("the ledger", answer: answer),
            ],
            time: clock, line: { "5 queued" }, report: { text in reports.change { $0.append(text) } })
        // Not on the pool, whose threads the tests hold while they receive.
        let thread = ThreadExecutor(name: "beat")
        return Beating(
            task: Task(executorPreference: thread) { await heartbeat.run() }, clock: clock, reports: reports)
    }

    private static let alive = ["WATCHDOG=1", "STATUS=5 queued"]

    @Test("it is ready once every part has answered, works as long as they do, and says when it ends")
    func life() async throws {
        let beating = try beat {}
        #expect(socket.next() == ["READY=1"] + Self.alive)
        for _ in 0..<3 {
            // Both that tell are asleep: no turn is missed.
            await beating.clock.waitForSleepers(2)
            beating.clock.advance(by: .seconds(10))
            #expect(socket.next() == Self.alive)
        }
        await beating.clock.waitForSleepers(2)
        beating.task.cancel()
        await beating.task.value
        #expect(socket.next()?.first == "STOPPING=1")
        #expect(socket.next(within: 0) == nil)
        #expect(beating.reports.value.isEmpty)
    }

    @Test("a part that gives no answer ends the messages, is named, and begins them again when it is back")
    func stuck() async throws {
        let (goesOn, isAsked, isStuck) = (Signal(), Signal(), Shared(false))
        let beating = try beat {
            guard isStuck.value else { return }
            isAsked.fire()
            await goesOn.wait()
        }
        #expect(socket.next() == ["READY=1"] + Self.alive)
        await beating.clock.waitForSleepers(2)
        isStuck.change { $0 = true }
        beating.clock.advance(by: .seconds(10))
        await isAsked.wait()
        for _ in 0..<6 {
            await beating.clock.waitForSleepers(1)
            beating.clock.advance(by: .seconds(10))
            await beating.clock.waitForSleepers(1)
        }
        let words =
            "the ledger has not answered for 20.0 s; unless it does within 20.0 s, the service manager starts this "
        #expect(socket.next() == ["STATUS=\(words)program anew"])
        #expect(beating.reports.value == ["\(words)program anew"])
        // A minute is longer than the manager waits, and nothing more has come.
        #expect(socket.next(within: 0) == nil)
        isStuck.change { $0 = false }
        goesOn.fire()
        #expect(socket.next() == Self.alive)
        beating.task.cancel()
        await beating.task.value
    }

    @Test("a part that never answers does not keep it from saying that it ends")
    func endsWhileStuck() async throws {
        let goesOn = Signal()
        let beating = try beat { await goesOn.wait() }
        await beating.clock.waitForSleepers(1)
        beating.task.cancel()
        #expect(socket.next()?.first == "STOPPING=1")
        goesOn.fire()
        await beating.task.value
        // It was never ready.
        #expect(socket.next(within: 0) == nil)
    }
}
