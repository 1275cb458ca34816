import PTP
import Simulator
import TestSupport
import Testing

/// What goes wrong with an answer, packet by packet, as a client of hand-written bytes sees it.
@Suite struct AnswerFaultTests {
    static let photo: UInt32 = 0x0001_0003

    /// Operations about an object, and what is asked with them.
    static let operations: [(code: UInt16, more: [UInt32])] = [
        (0x1008, []), (0x1009, []), (0x100A, []), (0x101B, [0, 100]), (0x101B, [19_999, 100]),
        (0x101B, [20_000, 100]), (0x95C1, [7, 0, 100]),
    ]

    @Test(
        "an answer to any operation about an object ends before its first byte, and both links with it",
        arguments: operations, ["cut", "reset"])
    func beforeTheFirstByte(operation: (code: UInt16, more: [UInt32]), fault: String) async throws {
        let bench = try HandBench("\(fault) after=0 object=0x00010003 times=1", size: 20_000)
        let client = try await bench.connected()
        #expect(try await client.ask(0x1008, [Self.photo + 1]).code == 0x2001)
        try await client.request(operation.code, [Self.photo] + operation.more)
        let rest = await client.command.rest()
        // Start Data may be out; nothing of the data and no response is.
        #expect(rest.allSatisfy { $0[4] == 9 }, "\(rest)")
        #expect(await client.event.rest().isEmpty)
        let again = try await bench.connected()
        #expect(try await again.ask(operation.code, [Self.photo] + operation.more).code != 0x2002)
    }

    @Test("an answer without data stalls as well, and comes when the time has passed")
    func stallWithoutData() async throws {
        let clock = ManualClock()
        let bench = try HandBench("stall after=0 for=5s operation=0x1012", clock: clock)
        let client = try await bench.connected()
        try await client.request(0x1012, [Self.photo, 1])
        await bench.waitForLog("stalling")
        await clock.waitForSleeper(until: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await client.answer().packets == [Bytes.response(0x2001, 1)])
    }

    @Test(
        "an answer may end behind its last byte, before the response",
        arguments: ["one-end", "data-then-end"])
    func behindTheLastByte(mode: String) async throws {
        let bench = try HandBench("packets mode=\(mode)\ncut after=100 operation=0x101B")
        let client = try await bench.connected()
        try await client.request(0x101B, [Self.photo, 0, 100])
        let rest = await client.command.rest()
        #expect(rest.map { $0[4] } == [9, 12] && rest.last?.count == 112)
    }

    @Test("two rules of one kind are two objects' own")
    func twoRules() async throws {
        let bench = try HandBench("cut after=5000 object=0x00010003\ncut after=0 object=0x00010004")
        let client = try await bench.connected()
        try await client.request(0x1009, [Self.photo + 1])
        #expect(await client.command.rest().allSatisfy { $0[4] == 9 })
        let again = try await bench.connected()
        try await again.request(0x1009, [Self.photo])
        _ = try await again.command.packet()
        #expect(try await again.command.bytes(12 + 5000).count == 5012)
    }

    @Test("data that is out of step has the packets that do not belong there, and its bytes besides")
    func outOfStep() async throws {
        let kinds: [(String, [UInt32])] = [
            ("no-start", [10, 12, 7]), ("start-twice", [9, 9, 10, 12, 7]),
            ("unknown-packet", [9, 200, 10, 12, 7]), ("wrong-transaction", [9, 10, 12, 7]),
        ]
        for (kind, types) in kinds {
            let bench = try HandBench("out-of-step kind=\(kind) operation=0x1008")
            let client = try await bench.connected()
            let answer = try await client.ask(0x1008, [Self.photo])
            #expect(answer.types == types, "\(kind)")
            let ids = zip(answer.types, answer.packets).filter { [10, 12].contains($0.0) }
                .map { Bytes.number($0.1[8..<12]) }
            #expect(ids == (kind == "wrong-transaction" ? [1001, 1001] : [1, 1]), "\(kind)")
            #expect(answer.code == 0x2001 && answer.data.count > 50)
            #expect(try await client.ask(0x1007, [0xFFFF_FFFF]).types == [9, 10, 12, 7])
        }
    }

    @Test("data instead of which comes OK alone", arguments: [0x1004, 0x1007, 0x1008] as [UInt16])
    func noDataPhase(code: UInt16) async throws {
        let bench = try HandBench("no-data-phase operation=0x\(String(code, radix: 16))")
        let client = try await bench.connected()
        let parameter: UInt32 = code == 0x1008 ? Self.photo : 0xFFFF_FFFF
        #expect(try await client.ask(code, [parameter]).packets == [Bytes.response(0x2001, 1)])
        #expect(try await client.ask(0x1001).types == [9, 10, 12, 7])
    }

    @Test("every response has five parameters, its own first")
    func fiveParameters() async throws {
        let bench = try HandBench("five-parameters")
        let client = try await bench.greeted()
        #expect(try await client.ask(0x1002, [1]).parameters == [0, 0, 0, 0, 0])
        #expect(try await client.ask(0x1006, [0xFFFF_FFFF]).parameters == [5, 0, 0, 0, 0])
        #expect(try await client.ask(0x101B, [Self.photo, 0, 10]).parameters == [10, 0, 0, 0, 0])
        #expect(try await client.ask(0x1003).parameters == [0, 0, 0, 0, 0])
    }

    @Test("StorageInfo ends behind its numbers, or among them", arguments: [26, 12, 0])
    func shortStorageInfo(bytes: Int) async throws {
        let bench = try HandBench("short-storage-info bytes=\(bytes)")
        let client = try await bench.connected()
        let answer = try await client.ask(0x1005, [0x0001_0001])
        #expect(answer.code == 0x2001 && answer.data.count == bytes)
        #expect(answer.data.prefix(2) == [4, 0].prefix(bytes))
    }
}
