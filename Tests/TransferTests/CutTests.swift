import Basics
import Bridge
import Link
import PTP
import Simulator
import Store
import TestSupport
import Testing
import Transfer

/// A camera that is cut off in the middle of objects: no torn file, and nothing is fetched twice that need not be.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CutTests {
    static let size: UInt64 = 1_500_000
    static let places: [Int] = stride(from: 64 << 10, to: Int(size), by: 64 << 10).map { $0 }

    static func photo(_ number: Int, size: UInt64) throws -> [UInt8] {
        let description = PhotoDescription(
            make: "Tetherline", model: "Generic", serial: "0001", number: number,
            date: DateTime(secondsSince1970: 1_790_000_000 + Int64(number - 1) * 2, tenth: number % 10),
            seed: 1)
        return try GeneratedPhoto(jpeg: description, size: size, noise: Noise(seed: 1)).bytes(0..<size)
    }

    @Test("cut after so many bytes of an object: it is resumed where it was cut", arguments: places)
    func everyPlace(place: Int) async throws {
        let bench = try await TransferBench("cut after=\(place) times=1", photos: 1, size: Self.size)
        let moved = try await bench.run { $0.isStaged(1) }
        let beginnings = bench.events.value.compactMap { event -> UInt64? in
            guard case .began(_, _, _, let from) = event else { return nil }
            return from
        }
        // Every byte that was sent before the cut is kept.
        #expect(beginnings == [0, UInt64(place)])
        #expect(moved == Self.size)
        let files = try bench.spooled()
        #expect(files.count == 1)
        #expect(files["1-TETH0001.JPG"] == (try Self.photo(1, size: Self.size)))
        #expect(bench.partials().isEmpty)
    }

    @Test(
        "200 objects over a link that breaks at random: all whole, and nine tenths of what was there is kept")
    func random() async throws {
        let size: UInt64 = 150_000
        // Now and then inside a header, a listing, or a photo.
        let bench = try await TransferBench(
            photos: 200, size: size,
            plan: { connection, channel in
                var plan = FaultPlan()
                guard channel == .command else { return plan }
                var random = Seeded(UInt64(connection))
                let after = Int.random(in: 100_000...3_000_000, using: &random)
                plan.receiving.faults = [(after: after, fault: random.chance(50) ? .end : .reset)]
                return plan
            })
        let moved = try await bench.run { $0.isStaged(200) }
        let files = try bench.spooled()
        #expect(files.count == 200)
        for number in 1...200 {
            let digits = String(String(10_000 + number).dropFirst())
            let name = "\(number)-TETH\(digits).JPG"
            #expect(files[name] == (try Self.photo(number, size: size)), "\(name)")
        }
        #expect(bench.partials().isEmpty)
        let connections = bench.events.value.count {
            if case .connection(.ready) = $0 { true } else { false }
        }
        #expect(connections > 10)
        let resumed = bench.events.value.reduce(UInt64(0)) { sum, event in
            guard case .began(_, _, _, let from) = event else { return sum }
            return sum + from
        }
        let fetchedTwice = Int(moved) - 200 * Int(size)
        #expect(fetchedTwice >= 0)
        #expect(resumed > 0)
        #expect(
            fetchedTwice * 9 <= Int(resumed),
            "\(fetchedTwice) of \(fetchedTwice + Int(resumed)) bytes came twice")
        #expect(try await bench.counts().captures == [.staged: 200])
    }

    @Test("a camera without partial reads gives the whole photo again")
    func withoutPartialReads() async throws {
        let bench = try await TransferBench(
            "no-partial-reads\ncut after=700000 times=1", photos: 1, size: Self.size)
        try await bench.run { $0.isStaged(1) }
        #expect(try bench.spooled()["1-TETH0001.JPG"] == (try Self.photo(1, size: Self.size)))
        #expect(bench.partials().isEmpty)
    }
}
