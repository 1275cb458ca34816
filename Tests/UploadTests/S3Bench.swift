import Bridge
import Glibc
import Posix
import S3
import TestSupport
import Testing
import Upload
import WorldSupport

/// What delivering costs beside `curl --parallel`, which gets its URLs signed in advance. By hand:
/// `TETHERLINE_BENCH=s3 swift test -c release --filter UploadTests.S3Bench`.
@Suite(.serialized) struct S3Bench {
    static let isWanted = getenv("TETHERLINE_BENCH").map { String(cString: $0) } == "s3"
    /// At a time, for both.
    static let slots = 4
    static let loads = [(count: 100, size: 8_000_000), (count: 2000, size: 100_000)]

    /// Of this process, without its children.
    private static func seconds() -> Double {
        var usage = rusage()
        getrusage(Int32(truncatingIfNeeded: RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    @Test("buckets", .enabled(if: isWanted, "by hand"), arguments: loads)
    func bench(count: Int, size: Int) async throws {
        let spool = try TestSpool()
        let jobs = try (0..<count).map { try spool.job(Int64($0), "\($0).JPG", photoBytes(UInt64($0), size)) }
        for round in 1...3 {
            let place = try S3Place(spool)
            let (began, used) = (MonotonicClock.now, Self.seconds())
            await deliver(jobs, place)
            print(
                "bench: ours, \(count) of \(size), round \(round): \(MonotonicClock.now - began) wall,",
                "\(Self.seconds() - used) s CPU")
            #expect(place.sizes.count == min(count, 1000))
            try curl(jobs, spool, count, size, round)
        }
    }

    private func deliver(_ jobs: [Job], _ place: S3Place) async {
        await withTaskGroup(of: Bool.self) { group in
            var rest = jobs[...]
            for _ in 0..<Self.slots {
                if let job = rest.popFirst() { group.addTask { await place.deliver(job).receipt != nil } }
            }
            while let isDelivered = await group.next() {
                #expect(isDelivered)
                if let job = rest.popFirst() { group.addTask { await place.deliver(job).receipt != nil } }
            }
        }
    }

    private func curl(_ jobs: [Job], _ spool: TestSpool, _ count: Int, _ size: Int, _ round: Int) throws {
        let place = try S3Place(spool)
        let site = try S3Site(bucket: place.bucket, region: "us-east-1", endpoint: place.store.endpoint)
        let keys = S3Keys(id: SeaweedFS.keyID, secret: SeaweedFS.secret, token: nil, source: "here")
        let network = try Network()
        let client = S3Client(site: site, keys: keys, http: network.http, wall: SystemWallTime())
        let list = jobs.map { job in
            let url = client.presignedURL("PUT", job.facts.name, expiresIn: 3600)
            return "url=\"\(url)\"\nupload-file=\"\(spool.path)/\(job.photo.file)\"\noutput=/dev/null\n"
        }
        try spool.folder.write(list.joined(), to: "list")
        let began = MonotonicClock.now
        let arguments = ["-s", "-Z", "--parallel-max", "\(Self.slots)", "-K", spool.folder.file("list")]
        // Its own time, not that of the store, which is a child of this process as well.
        let words = ["-f", "%U %S", "-o", spool.folder.file("time"), "curl"] + arguments
        #expect(try #require(Tool("/usr/bin/time")).run(words).code == 0)
        let used = String(decoding: try readFile(spool.folder.file("time")), as: UTF8.self)
        print(
            "bench: curl, \(count) of \(size), round \(round): \(MonotonicClock.now - began) wall,",
            "\(used.split(whereSeparator: \.isWhitespace)) s CPU (user, system)")
        #expect(place.sizes.count == min(count, 1000))
    }
}
