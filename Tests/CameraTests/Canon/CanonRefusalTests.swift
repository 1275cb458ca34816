import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What a Canon has to be told and does not take at once: it is told again, and its photos are noticed meanwhile.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonRefusalTests {
    private func scene(_ script: String, answers: AlteredPersonality.Change? = nil) throws -> HangScene {
        try HangScene(
            script, photos: 0, size: 20_000, model: try #require(CameraModel.named("canon-80d")),
            answers: answers)
    }

    /// Presses its shutter until it has so many photos, as a photographer does whose camera says "busy".
    private static func shoot(to count: Int, _ scene: HangScene, tries: Int = 40) async throws {
        for _ in 0..<tries where await scene.stand.rig.camera.photos().count < count {
            await scene.stand.shoot()
            try await scene.clock.sleep(until: scene.clock.now + .milliseconds(250))
        }
    }

    @Test(
        "a body that refuses for a moment to have its memory back has it back later, and shoots on",
        arguments: ["0x2019 times=9", "0xA005 times=1", "0x200C times=3", "0x2002 times=5"])
    func memoryLater(refusal: String) async throws {
        let scene = try scene("canon-destination to=both\nrefuse operation=0x9117 code=\(refusal)")
        let met = try await scene.tried { _ in
            // The memory holds sixteen.
            for number in 1...20 { try await Self.shoot(to: number, scene) }
        }
        #expect(met.failure == nil)
        let count = await scene.stand.rig.camera.photos().count
        #expect(count == 20)
    }

    @Test("while a body is too busy to have its memory back, new photos are told within two seconds")
    func toldMeanwhile() async throws {
        let scene = try scene("canon-destination to=both\nrefuse operation=0x9117 code=0x2019")
        let met = try await scene.tried { driver in
            let changes = driver.changes.makeAsyncIterator()
            for number in 1...5 {
                try await Self.shoot(to: number, scene)
                let shot = scene.clock.now
                #expect(await CanonQuirkTests.told(1, by: changes).count == 1)
                #expect(scene.clock.now - shot < .seconds(2))
            }
        }
        #expect(met.failure == nil)
    }

    @Test("a photo that is ours while the body refuses to hear of it does not stay in its memory")
    func releasedLater() async throws {
        let scene = try scene("canon-destination to=host\nrefuse operation=0x9117 code=0xA005 times=3")
        let met = try await scene.tried { driver in
            let changes = driver.changes.makeAsyncIterator()
            try await Self.shoot(to: 1, scene)
            let reference = try #require(await CanonQuirkTests.told(1, by: changes).first)
            let offer = try #require(try await driver.describe(reference, withRating: false))
            try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), scene.stand)
            try await driver.release(offer)
            let left = try await driver.references()
            #expect(!left.contains(reference), "there is nothing to be had of it any more")
            try await scene.clock.sleep(until: scene.clock.now + .seconds(10))
        }
        #expect(met.failure == nil)
        #expect(await scene.stand.rig.camera.photos().isEmpty)
    }

    @Test(
        "a photo that is ours is not offered again while the body refuses to hear of it and its card lists it"
    )
    func notOfferedAgain() async throws {
        let scene = try scene(
            "canon-destination to=both\ncanon-late-card after=5s\nrefuse operation=0x9117 code=0xA005")
        let met = try await scene.tried { driver in
            let changes = driver.changes.makeAsyncIterator()
            try await Self.shoot(to: 1, scene)
            let reference = try #require(await CanonQuirkTests.told(1, by: changes).first)
            let offer = try #require(try await driver.describe(reference, withRating: false))
            try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), scene.stand)
            try await driver.release(offer)
            for _ in 0..<10 {
                let listed = try await driver.references()
                #expect(listed.contains(reference), "it lies on the card")
                let again = try await driver.describe(reference, withRating: false)
                let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
                #expect(again == nil && survey.offers.isEmpty)
                try await scene.clock.sleep(until: scene.clock.now + .seconds(2))
            }
        }
        #expect(met.failure == nil)
    }

    @Test(
        "a body that does not know that operation is not asked for it again, and that is said once",
        arguments: [ResponseCode.operationNotSupported, ResponseCode.Canon.unknownCommand])
    func unknownOperation(code: ResponseCode) async throws {
        let asked = Shared(0)
        let scene = try scene("canon-destination to=both") { operation, answer in
            guard operation.code == OperationCode.Canon.transferComplete else { return answer }
            asked.change { $0 += 1 }
            return .refusal(code)
        }
        let met = try await scene.tried { driver in
            let changes = driver.changes.makeAsyncIterator()
            var remarks: [String] = []
            for number in 1...4 {
                try await Self.shoot(to: number, scene)
                if number == 3 { try await scene.clock.sleep(until: scene.clock.now + .seconds(30)) }
            }
            var told = 0
            while told < 4, let change = await changes.next() {
                if case .added = change { told += 1 }
                if case .remark(let sentence) = change { remarks.append(sentence) }
            }
            #expect(remarks.count { $0.contains("TransferComplete") } == 1, "\(remarks)")
        }
        #expect(met.failure == nil)
        #expect(asked.value == 1)
    }

    @Test("a body that refuses once to be kept on is kept on the next time")
    func keptOnLater() async throws {
        let scene = try scene("refuse operation=0x911D code=0xA005 times=1")
        let met = try await scene.tried { _ in
            try await scene.clock.sleep(until: scene.clock.now + .seconds(25))
        }
        #expect(met.failure == nil)
        #expect(scene.stand.rig.log.value.contains("kept on"))
    }

    @Test("a photo that is listed before its record has come from the card comes once, out of the memory")
    func listedEarly() async throws {
        let scene = try scene("canon-destination to=both\ncanon-late-card after=5s")
        let met = try await scene.tried { driver in
            try await Self.shoot(to: 1, scene)
            // The body has been asked what is new by then.
            try await scene.clock.sleep(until: scene.clock.now + .seconds(1))
            let offers = try await driver.survey(SurveyOptions(), onDescribed: {}).offers
            let offer = try #require(offers.first)
            #expect(offers.count == 1 && offer.isInMemory)
            try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), scene.stand)
            try await driver.release(offer)
            try await scene.clock.sleep(until: scene.clock.now + .seconds(10))
            await scene.stand.shoot()
            let told = await CanonQuirkTests.told(1, by: driver.changes.makeAsyncIterator())
            #expect(told == [PhotoReference(CanonBody.photo(2))], "the first one is known")
        }
        #expect(met.failure == nil)
    }

    @Test(
        "a card that is slower than the memory: the photo comes once, out of the memory, whenever it is fetched",
        arguments: [0, 8])
    func lateCard(seconds: Int) async throws {
        let scene = try scene("canon-destination to=both\ncanon-late-card after=5s")
        let met = try await scene.tried { driver in
            let clock = scene.clock
            let changes = driver.changes.makeAsyncIterator()
            for number in 1...2 {
                try await Self.shoot(to: number, scene)
                let reference = try #require(await CanonQuirkTests.told(1, by: changes).first)
                #expect(reference == PhotoReference(CanonBody.photo(number)), "the one before is told once")
                let offer = try #require(try await driver.describe(reference, withRating: false))
                #expect(offer.isInMemory)
                try await clock.sleep(until: clock.now + .seconds(seconds))
                let sink = ArraySink()
                try await ConformanceCheck.fetch(offer, driver, into: sink, scene.stand)
                #expect(try await sink.bytes == scene.stand.photos()[offer.identity.name])
                try await driver.release(offer)
                for _ in 0..<2 {
                    let again = try await driver.describe(reference, withRating: false)
                    let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
                    #expect(again == nil && survey.offers.isEmpty)
                    try await clock.sleep(until: clock.now + .seconds(8))
                }
            }
        }
        #expect(met.failure == nil)
        #expect(await scene.stand.rig.camera.photos().count == 2)
    }
}
