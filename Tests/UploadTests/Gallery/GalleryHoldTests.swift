import Basics
import Bridge
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// What holds a whole destination: nothing is counted, requests are no more than is useful, and it goes on.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GalleryHoldTests {
    let world: GalleryWorld

    init() async throws {
        world = try await GalleryWorld()
    }

    private func expectNothingCounted(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let jobs = try world.jobs()
        #expect(jobs.allSatisfy { $0.attempts == 0 && $0.problem == nil }, sourceLocation: sourceLocation)
        try world.expectLegal(sourceLocation: sourceLocation)
    }

    // MARK: What passes by itself

    static let faults: [(name: String, call: ModelCall?, fault: ModelFault)] = [
        ("no connection", nil, .lostRequest), ("captive portal", nil, .portal), ("503", nil, .status(503)),
        ("answers to the bytes are lost, and the bytes, too", .put, .lostRequestAfterBody),
        ("the storage alone is gone", .put, .lostRequest), ("the storage answers 500", .put, .status(500)),
        ("the storage refuses every place", .put, .status(403)),
        ("a portal before the storage", .put, .portal),
        ("no places are given", .presign, .status(500)),
        ("requests for a status are lost", .status, .lostRequest),
        ("statuses are no statuses", .status, .instead(.success("nothing"))),
        ("no new tokens", .refresh, .status(503)),
    ]

    @Test(
        "half an hour of trouble is met with few and fewer requests, and then all arrive",
        arguments: 0..<faults.count)
    func longTrouble(index: Int) async throws {
        let (name, call, fault) = Self.faults[index]
        if call == .refresh { world.gallery.expireAccessTokens() }
        world.gallery.fail(call, fault, times: 1_000_000)
        try await world.stage(12)
        try await world.start()
        await world.pass(.seconds(300))
        let half = world.wire.sent.value.count
        await world.pass(.seconds(1500))
        let late = world.wire.sent.value.filter { $0.at >= .seconds(300) }
        // Full jitter between nothing and five minutes is a try every two and a half on average, and each try may be a
        // few requests.
        #expect(half <= 120 && late.count <= 120, "\(name): \(half) and \(late.count) requests")
        #expect(world.gallery.photos.isEmpty || call == .status)
        if call != .status { #expect(await world.hold()?.cause == nil, "\(name)") }
        if call != .status { #expect(await world.hold() != nil, "\(name)") }
        try expectNothingCounted()
        world.gallery.heal()
        #expect(try await world.finish(atMost: .seconds(700)), "\(name): \(world.story)")
        try world.expectOnce(12)
        await world.stop()
    }

    @Test("when the network comes back it is tried at once, whatever pause was meant")
    func wayBack() async throws {
        world.gallery.fail(nil, .lostRequest, times: 1_000_000)
        try await world.stage(5)
        try await world.start()
        await world.pass(.seconds(1200))
        world.way(isUp: false)
        await world.pass(.seconds(600))
        let before = world.wire.sent.value.count
        await world.pass(.seconds(600))
        #expect(world.wire.sent.value.count == before, "while it is down nothing is asked")
        world.gallery.heal()
        world.way(isUp: true)
        #expect(try await world.finish(atMost: .seconds(10)))
        try world.expectOnce(5)
        await world.stop()
    }

    @Test("a place refused three times in a row holds the destination, with pauses that grow")
    func refusedAlways() async throws {
        world.gallery.fail(.put, .status(403), times: 1_000_000)
        try await world.stage(4)
        try await world.start()
        await world.pass(.seconds(3600))
        let tries = world.wire.sent.value.filter { $0.call == .put }.map(\.at)
        #expect(tries.prefix(3).allSatisfy { $0 < .seconds(1) }, "three in a row")
        // Then one probe at a time, with pauses drawn from up to 4, 8, 16 … 300 s.
        #expect(tries.count >= 10 && tries.count <= 60, "\(tries)")
        #expect(await world.hold()?.reason.contains("403") == true)
        try expectNothingCounted()
        world.gallery.heal()
        #expect(try await world.finish(atMost: .seconds(700)))
        try world.expectOnce(4)
        await world.stop()
    }

    @Test("a gallery that asks to be left alone is left alone")
    func retryAfter() async throws {
        world.gallery.fail(.presign, .status(429, retryAfter: "900"), times: 2)
        try await world.stage(3)
        try await world.start()
        await world.pass(.seconds(899))
        #expect(world.wire.count(.presign) <= 2, "what was under way together met it together")
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(3)
        await world.stop()
    }

    @Test(
        "one photo that never gets through is given up after five attempts while the others arrive",
        arguments: [1, 2, 3])
    func onePhotoIsTheCause(kind: Int) async throws {
        let faults = [ModelFault.status(500), .lostRequestAfterBody, .cutInBody]
        let fault = faults[kind - 1]
        world.wire.plan.change {
            $0 = { _, call, request in call == .put && request.body.count == 333 ? fault : nil }
        }
        try await world.start()
        try await world.stage(1, size: 333)
        for _ in 0..<60 {
            try await world.stage(1)
            await world.pass(.seconds(60))
        }
        let jobs = try world.jobs()
        #expect(jobs.first?.state == .failedPermanent && jobs.first?.attempts == 5, "\(jobs.first as Any)")
        #expect(jobs.dropFirst().allSatisfy { $0.state == .completed && $0.attempts == 0 })
        // Each photo once, and the bad one a few times for each of its attempts.
        #expect(world.wire.count(.put) <= 60 + 40)
        try world.expectLegal()
        await world.stop()
    }

    // MARK: What the operator has to do

    @Test("without credits one photo a minute asks, and what was bought lets all of them go")
    func credits() async throws {
        world.gallery.change { $0.credits = 0 }
        try await world.stage(8)
        try await world.start()
        await world.pass(.seconds(600))
        #expect(world.wire.sent.value.count <= 2 + 10)
        #expect(await world.hold()?.cause == .credits)
        try expectNothingCounted()
        #expect(try world.states().allSatisfy { $0 == .staged })
        world.gallery.change { $0.credits = 100 }
        #expect(try await world.finish(atMost: .seconds(70)))
        try world.expectOnce(8)
        await world.stop()
    }

    @Test("credits that run out while the gallery works: no more than one photo a minute is sent again")
    func creditsRunOut() async throws {
        world.gallery.change {
            $0.credits = 8
            $0.processingTime = .seconds(1)
        }
        try await world.stage(8)
        try await world.start()
        await world.pass { world.wire.count(.put) == 8 }
        world.gallery.change { $0.credits = 0 }
        await world.pass(.seconds(60))
        let before = world.wire.count(.put)
        #expect(before <= 10)
        await world.pass(.seconds(600))
        #expect(world.wire.count(.put) - before <= 11, "\(world.wire.count(.put)) were sent")
        #expect(await world.hold()?.cause == .credits)
        try expectNothingCounted()
        world.gallery.change { $0.credits = 100 }
        #expect(try await world.finish(atMost: .seconds(120)))
        try world.expectOnce(8)
        await world.stop()
    }

    @Test("without consent one photo a minute asks, and it goes on when it is given")
    func consent() async throws {
        world.gallery.setConsent(false, of: world.member)
        try await world.stage(5)
        try await world.start()
        await world.pass(.seconds(600))
        #expect(world.wire.sent.value.count <= 2 + 10)
        #expect(await world.hold()?.cause == .consent)
        try expectNothingCounted()
        world.gallery.setConsent(true, of: world.member)
        world.uploader?.tryAgain(world.destination)
        #expect(try await world.finish(atMost: .seconds(10)))
        try world.expectOnce(5)
        await world.stop()
    }

    @Test("tokens that ended are replaced once for all uploads")
    func refreshedOnce() async throws {
        world.gallery.expireAccessTokens()
        try await world.stage(10)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(10)
        #expect(world.wire.count(.refresh) == 1)
        await world.stop()
    }

    @Test(
        "an operator logged out everywhere is asked to log in, at no cost meanwhile, and uploads go on afterwards"
    )
    func loggedOut() async throws {
        world.gallery.change { $0.processingTime = .seconds(30) }
        try await world.stage(5)
        try await world.start()
        await world.pass { world.wire.count(.put) == 5 }
        world.gallery.revoke(world.member)
        try await world.stage(3)
        let before = world.wire.sent.value.count
        await world.pass(.seconds(600))
        #expect(await world.hold()?.cause == .loggedOut)
        #expect(await world.hold()?.reason.contains("tetherline login") == true)
        #expect(world.wire.sent.value.count - before <= 4 * 10, "a few questions a minute")
        #expect(world.wire.count(.refresh) == 1, "a no is a no")
        try expectNothingCounted()
        try await world.logIn(world.gallery.account())
        world.uploader?.tryAgain(world.destination)
        #expect(try await world.finish(atMost: .seconds(120)))
        try world.expectOnce(8)
        await world.stop()
    }

    @Test("a log-in is noticed by itself within a minute")
    func loggedInUnsaid() async throws {
        world.gallery.revoke(world.member)
        try await world.stage(3)
        try await world.start()
        await world.pass(.seconds(300))
        try await world.logIn(world.gallery.account())
        #expect(try await world.finish(atMost: .seconds(70)))
        try world.expectOnce(3)
        await world.stop()
    }

    @Test("another's certificate holds the destination until it is the right one again")
    func certificate() async throws {
        world.gallery.fail(nil, .certificate, times: 1_000_000)
        try await world.stage(4)
        try await world.start()
        await world.pass(.seconds(1800))
        #expect(await world.hold()?.cause == .certificate)
        // A minute each, and what was under way when it was found out.
        #expect(world.wire.sent.value.count <= 3 + 30)
        try expectNothingCounted()
        world.gallery.heal()
        #expect(try await world.finish(atMost: .seconds(70)))
        try world.expectOnce(4)
        await world.stop()
    }

    @Test("when the event is over the first photo says so, the others wait, and one a minute asks")
    func eventExpired() async throws {
        world.gallery.expire(world.event)
        try await world.stage(6)
        try await world.start()
        await world.pass(.seconds(600))
        #expect(await world.hold()?.cause == .eventExpired)
        let states = try world.states()
        #expect(states.count { $0 == .failedPermanent } == 1 && states.count { $0 == .staged } == 5)
        #expect(try world.problems().allSatisfy { $0.contains("the event is over") })
        #expect(world.wire.sent.value.count <= 2 + 10)
        try world.expectLegal()
        await world.stop()
    }
}
