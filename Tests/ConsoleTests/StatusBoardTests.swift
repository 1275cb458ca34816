import Basics
import Bridge
import Console
import Posix
import Store
import TestSupport
import Testing
import WorldSupport

/// One status, many readers.
@Suite struct StatusBoardTests {
    private static let place = "192.168.1.1:15740"

    /// A board over a real ledger, and how often the ledger was opened for it.
    private struct Stand {
        let folder: TemporaryFolder
        let board: StatusBoard
        let opened = Shared(0)
        let ledger: Ledger

        init(
            space: @escaping @Sendable () throws -> BridgeStatus.Disk = {
                BridgeStatus.Disk(free: 3, total: 4)
            }
        )
            async throws
        {
            let executor = ThreadExecutor(name: "test board")
            let folder = try TemporaryFolder()
            let path = folder.file(Ledger.fileName)
            ledger = try Ledger(
                path: path, executor: executor, wall: TestCalendar(ManualClock()), random: SeededSource(1))
            self.folder = folder
            let event = try await ledger.event("wedding")
            board = StatusBoard(
                event: event, cameras: [place], destinations: [], executor: executor,
                openReader: { [opened] in
                    opened.change { $0 += 1 }
                    return try LedgerReader(path: path)
                },
                space: space, sending: { [:] }, wall: TestCalendar(ManualClock()))
        }
    }

    private static func shown(_ state: TransferState) -> BridgeNews {
        .camera(CameraNews(place: place, .state(state)))
    }

    private static func arrived(_ number: Int64) -> BridgeNews {
        let photo = StagedPhoto(file: "f", size: 1, sha256: "")
        return .camera(CameraNews(place: place, .staged(CaptureID(number), path: "p", photo)))
    }

    /// So many news as they come.
    private static func read(_ count: Int, from reader: NewsSubscription) async -> [BridgeNews] {
        var news: [BridgeNews] = []
        while news.count < count, let batch = await reader.nextBatch() { news += batch }
        return news
    }

    @Test(
        "every reader is told everything from when it came on, in order, until it leaves or the bridge ends")
    func readers() async throws {
        let stand = try await Stand()
        let board = stand.board
        defer { withExtendedLifetime(stand) {} }
        let running = Task { await board.run() }
        let (first, second) = (await board.subscribe(), await board.subscribe())
        let news = (Int64(1)...100).map { Self.arrived($0) }
        for one in news { board.tell(one) }
        #expect(await Self.read(100, from: first) == news)
        #expect(await Self.read(100, from: second) == news)
        let late = await board.subscribe()
        await board.unsubscribe(second)
        board.tell(.paused(true))
        await board.finish()
        await running.value
        #expect(await first.nextBatch() == [.paused(true)])
        #expect(await late.nextBatch() == [.paused(true)])
        for reader in [first, second, late, await board.subscribe()] {
            #expect(await reader.nextBatch() == nil)
        }
    }

    @Test("a reader that does not read holds up no other, and is told how much it missed")
    func slowReader() async throws {
        let stand = try await Stand()
        let board = stand.board
        defer { withExtendedLifetime(stand) {} }
        let running = Task { await board.run() }
        let (slow, quick) = (await board.subscribe(), await board.subscribe())
        var sent: [BridgeNews] = []
        let turn = NewsSubscription.limit - 1000
        for round in Int64(0)..<2 {
            let news = (0..<Int64(turn)).map { Self.arrived(round * Int64(turn) + $0) }
            for one in news { board.tell(one) }
            sent += news
            #expect(await Self.read(turn, from: quick) == news)
        }
        let kept = await slow.nextBatch()
        #expect(
            kept == Array(sent.prefix(NewsSubscription.limit)) + [.missed(2 * turn - NewsSubscription.limit)])
        board.tell(.paused(true))
        #expect(await slow.nextBatch() == [.paused(true)], "from here on it hears again")
        await board.finish()
        await running.value
    }

    @Test("a wait for news ends when its task is cancelled")
    func cancelled() async throws {
        let stand = try await Stand()
        let board = stand.board
        defer { withExtendedLifetime(stand) {} }
        let reader = await board.subscribe()
        let waiting = Task { await reader.nextBatch() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        board.tell(.paused(true))
        #expect(try await board.status().isPaused)
        #expect(await reader.nextBatch() == [.paused(true)])
    }

    @Test(
        "the status is what was told last, also before it has been folded, over one connection to the ledger"
    )
    func status() async throws {
        let stand = try await Stand()
        stand.board.tell(.camera(CameraNews(place: Self.place, .connection(.ready))))
        stand.board.tell(Self.shown(.fetching("100/P1.JPG")))
        let fetching = try await stand.board.status()
        #expect(fetching.isRunning && fetching.cameras.map(\.phase) == [.fetching])
        #expect(fetching.spool == BridgeStatus.Disk(free: 3, total: 4) && fetching.event?.name == "wedding")
        for _ in 0..<100 {
            stand.board.tell(Self.shown(.idle))
            #expect(try await stand.board.status().cameras.map(\.phase) == [.idle])
        }
        #expect(stand.opened.value == 1)
    }

    @Test("a spool that cannot be looked at costs its line, and not the status")
    func withoutSpace() async throws {
        let stand = try await Stand { throw DiskError(.missing, "/spool: it is gone") }
        let status = try await stand.board.status()
        #expect(status.isRunning && status.event?.name == "wedding" && status.spool == nil)
        #expect(status.notes.count == 1 && status.notes[0].contains("/spool: it is gone"))
        // It is not told again and again.
        #expect(try await stand.board.status().notes == status.notes)
    }

    @Test("a signal rings when so much has got further, at once where it has already")
    func milestone() async throws {
        let stand = try await Stand()
        let board = stand.board
        defer { withExtendedLifetime(stand) {} }
        let running = Task { await board.run() }
        let signal = Signal()
        await board.ring(signal, atProgress: 2)
        for number in Int64(1)...2 { board.tell(Self.arrived(number)) }
        await signal.wait()
        #expect(await board.progress == 2)
        await board.ring(signal, atProgress: 1)
        await signal.wait()
        board.tell(.camera(CameraNews(place: Self.place, .givenUp(nil, path: "object 0x7", "cut"))))
        #expect(await board.troubles == 1)
        #expect(await board.notDescribed == ["\(Self.place) object 0x7"])
        await board.finish()
        await running.value
    }
}
