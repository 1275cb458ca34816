import PTP
import Simulator
import TestSupport
import Testing

/// What of an object lasts.
@Suite struct CardConductTests {
    static let photo: UInt32 = 0x0001_0003
    static let stableID: UInt32 = 0xDC41

    @Test("what an object is known by outlives new handles and connections, and no two share it")
    func stableIDs() async throws {
        let bench = try HandBench("renumber") { _, card in card.slots = 2 }
        func ids() async throws -> [[UInt8]] {
            let client = try await bench.connected()
            defer {
                client.command.close()
                client.event.close()
            }
            let handles = try HandleList(decoding: try await client.ask(0x1007, [0xFFFF_FFFF]).data[...])
                .handles
            var ids: [[UInt8]] = []
            for handle in handles {
                ids.append(try await client.ask(0x9803, [handle.rawValue, Self.stableID]).data)
            }
            return ids
        }
        let before = try await ids()
        #expect(before.count == 7 && Set(before).count == 7 && before.allSatisfy { $0.count == 16 })
        #expect(before[0][4..<8] == [1, 0, 0, 0])
        #expect(try await ids() == before)
    }

    @Test("the lasting identifier is described, and stands in lists of properties; or it is nowhere")
    func describedIDs() async throws {
        let (bench, bare) = (try HandBench(), try HandBench("no-stable-ids"))
        let client = try await bench.connected()
        #expect(try await client.ask(0x9801, [0x3801]).data.suffix(2) == [0x41, 0xDC])
        let description = try await client.ask(0x9802, [Self.stableID, 0x3801]).data
        #expect(description.prefix(5) == [0x41, 0xDC, 0x0A, 0x00, 0x00])
        let rows = try ObjectPropertyList(
            decoding: try await client.ask(0x9805, [Self.photo, 0, Self.stableID]).data[...]
        ).rows
        #expect(rows.count == 1 && rows.first?.type == .uint128)
        let without = try await bare.connected()
        #expect(try await without.ask(0x9801, [0x3801]).data.suffix(2) == [0x8A, 0xDC])
        #expect(try await without.ask(0x9802, [Self.stableID, 0x3801]).code == 0x201D)
        #expect(try await without.ask(0x9803, [Self.photo, Self.stableID]).code == 0x201D)
        #expect(try await without.ask(0x9805, [Self.photo, 0, Self.stableID]).data == [0, 0, 0, 0])
    }
}
