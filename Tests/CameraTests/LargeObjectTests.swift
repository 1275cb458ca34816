import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What has more bytes than 32 bits can say.
@Suite struct LargeObjectTests {
    static let size: UInt64 = (4 << 30) + (2 << 20) + 77

    func rig(_ script: String = "") throws -> Rig {
        try Rig(script, photos: 1, size: Self.size)
    }

    @Test("the listing has the true size, which ObjectInfo cannot say")
    func listed() async throws {
        let rig = try rig()
        let photo = try await rig.connected { session in
            _ = try await session.device()
            return try await session.list().objects.first { !$0.info.isFolder }
        }
        #expect(photo?.info.compressedSize == .max)
        #expect(photo?.size == Self.size)
    }

    @Test("parts go across the border of 4 GiB without a byte out of place")
    func parts() async throws {
        let rig = try rig()
        let from: UInt64 = (4 << 30) - (1 << 20)
        let got = Shared<[UInt8]>([])
        let fetched = try await rig.connected { [workers = rig.workers] session in
            try await session.fetch(
                .firstPhoto, .parts(of: 1_000_000, from: from, size: Self.size), into: OffsetSink(got, from),
                workers: workers)
        }
        #expect(fetched.received == Self.size - from)
        #expect(got.value == (try Self.bytes(from..<Self.size)))
    }

    static func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
        let description = PhotoDescription(
            make: "Tetherline", model: "Generic", serial: "0001", number: 1,
            date: DateTime(secondsSince1970: 1_790_000_000, tenth: 1), seed: 1)
        return try GeneratedPhoto(jpeg: description, size: size, noise: Noise(seed: 1)).bytes(range)
    }
}

/// Keeps what comes from an offset on.
private struct OffsetSink: PayloadSink {
    let got: Shared<[UInt8]>
    let start: UInt64

    init(_ got: Shared<[UInt8]>, _ start: UInt64) {
        self.got = got
        self.start = start
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        got.change { got in
            precondition(UInt64(got.count) + start == offset, "bytes come in order, without holes")
            got += bytes
        }
    }
}
