import PTP
import Simulator
import TestSupport
import Testing

/// What is wrong with objects and with what a camera says of them.
@Suite struct ObjectFaultTests {
    static let photo: UInt32 = 0x0001_0003

    /// The operations that DeviceInfo lists.
    func offered(_ client: HandClient) async throws -> Set<UInt16> {
        let info = try DeviceInfo(decoding: try await client.ask(0x1001).data[...])
        return Set(info.operations.map(\.rawValue))
    }

    func size(_ client: HandClient, _ handle: UInt32) async throws -> UInt32 {
        try ObjectInfo(decoding: try await client.ask(0x1008, [handle]).data[...]).compressedSize
    }

    @Test(
        "parts that are offered and refused, each with the code asked for",
        arguments: [
            0x2005, 0x2002, 0x201D, 0xA001,
        ] as [UInt16])
    func refuseParts(code: UInt16) async throws {
        let bench = try HandBench("refuse-parts code=0x\(String(code, radix: 16))")
        let client = try await bench.connected()
        #expect(try await offered(client).isSuperset(of: [0x101B, 0x95C1]))
        #expect(try await client.ask(0x101B, [Self.photo, 0, 10]).code == code)
        #expect(try await client.ask(0x95C1, [Self.photo, 0, 0, 10]).code == code)
        #expect(try await client.ask(0x1009, [Self.photo]).data.count == 20_000)
    }

    @Test("an object that there is only in parts")
    func noWholeObjects() async throws {
        let bench = try HandBench("no-whole-objects")
        let client = try await bench.connected()
        #expect(try await !offered(client).contains(0x1009))
        #expect(try await client.ask(0x1009, [Self.photo]).code == 0x2005)
        #expect(try await client.ask(0x101B, [Self.photo, 0, 10]).data.count == 10)
    }

    @Test("a camera that gives an object's beginning, whatever it was asked for")
    func ignoreOffset() async throws {
        let bench = try HandBench("ignore-offset object=0x00010003")
        let client = try await bench.connected()
        let whole = try await client.ask(0x1009, [Self.photo]).data
        #expect(try await client.ask(0x101B, [Self.photo, 5000, 300]).data == Array(whole[..<300]))
        #expect(try await client.ask(0x101B, [Self.photo, 19_990, 300]).data == Array(whole[..<10]))
        #expect(try await client.ask(0x95C1, [Self.photo, 77, 0, 3]).data == Array(whole[..<3]))
        let other = try await client.ask(0x1009, [Self.photo + 1]).data
        #expect(try await client.ask(0x101B, [Self.photo + 1, 5000, 3]).data == Array(other[5000..<5003]))
    }

    @Test(
        "parts that are longer or shorter than was asked for",
        arguments: [(7, 100, 107), (-7, 100, 93), (-200, 100, 0), (50, 19_980, 70)])
    func partLength(by: Int, start: Int, count: Int) async throws {
        let bench = try HandBench("part-length by=\(by)")
        let client = try await bench.connected()
        let whole = try await client.ask(0x1009, [Self.photo]).data
        let part = try await client.ask(0x101B, [Self.photo, UInt32(start), 100])
        let padded = whole + [UInt8](repeating: 0, count: 1000)
        #expect(part.data == Array(padded[start..<start + count]))
        #expect(part.parameters == [UInt32(count)])
    }

    @Test("a size that is not the object's, for as long as the script says")
    func wrongSize() async throws {
        let bench = try HandBench(
            "wrong-size by=-500 object=0x00010003 times=2\nwrong-size as=77 object=0x00010004")
        let client = try await bench.connected()
        #expect(try await size(client, Self.photo) == 19_500)
        #expect(try await size(client, Self.photo) == 19_500)
        #expect(try await size(client, Self.photo) == 20_000)
        #expect(try await size(client, Self.photo + 1) == 77)
        #expect(try await client.ask(0x1009, [Self.photo + 1]).data.count == 20_000)
        #expect(try await size(client, Self.photo + 2) == 20_000)
    }

    @Test("a photo that begins as no photo does, from its first byte to the last of that beginning")
    func foreignBeginning() async throws {
        let bench = try HandBench("foreign-beginning times=1\nforeign-beginning as=png object=0x00010004")
        let client = try await bench.connected()
        let plainBench = try HandBench()
        let plain = try await plainBench.connected()
        let beginnings: [[UInt8]] = [
            [UInt8](repeating: 0, count: 16), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [],
        ]
        for (number, beginning) in beginnings.enumerated() {
            let handle = Self.photo + UInt32(number)
            let own = try await plain.ask(0x1009, [handle]).data
            let expected = beginning + own.dropFirst(beginning.count)
            #expect(try await client.ask(0x1009, [handle]).data == expected)
            #expect(try await client.ask(0x101B, [handle, 5, 10]).data == Array(expected[5..<15]))
            #expect(try await size(client, handle) == 20_000)
        }
        let photos = await bench.camera.photos()
        #expect(try photos[0].bytes().prefix(16) == [UInt8](repeating: 0, count: 16)[...])
    }

    @Test("a photo without a byte says so, and is given as what it is")
    func emptyObject() async throws {
        let bench = try HandBench("empty-object skip=1 times=1", size: 100_000)
        let client = try await bench.connected()
        #expect(try await size(client, Self.photo + 1) == 0)
        #expect(try await client.ask(0x1009, [Self.photo + 1]).types == [9, 12, 7])
        let part = try await client.ask(0x101B, [Self.photo + 1, 0, 100])
        #expect(part.code == 0x2001 && part.data.isEmpty && part.parameters == [0])
        #expect(try await client.ask(0x100A, [Self.photo + 1]).code == 0x2010)
        #expect(try await size(client, Self.photo) == 100_000)
        #expect(await bench.camera.photos().map(\.size) == [100_000, 0, 100_000])
        #expect(await bench.camera.shoot() == [ObjectHandle(rawValue: Self.photo + 3)])
        #expect(try await size(client, Self.photo + 3) == 100_000)
    }
}
