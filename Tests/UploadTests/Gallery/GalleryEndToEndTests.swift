import Basics
import Bridge
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// A whole bridge's uploads to a model of the gallery: what passes by itself costs no photo anything.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GalleryEndToEndTests {
    let world: GalleryWorld

    init() async throws {
        world = try await GalleryWorld()
    }

    @Test(
        "when all goes well each photo takes one request for a place, one for its bytes, and shared questions"
    )
    func allWell() async throws {
        try await world.stage(20)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(20)
        #expect(world.wire.count(.presign) == 20 && world.wire.count(.put) == 20)
        #expect(world.wire.count(.represign) == 0 && world.wire.count(.refresh) == 0)
        #expect(world.wire.count(.status) <= 5)
        #expect(world.gallery.oddities.isEmpty)
        let delivered = world.events.value.filter { if case .delivered = $0 { true } else { false } }
        let others = world.events.value.filter { event in
            switch event {
            case .delivered, .slots: false
            default: true
            }
        }
        #expect(delivered.count == 20 && others.isEmpty)
        await world.stop()
    }

    @Test("a gallery that works on photos for minutes is asked at a growing pace, and shows each once")
    func slowProcessing() async throws {
        world.gallery.change { $0.processingTime = .seconds(200) }
        try await world.stage(3)
        try await world.start()
        #expect(try await world.finish())
        try world.expectOnce(3)
        // 1, 2, 4, 8, then every 15 s: a few dozen for all three together, and no photo is sent twice.
        #expect(world.wire.count(.status) <= 40 && world.wire.count(.put) == 3)
        await world.stop()
    }

    // MARK: Any call: what passes

    static let passing: [(name: String, fault: ModelFault)] = [
        ("refused connection", .lostRequest), ("cut in the body", .cutInBody), ("lost answer", .lostReply),
        ("lost request", .lostRequestAfterBody), ("no HTTP", .unreadable), ("408", .status(408)),
        ("425", .status(425)), ("429", .status(429, retryAfter: "20")), ("500", .status(500)),
        ("502", .status(502)), ("503", .status(503)), ("captive portal", .portal),
        ("a page instead, after it was done", .handledThen(HTTPResponse(status: 502))),
        ("its own 500", .refusal(500, "INTERNAL_ERROR")), ("slow", .slow(.seconds(20))),
    ]

    @Test(
        "whatever passes at any call, three times in a row, costs no attempt and no second photo",
        arguments: [ModelCall.presign, .represign, .put, .status, .refresh], 0..<passing.count)
    func passes(call: ModelCall, index: Int) async throws {
        let world = try await GalleryWorld(seed: UInt64(index))
        try await world.stage(3)
        if call == .represign { world.gallery.fail(.put, .status(403)) }
        if call == .refresh { world.gallery.expireAccessTokens() }
        world.gallery.fail(call, Self.passing[index].fault, times: 3)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(600)), "\(world.story)")
        // A photo that is refused again although others have arrived meanwhile may be the cause: that is one attempt.
        let isAnswer =
            switch Self.passing[index].fault {
            case .instead(let answer), .handledThen(let answer): answer.status >= 400
            default: false
            }
        try world.expectOnce(3, attempts: call == .represign && isAnswer ? 1 : 0)
        await world.stop()
    }

    @Test("an answer that is lost at any one request changes nothing", arguments: 0..<14)
    func lostReply(number: Int) async throws {
        world.gallery.expireAccessTokens()
        world.wire.plan.change { $0 = { now, _, _ in now == number ? .lostReply : nil } }
        try await world.stage(3)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(600)))
        try world.expectOnce(3)
        await world.stop()
    }

    @Test("with every second answer lost all photos arrive once")
    func everySecond() async throws {
        world.wire.plan.change { $0 = { number, _, _ in number % 2 == 0 ? .lostReply : nil } }
        try await world.stage(10)
        try await world.start()
        #expect(try await world.finish())
        try world.expectOnce(10)
        await world.stop()
    }

    // MARK: Places

    @Test("an upload that the gallery has forgotten is begun anew under the same key")
    func forgotten() async throws {
        world.gallery.fail(.put, .status(403))
        world.gallery.fail(.represign, .refusal(404, "NOT_FOUND"))
        try await world.stage(1)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(1)
        #expect(world.wire.count(.presign) == 2 && world.gallery.uploads.count == 1)
        await world.stop()
    }

    @Test(
        "one whose bytes came and that the gallery then forgot is sent again: three questions, then a new upload"
    )
    func forgottenLater() async throws {
        world.gallery.change { $0.processingTime = .seconds(3600) }
        try await world.stage(1)
        try await world.start()
        await world.pass { world.wire.count(.status) == 1 }
        world.gallery.forget(try #require(world.gallery.uploads.first).id)
        world.gallery.change { $0.processingTime = .zero }
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(1)
        #expect(world.wire.count(.presign) == 2 && world.wire.count(.represign) == 1)
        #expect(world.wire.count(.put) == 2 && world.wire.count(.status) == 5)
        await world.stop()
    }

    @Test("where a fresh place is refused because the gallery goes on, it is asked how")
    func conflict() async throws {
        world.gallery.fail(.put, .handledThen(HTTPResponse(status: 403)))
        try await world.stage(1)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(1)
        #expect(world.wire.count(.represign) == 1 && world.wire.count(.put) == 1)
        await world.stop()
    }

    @Test("a refused place is replaced by a fresh one at once")
    func refusedOnce() async throws {
        world.gallery.fail(.put, .status(403))
        try await world.stage(3)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(5)))
        try world.expectOnce(3)
        #expect(world.wire.count(.represign) == 1 && world.wire.count(.put) == 4)
        await world.stop()
    }

    @Test("bytes that are there already are not sent a third time")
    func alreadyThere() async throws {
        world.gallery.fail(.put, .handledThen(HTTPResponse(status: 503)))
        try await world.stage(1)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(1)
        #expect(world.wire.count(.put) == 2 && world.gallery.oddities == ["PUT: the bytes are there already"])
        await world.stop()
    }

    @Test("a place that expires before its bytes came is replaced, and that costs no attempt")
    func expired() async throws {
        world.gallery.fail(.put, .instead(HTTPResponse(status: 200)))
        try await world.stage(1)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(400)))
        try world.expectOnce(1)
        #expect(world.wire.count(.represign) == 1 && world.wire.count(.put) == 2)
        await world.stop()
    }

    @Test("the gallery's clock may be off by hours without a single refused place", arguments: [-7200, 7200])
    func skew(seconds: Int) async throws {
        let world = try await GalleryWorld { $0.skew = .seconds(seconds) }
        try await world.stage(5)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(5)
        #expect(world.wire.count(.put) == 5 && world.wire.count(.represign) == 0)
        #expect(world.wire.count(.refresh) <= 1)
        await world.stop()
    }

    @Test("our clock is set back a year in the middle of it, and nothing waits for that year")
    func calendarSetBack() async throws {
        world.gallery.fail(.put, .status(503, retryAfter: "250"))
        try await world.stage(5)
        try await world.start()
        await world.pass { world.wire.count(.put) > 0 }
        world.calendar.set(by: .seconds(-365 * 86_400))
        #expect(try await world.finish(atMost: .seconds(400)))
        try world.expectOnce(5)
        await world.stop()
    }

    // MARK: What is about one photo

    @Test(
        "the gallery's no to one photo is final, in its words, and the others arrive",
        arguments: [404, 413, 422])
    func permanent(status: Int) async throws {
        world.gallery.fail(.presign, .refusal(status, "NO", "not this one"))
        try await world.stage(3)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        #expect(try world.states() == [.failedPermanent, .completed, .completed])
        #expect(try world.problems().allSatisfy { $0.contains("not this one") })
        #expect(world.wire.count(.presign) == 3, "it is not asked twice")
        try world.expectLegal()
        await world.stop()
    }

    @Test("a photo that arrived damaged is sent again when ours is whole, and counts an attempt")
    func damagedOnTheWay() async throws {
        world.gallery.fail(.put, .status(400))
        try await world.stage(2)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(2, attempts: 1)
        await world.stop()
    }

    @Test("a photo that changed in the spool is said to be damaged, and does not arrive")
    func damagedHere() async throws {
        try await world.stage(2)
        try world.spool.folder.write(jpeg(99, 200), to: "1")
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        #expect(try world.states() == [.failedPermanent, .completed])
        #expect(try world.problems().first?.hasPrefix("localFileDamaged") == true)
        try world.expectLegal()
        await world.stop()
    }

    @Test("a photo that is missing in the spool is said to be missing, before and after it got its place")
    func missing() async throws {
        try await world.stage(3)
        world.spool.remove("1")
        world.gallery.fail(.put, .status(503), times: 1000)
        try await world.start()
        await world.pass(.seconds(30))
        world.spool.remove("2")
        world.gallery.heal()
        #expect(try await world.finish(atMost: .seconds(60)))
        let missing = try world.problems().filter { $0.hasPrefix("localFileMissing") }
        let states = try world.states()
        #expect(missing.count == 2 && states.count { $0 == .completed } == 1)
        try world.expectLegal()
        await world.stop()
    }

    @Test(
        "what went wrong at the gallery and may go well is sent again to a fresh place, and counts",
        arguments: ["PROCESSING_TIMEOUT", "STORAGE_ERROR"])
    func failedThere(code: String) async throws {
        world.gallery.failProcessing(code, times: 2)
        try await world.stage(2)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(2, attempts: 2)
        #expect(world.wire.count(.represign) == 2 && world.wire.count(.put) == 4)
        await world.stop()
    }

    @Test("what goes wrong at the gallery each time waits for the operator after five attempts")
    func failedThereAlways() async throws {
        world.gallery.failProcessing("PROCESSING_TIMEOUT", "took too long", times: 100)
        try await world.stage(1)
        try await world.start()
        #expect(try await world.finish())
        let job = try #require(try world.jobs().first)
        #expect(job.state == .failedPermanent && job.attempts == 5)
        #expect(job.problem?.contains("took too long") == true)
        #expect(world.wire.count(.put) == 5)
        try world.expectLegal()
        await world.stop()
    }

    @Test("what is no photo to the gallery is given up at once with its words")
    func failedForGood() async throws {
        world.gallery.failProcessing("DECODE_FAILED", "it is no picture")
        try await world.stage(2)
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        #expect(try world.problems() == ["the gallery could not use it: DECODE_FAILED: it is no picture"])
        #expect(world.wire.count(.put) == 2 && world.gallery.photos.count == 1)
        try world.expectLegal()
        await world.stop()
    }

    @Test("the same picture twice is one photo and one charge, and both jobs name it")
    func twins() async throws {
        try await world.stage(4, seeds: [7, 7, 8, 7])
        try await world.start()
        #expect(try await world.finish(atMost: .seconds(60)))
        try world.expectOnce(2)
        let receipts = try world.jobs().compactMap(\.receipt)
        #expect(Set(receipts).count == 2)
        await world.stop()
    }
}
