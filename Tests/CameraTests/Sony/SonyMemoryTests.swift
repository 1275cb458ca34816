import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// The memory of a Sony out of which photos are read one by one: each row of what is known of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyMemoryTests {
    /// Every shot two seconds after the last one, by the camera's own clock.
    private func stand(
        _ script: String, model: String = "sony-a7m4", photos: Int = 0, clock: ManualClock? = nil
    ) async throws -> GenericStand {
        let seconds = Shared<Int64>(1_790_000_500)
        return try await SonyCamera(model: model, script: script).make(photos: photos, clock: clock) {
            settings, _ in
            settings.localSeconds = {
                seconds.change { seconds in
                    seconds += 2
                    return seconds
                }
            }
        }
    }

    private func connect<Result: Sendable>(
        _ stand: GenericStand, _ clock: ManualClock,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        let connector = try stand.connector(time: clock)
        return try await clock.ticking(
            upTo: .seconds(1), until: Task { try await connector.met(knowing: nil, use) })
    }

    // MARK: Full

    @Test(
        "a memory that is full blocks the shutter, and is drained: then the shutter is free",
        arguments: SonyCamera.models)
    func full(model: String) async throws {
        let stand = try await stand("sony-memory photos=3", model: model, photos: 4)
        #expect(stand.rig.log.value.count { $0.contains("shutter is blocked") } == 1)
        let taken = try await stand.connector().met(knowing: nil) { driver in
            let first = try await stand.take(3, from: driver)
            await stand.shoot()
            return try await first + stand.take(1, from: driver)
        }
        #expect(taken.map(\.name) == (1...4).map { "DSC0000\($0).JPG" })
        #expect(stand.rig.log.value.count { $0.contains("shutter is blocked") } == 1)
    }

    @Test(
        "0xA105 in place of the properties is a full memory: its photos are read all the same, however many")
    func refusesWhenFull() async throws {
        let clock = ManualClock()
        let stand = try await stand("refuse operation=0x9209 code=0xA105", photos: 25, clock: clock)
        clock.advance(by: .seconds(1))
        let taken = try await connect(stand, clock) { driver in
            let taken = try await stand.take(25, from: driver)
            try await driver.throwIfEnded()
            return taken
        }
        #expect(taken.map(\.name) == (1...25).map { "DSC000\($0 < 10 ? "0" : "")\($0).JPG" })
        let photos = try await stand.photos()
        for photo in taken { #expect(photo.bytes == photos[photo.name]) }
    }

    // MARK: Where photos go

    @Test(
        "what Still Img. Save Dest. means for photos that are cut off is said when the body is met",
        arguments: [
            ("host", "keeps no copy on its card"), ("card", "gives none to a computer"), ("both", nil),
        ])
    func destination(saves: String, sentence: String?) async throws {
        let stand = try await stand("sony-saves to=\(saves)", photos: saves == "card" ? 0 : 1)
        let first = try await stand.connector().met(knowing: nil) { driver -> CameraChange? in
            for await change in driver.changes { return change }
            return nil
        }
        switch first {
        case .remark(let told): #expect(told.contains(sentence ?? "nothing") && told.contains("PC+Camera"))
        case .added: #expect(sentence == nil)
        default: Issue.record("\(first.debugDescription)")
        }
    }

    @Test("its card cannot be listed, and is not asked for as if it could")
    func noCard() async throws {
        let asked = Shared<[OperationCode]>([])
        let stand = try await SonyCamera(model: "sony-a7m4").make(
            photos: 1,
            answers: { operation, answer in
                asked.change { $0.append(operation.code) }
                return answer
            })
        let facts = try await stand.connector().met(knowing: nil) { driver in
            #expect(try await driver.survey(SurveyOptions(), onDescribed: {}).offers.isEmpty)
            _ = try await stand.take(1, from: driver)
            let (listed, glanced) = (try await driver.references(), try await driver.glance())
            #expect(listed.isEmpty && glanced.isEmpty)
            let ofCards = asked.value.filter { [.getStorageIDs, .getObjectHandles].contains($0) }
            #expect(ofCards.isEmpty && asked.value.contains(.getObject))
            return try await driver.facts()
        }
        // What a person asks of the body is asked of it once.
        #expect(asked.value.count { $0 == .getStorageIDs } == 1 && !asked.value.contains(.getObjectHandles))
        #expect(facts.stores.isEmpty)
        #expect(facts.storesProblem?.contains("in PC Remote mode a Sony does not show its card") == true)
        let answers = try await stand.rig.session().run { session in
            let hand = SonyByHand(session)
            try await hand.greet()
            return [
                try await hand.ask(0x1004).code, try await hand.ask(0x1007, [0x0001_0001, 0, 0]).code,
            ]
        }
        #expect(answers == [.storeNotAvailable, .storeNotAvailable])
    }

    // MARK: Too early, too late

    @Test("the simulated body crashes for those who ask too early, as real ones do, and until they leave")
    func tooEarly() async throws {
        let stand = try await stand("not-ready for=1min", photos: 1)
        for _ in 0..<2 {
            let answers = try await stand.rig.session().run { session in
                let hand = SonyByHand(session)
                try await hand.greet()
                return [
                    try await hand.ask(0x9209, [0]).code, try await hand.ask(0x1008, [0xFFFF_C001]).code,
                    try await hand.ask(0x9209, [0]).code,
                ]
            }
            #expect(answers == [.ok, .generalError, .generalError])
        }
        #expect(stand.complaints.count == 2)
    }

    @Test(
        "0xC202 says that a photo was fetched: nothing is asked about it",
        arguments: ["", "duplicate-notices"])
    func removed(script: String) async throws {
        let stand = try await stand(script, photos: 3)
        _ = try await stand.connector().met(knowing: nil) { driver in
            let taken = try await stand.take(3, from: driver)
            for _ in 0..<5 { try await driver.keepAlive() }
            return taken
        }
        #expect(stand.complaints.isEmpty)
        // A client that does ask is told apart from ours.
        try await stand.rig.session().run { session in
            let hand = SonyByHand(session)
            try await hand.greet()
            #expect(try await hand.ask(0x1008, [0xFFFF_C001]).code == .invalidObjectHandle)
        }
        #expect(stand.complaints == ["GetObjectInfo was asked for with nothing in memory"])
    }

    // MARK: The same again

    @Test("names and sequence numbers that come again are other photos: after a wrap, and after power-on")
    func repeated() async throws {
        let stand = try await stand("same-name", photos: 2)
        var taken = try await stand.connector().met(knowing: nil) { try await stand.take(2, from: $0) }
        await stand.switchOff()
        await stand.rig.camera.powerOn()
        taken += try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            return try await stand.take(1, from: driver)
        }
        #expect(taken.map(\.name) == ["DSC00001.JPG", "DSC00001.JPG", "DSC00001.JPG"])
        // "SequenceNumber restarts at power-on."
        #expect(taken.map(\.offer.sequence) == [1, 2, 1])
        #expect(Set(taken.map(\.offer.identity)).count == 3 && Set(taken.map(\.bytes)).count == 3)
    }

    // MARK: Life

    @Test(
        "a body that drops a client ten seconds after its last command keeps this one, and its next photo comes",
        arguments: SonyCamera.models)
    func idle(model: String) async throws {
        let clock = ManualClock()
        let stand = try await stand("sleep after=10s", model: model, clock: clock)
        let taken = try await connect(stand, clock) { driver in
            try await clock.sleep(until: .seconds(60))
            try await driver.throwIfEnded()
            await stand.shoot()
            return try await stand.take(1, from: driver)
        }
        #expect(taken.count == 1 && clock.now >= .seconds(60))
    }
}
