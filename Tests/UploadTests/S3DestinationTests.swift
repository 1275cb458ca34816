import Basics
import Bridge
import Digest
import Posix
import S3
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite(.enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
struct S3DestinationTests {
    let spool: TestSpool

    init() throws {
        spool = try TestSpool()
    }

    static let python = ".build/python/bin/python"
    static let hasBoto = Tool(python).map { tool in
        do { return try tool.run(["-c", "import boto3"]).code == 0 } catch { return false }
    }

    /// What an independent S3 library says of every object in the bucket, and how many uploads are not finished.
    static let judge = """
        import boto3, sys
        s3 = boto3.client("s3")
        bucket = sys.argv[1]
        for found in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            o = s3.head_object(Bucket=bucket, Key=found["Key"], ChecksumMode="ENABLED")
            print(found["Key"], o["ContentLength"], o["ContentType"], o.get("ChecksumSHA256"), o["Metadata"]["sha256"])
        print("unfinished", len(s3.list_multipart_uploads(Bucket=bucket).get("Uploads", [])))
        """

    private func judged(_ place: S3Place) throws -> [String] {
        let tool = try #require(Tool(Self.python))
        let said = try tool.run(["-c", Self.judge, place.bucket], environment: place.store.environment)
        #expect(said.code == 0, "\(said.errors)")
        return said.lines
    }

    @Test(
        "what a killed run has left of its probes of the store is removed, and no other's object",
        arguments: [false, true])
    func leftOver(isSomebodys: Bool) async throws {
        let place = try S3Place(spool)
        let name = ".tetherline-probe"
        try place.store.curl([
            "-X", "PUT", "-H", "Content-Type: image/jpeg", "--data-binary", isSomebodys ? "mine" : "",
            "\(place.store.filer)/buckets/\(place.bucket)/\(name)",
        ])
        #expect(place.sizes == [name: isSomebodys ? 4 : 0])
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt != nil)
        #expect(place.sizes == (isSomebodys ? [name: 4, "A.JPG": 100_000] : ["A.JPG": 100_000]))
    }

    @Test(
        "boto3 finds what was delivered, with its checksum, its type and our note",
        .enabled(if: hasBoto == true, "boto3 is not installed; tools/setup does it"))
    func judgedByOthers() async throws {
        let place = try S3Place(spool, prefix: "/shots/ü b", query: "?name={event}/{name}")
        let small = try spool.job(1, "A.JPG", photoBytes(1))
        let large = try spool.largeJob(2, "B.NEF", size: 65 << 20)
        #expect(await place.deliver(small).receipt?.key == "Wedding/A.JPG")
        #expect(await place.deliver(large).receipt?.key == "Wedding/B.NEF")
        let checksum = Base64.text(SHA256.of(photoBytes(1)).bytes)
        let lines = try judged(place)
        #expect(lines.count == 3)
        #expect(
            lines.first
                == "shots/ü b/Wedding/A.JPG 100000 image/jpeg \(checksum) \(small.photo.sha256)")
        let second = try #require(lines.dropFirst().first)
        #expect(second.hasPrefix("shots/ü b/Wedding/B.NEF \(65 << 20) image/x-nikon-nef "))
        #expect(second.hasSuffix("-9 \(large.photo.sha256)"), "nine parts, and our note of the whole")
        #expect(lines.last == "unfinished 0")
        #expect(place.notes.notes.value.isEmpty)
    }

    @Test("of sixteen photos that want one name each gets its own, and equal ones share one")
    func race() async throws {
        let place = try S3Place(spool)
        let jobs = try (0..<16).map {
            try spool.job(Int64($0), "A.JPG", photoBytes(UInt64($0 / 2), 50_000))
        }
        let keys = await withTaskGroup(of: String?.self) { group in
            for job in jobs { group.addTask { await place.deliver(job).receipt?.key } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(!keys.contains(nil))
        #expect(Set(keys) == Set(place.sizes.keys))
        #expect(Set(keys).contains("A.JPG"))
        // Two that are equal may have met different names while both were on their way; none is lost, none replaced.
        let arrived = try Set(place.sizes.keys.map { SHA256.of(try place.bytes($0)).description })
        #expect(arrived == Set(jobs.map(\.photo.sha256)))
    }

    @Test("keys that the store refuses are said to be wrong, and never shown")
    func wrongKeys() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let tampered = try S3Place(spool, environment: ["AWS_SECRET_ACCESS_KEY": "not-the-secret"])
        guard case .held(.settings, let secret) = await tampered.deliver(job) else {
            Issue.record("a tampered secret is a matter of settings")
            return
        }
        #expect(secret.contains("the secret key does not belong to the access key testkey"))
        #expect(secret.contains("AWS_ACCESS_KEY_ID in the environment"))
        #expect(!secret.contains("not-the-secret"))
        let unknown = try S3Place(spool, environment: ["AWS_ACCESS_KEY_ID": "nobody"])
        guard case .held(.settings, let key) = await unknown.deliver(job) else {
            Issue.record("an unknown key is a matter of settings")
            return
        }
        #expect(key.contains("does not know the access key nobody"))
        #expect(tampered.sizes.isEmpty && unknown.sizes.isEmpty)
        let missing = try S3Place(spool, environment: ["AWS_ACCESS_KEY_ID": ""])
        guard case .held(.settings, let words) = await missing.deliver(job) else {
            Issue.record("missing keys are a matter of settings")
            return
        }
        #expect(words.hasPrefix("there are no keys for S3; looked for: AWS_ACCESS_KEY_ID"))
    }

    @Test("a URL that was signed lets its method, key and headers through, and nothing else")
    func presigned() async throws {
        let place = try S3Place(spool)
        let job = try spool.job(1, "ü A.JPG", photoBytes(1))
        #expect(await place.deliver(job).receipt?.key == "ü A.JPG")
        let site = try S3Site(bucket: place.bucket, region: "us-east-1", endpoint: place.store.endpoint)
        let keys = S3Keys(id: SeaweedFS.keyID, secret: SeaweedFS.secret, token: nil, source: "here")
        let network = try Network()
        let client = S3Client(site: site, keys: keys, http: network.http, wall: SystemWallTime())
        let get = client.presignedURL("GET", "ü A.JPG", expiresIn: 60)
        #expect(try place.store.curl([get]) == photoBytes(1))
        #expect(throws: SeaweedFS.StoreProblem.self) { try place.store.curl([get + "0"]) }
        #expect(throws: SeaweedFS.StoreProblem.self) { try place.store.curl(["-X", "DELETE", get]) }
        let type = HTTPHeader("content-type", "image/jpeg")
        let put = client.presignedURL("PUT", "B.JPG", headers: [type], expiresIn: 60)
        #expect(throws: SeaweedFS.StoreProblem.self) {
            try place.store.curl(["-X", "PUT", "-H", "Content-Type: text/html", "-d", "hello", put])
        }
        try place.store.curl(["-X", "PUT", "-H", "Content-Type: image/jpeg", "-d", "hello", put])
        #expect(try place.bytes("B.JPG") == Array("hello".utf8))
    }

    /// A machine whose clock was set wrong.
    private struct WrongClock: WallTime {
        let hours: Int64
        var wallNow: Timestamp {
            Timestamp(milliseconds: SystemWallTime().wallNow.milliseconds + hours * 3_600_000)
        }
        func localOffset(at moment: Timestamp) -> Int64 { 0 }
    }

    @Test("a clock that is hours or days off is corrected by the store's", arguments: [-50, -1, 1, 50])
    func wrongClock(hours: Int64) async throws {
        let place = try S3Place(spool, wall: WrongClock(hours: hours))
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        let second = try spool.job(2, "B.JPG", photoBytes(2))
        #expect(await place.deliver(second).receipt?.key == "B.JPG")
        // An operator is called for that.
        let ahead = try #require(place.clock.ahead)
        #expect(abs(ahead.components.seconds + hours * 3600) < 60, "\(ahead)")
        // The first was sent twice, the second once, because by then the store's time was known.
        #expect(place.moved.value <= 300_000)
    }

    @Test("when no answer comes to what was sent, the store is asked what it has")
    func ambiguous() async throws {
        let losing = Shared(0)
        let place = try S3Place(spool) { LosesAnswers(http: $0, method: "PUT", left: losing) }
        #expect(await place.deliver(try spool.job(3, "B.JPG", photoBytes(3))).receipt?.key == "B.JPG")
        losing.change { $0 = 1 }
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(losing.value == 0)
        #expect(place.moved.value == 200_000, "and it is not sent again")
        #expect(place.sizes == ["A.JPG": 100_000, "B.JPG": 100_000])
        losing.change { $0 = 1 }
        let another = try spool.job(2, "A.JPG", photoBytes(2))
        #expect(await place.deliver(another).receipt?.key == "A-2.JPG", "what lies there may be another's")
    }

    @Test("a store that cannot be reached holds the destination")
    func unreachable() async throws {
        let port = try FreePort.next()
        let place = try S3Place(spool, environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:\(port)"])
        let outcome = await place.deliver(try spool.job(1, "A.JPG", photoBytes(1)))
        guard case .notThere(let problem) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problem.hasPrefix("127.0.0.1:\(port) cannot be reached: "))
    }
}

/// The network as it is, but for some answers, which are lost when everything has been sent and done.
struct LosesAnswers: HTTPTransport {
    let http: any HTTPTransport
    let method: String
    let left: Shared<Int>

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let response = try await http.send(request)
        guard request.method == method else { return response }
        let isLost = left.change { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if isLost { throw .broken("the connection ended without an answer", bodyWasSent: true) }
        return response
    }

    func forgetConnections() { http.forgetConnections() }
}
