import Bridge
import Digest
import TestSupport
import Testing
import Upload
import WorldSupport

/// What was delivered is looked at, and delivered again.
extension DestinationConformance {
    private func receipt(_ job: Job, _ name: String?) throws -> Receipt {
        Receipt(key: try #require(name), size: job.photo.size, sha256: job.photo.sha256)
    }

    func lookedAt() async throws {
        var receipts: [Receipt] = []
        for (number, count) in [1, 99_999, 100_000, 9 << 20, 0].enumerated() {
            let job = try spool.job(Int64(number), "DSC_\(number).JPG", photoBytes(UInt64(number), count))
            receipts.append(try receipt(job, await deliver(job)))
        }
        #expect(await standings(receipts) == Array(repeating: .there, count: 5))
        let read = Shared(SHA256())
        try await place.destination.read(receipts[3]) { piece in
            read.change { hash in piece.withUnsafeBytes { hash.update($0) } }
            return true
        }
        #expect("\(read.value.finish())" == receipts[3].sha256)

        try place.overwrite("DSC_1.JPG", photoBytes(1, 99_998))
        try place.overwrite("DSC_2.JPG", photoBytes(99, 100_000))
        try place.overwrite(
            "DSC_3.JPG", photoBytes(3, (9 << 20) - 1) + [photoBytes(3, 9 << 20)[9 << 20 - 1] ^ 1])
        let found = await standings(receipts)
        #expect(found[0] == .there && found[4] == .there)
        #expect(found[1] == .altered("it has 99998 bytes and had 99999"))
        let otherBytes = Standing.altered("it has another SHA-256 than when it was delivered")
        #expect(found[2] == otherBytes && found[3] == otherBytes)
        place.clear()
        #expect(await standings(receipts) == Array(repeating: .gone, count: 5))
        #expect(place.sizes().isEmpty && place.unfinished().isEmpty, "looking leaves nothing there")
    }

    private func standings(_ receipts: [Receipt]) async -> [Standing] {
        await place.destination.readBack(receipts)
    }

    func sameNameAgain() async throws {
        let first = try spool.job(1, "A.JPG", photoBytes(1))
        var second = try spool.job(2, "A.JPG", photoBytes(2))
        #expect(await deliver(first) == "A.JPG")
        #expect(await deliver(second) == "A-2.JPG")
        place.clear()
        second.formerName = "A-2.JPG"
        #expect(await deliver(second) == "A-2.JPG")
        #expect(await deliver(second) == "A-2.JPG", "also when the answer was lost")
        #expect(await deliver(first) == "A.JPG")
        #expect(try place.arrived() == ["A.JPG": photoBytes(1), "A-2.JPG": photoBytes(2)])
        var third = try spool.job(3, "A.JPG", photoBytes(3))
        third.formerName = "A.JPG"
        #expect(await deliver(third) == "A-3.JPG", "nothing of others is replaced")
    }
}
