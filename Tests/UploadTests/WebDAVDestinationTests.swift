import Basics
import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite(.enabled(if: DAVServer.isThere, "nginx is not installed; tools/setup does it"))
struct WebDAVConformanceTests {
    @Test("a WebDAV server is a destination like any other", arguments: DestinationConformance.claims)
    func server(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try WebDAVPlace($0).place() })
    }
}

@Suite(
    .enabled(if: DAVServer.isThere, "nginx is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct WebDAVDestinationTests {
    let spool: TestSpool

    init() throws {
        spool = try TestSpool()
    }

    @Test("folders are made from the one of the address down, once")
    func folders() async throws {
        let place = try WebDAVPlace(spool, path: "/a%20b/%C3%BC", query: "?name={event}/{date}/{name}")
        for number in Int64(1)...3 {
            let job = try spool.job(number, "\(number).JPG", photoBytes(UInt64(number)))
            #expect(await place.deliver(job).receipt?.key == "Wedding/2026-11-21/\(number).JPG")
            let bytes = try place.bytes("a b/ü/Wedding/2026-11-21/\(number).JPG")
            #expect(bytes == photoBytes(UInt64(number)))
        }
        #expect(place.names.count == 3 && place.unfinished.isEmpty)
        let made = try place.server.requests().filter { $0.hasPrefix("MKCOL") && $0.contains(" 201 ") }
        #expect(made.count == 4)
    }

    @Test(
        "a photo is gone only where the folder it was in is seen; where that is not seen nothing is said of it"
    )
    func goneFromWhere() async throws {
        let place = try WebDAVPlace(
            spool, path: "/photos", more: "if (-f FOLDER/portal) { return 404; }")
        place.server.folder.makeFolder("files/photos")
        let receipt = try #require(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt)
        let folder = place.file("photos")
        let notThere = Standing.unanswered("the folder that photos are delivered to is not there")
        #expect(await place.destination.readBack([receipt]) == [.there])
        #expect(rename(folder, place.file("away")) == 0)
        #expect(await place.destination.readBack([receipt]) == [notThere])
        #expect(rename(place.file("away"), folder) == 0)
        // A page that says that there is nothing of any name.
        try place.server.folder.write("", to: "portal")
        #expect(await place.destination.readBack([receipt]) == [notThere])
        #expect(unlink(place.server.folder.file("portal")) == 0)
        #expect(unlink(place.file("photos/A.JPG")) == 0)
        #expect(await place.destination.readBack([receipt]) == [.gone])
    }

    @Test("a photo that is taken back on its way leaves nothing")
    func takenBack() async throws {
        let place = try WebDAVPlace(spool)
        let job = try spool.largeJob(1, "LARGE.NEF", size: 512 << 20)
        let task = Task { await place.deliver(job) }
        while place.moved.value < 1 << 20 { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(place.names.isEmpty && place.unfinished.isEmpty)
        #expect(await place.deliver(job).receipt?.key == "LARGE.NEF")
    }

    @Test("when no answer comes to the move, the server is asked what it has")
    func ambiguous() async throws {
        let losing = Shared(1)
        let place = try WebDAVPlace(spool) { LosesAnswers(http: $0, method: "MOVE", left: losing) }
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(losing.value == 0 && place.moved.value == 100_000)
        #expect(place.names == ["A.JPG"] && place.unfinished.isEmpty)
    }

    @Test("what was delivered before a crash is not sent again")
    func again() async throws {
        let place = try WebDAVPlace(spool)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        // As a crash between the two requests leaves it.
        #expect(await place.deliver(job).receipt != nil)
        try place.server.folder.write(photoBytes(1), to: "files/.tetherline-\(job.key).part")
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(place.moved.value == 100_000)
        await place.destination.giveUp(job)
        #expect(place.unfinished.isEmpty)
    }

    @Test("the password is in the URL, in a file, or in the environment")
    func passwords() async throws {
        let folder = try TemporaryFolder()
        try folder.write("\(WebDAVPlace.user):\(WebDAVPlace.password)\n", to: "login")
        let said = ["TETHERLINE_WEBDAV_USER": "desk", "TETHERLINE_WEBDAV_PASSWORD": WebDAVPlace.password]
        let ways: [(user: String, query: String, environment: [String: String])] = [
            ("desk:p%20a%25s%2Fword@", "", [:]), ("desk@", "", said), ("", "", said),
            ("", "?credentials=\(folder.file("login"))", [:]),
        ]
        for (number, way) in ways.enumerated() {
            let place = try WebDAVPlace(
                spool, query: way.query, user: way.user, asks: true, environment: way.environment)
            let job = try spool.job(Int64(number), "A.JPG", photoBytes(1))
            #expect(await place.deliver(job).receipt?.key == "A.JPG", "\(way)")
            #expect(!place.destination.url.contains("word"))
        }
    }

    @Test("a password that is missing or wrong is a matter of settings, and is never shown")
    func wrongPassword() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        for user in ["", "desk@", "desk:not-the-one@", "nobody:not-the-one@"] {
            let place = try WebDAVPlace(spool, user: user, asks: true)
            guard case .held(.settings, let problem) = await place.deliver(job) else {
                Issue.record("\(user)")
                continue
            }
            #expect(!problem.contains("not-the-one") && !place.destination.url.contains("not-the-one"))
            #expect(user != "desk@" || problem.contains("set TETHERLINE_WEBDAV_PASSWORD"))
            #expect(place.names.isEmpty)
        }
    }

    @Test("a server that does no WebDAV, or not now, says so")
    func refusals() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let plain = try WebDAVPlace(spool, more: "limit_except GET HEAD { deny all; }")
        guard case .held(.settings, let problem) = await plain.deliver(job) else {
            Issue.record("it takes nothing")
            return
        }
        #expect(problem.contains("403"))
        let busy = try WebDAVPlace(spool, more: "add_header Retry-After 7 always; return 503;")
        #expect(
            await busy.deliver(job)
                == .destinationFailed("127.0.0.1 answers HEAD with 503", after: .seconds(7)))
        let elsewhere = try WebDAVPlace(spool, more: "if ($request_method = PUT) { return 307 /b; }")
        guard case .held(.settings, _) = await elsewhere.deliver(job) else {
            Issue.record("it is somewhere else")
            return
        }
        let small = try WebDAVPlace(spool, more: "client_max_body_size 10k;")
        guard case .permanent(let tooLarge) = await small.deliver(job) else {
            Issue.record("it takes nothing this large")
            return
        }
        #expect(tooLarge.contains("413"))
    }

    @Test("a folder that another program removes is made again")
    func removedFolder() async throws {
        let place = try WebDAVPlace(spool, query: "?name={event}/{name}")
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt != nil)
        _ = try Tool("rm")?.run(["-r", place.file("Wedding")])
        let job = try spool.job(2, "B.JPG", photoBytes(2))
        #expect(await place.deliver(job).hold != nil)
        let outcome = await place.deliver(job)
        #expect(outcome.receipt?.key == "Wedding/B.JPG", "\(outcome)")
    }
}
