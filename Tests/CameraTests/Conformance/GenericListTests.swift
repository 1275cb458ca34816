import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// How the plain driver finds what there is, and the names of the folders that it lies in.
@Suite struct GenericListTests {
    private func stand(_ script: String, photos: Int = 3, clock: ManualClock? = nil) throws -> GenericStand {
        GenericStand(try Rig(script, photos: photos, clock: clock))
    }

    @Test(
        "a shot without a notice is in the list, whichever way the card is listed",
        arguments: [
            "", "list-by-level", "list-by-level code=0x2014", "list-by-level code=0x2005", "list-by-storage",
        ], [0, 3])
    func untold(script: String, photos: Int) async throws {
        let stand = try stand("missing-notices\nsame-name\n" + script, photos: photos)
        try await stand.connector().met(knowing: nil) { driver in
            var known = try await driver.survey(SurveyOptions(), onDescribed: {}).references
            #expect(try await driver.references() == known)
            await stand.shoot()
            // In a folder of its own, or in three of them: each is looked into once it is known as a folder.
            var found: [Offer] = []
            while case let new = try await driver.references().subtracting(known), !new.isEmpty {
                for reference in new {
                    if let offer = try await driver.describe(reference, withRating: false) {
                        found.append(offer)
                    }
                }
                known.formUnion(new)
            }
            #expect(found.map(\.identity.path) == ["DCIM/\(100 + photos)TETHR/TETH0001.JPG"])
            #expect(try await driver.references() == known, "nothing of what was there is forgotten")
        }
    }

    @Test("a card with everything in one list is asked for one list")
    func once() async throws {
        // A second question would be refused.
        let stand = try stand(
            "refuse code=0x2002 operation=0x1007 skip=2\nrefuse code=0x2002 operation=0x1004 skip=1")
        try await stand.connector().met(knowing: nil) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(try await driver.references() == survey.references)
        }
    }

    @Test("a folder that told what is in it, and does not now, is not an empty one")
    func notNow() async throws {
        let stand = try stand(
            "list-by-level\nrefuse code=0x2002 operation=0x1007 object=0x00010002 skip=1 times=1")
        try await stand.connector().met(knowing: nil) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.count == 3)
            let failed = await ConformanceCheck.failure { _ = try await driver.references() }
            #expect(failed?.trouble == .notNow)
            #expect(try await driver.references() == survey.references)
        }
    }

    @Test("what is left of a card that is pulled while it is listed is no survey of it")
    func pulledCard() async throws {
        let stand = try stand("vanish operation=0x1008 skip=3")
        try await stand.connector().met(knowing: nil) { driver in
            let failed = await ConformanceCheck.failure {
                _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            }
            #expect(failed?.trouble == .notNow && failed?.object == nil)
            #expect(failed?.reason.hasSuffix("Store_Not_Available") == true)
            let empty = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(!empty.hasCard && empty.offers.isEmpty)
        }
    }

    // MARK: Folders without a name

    private static let folder = PhotoReference("0x00010002")

    @Test(
        "a folder that the camera is not ready for is waited for: its photos are known by their whole names")
    func lateFolder() async throws {
        let clock = ManualClock()
        // Four answers more than are asked for in a row.
        let stand = try stand("refuse code=0x2002 operation=0x1008 object=0x00010002 times=8")
        let survey = try await clock.running {
            try await stand.connector(time: clock).met(knowing: nil) {
                try await $0.survey(SurveyOptions(), onDescribed: {})
            }
        }
        #expect(survey.offers.count == 3 && survey.unreadable.isEmpty)
        #expect(survey.offers.allSatisfy { $0.identity.folders == ["DCIM", "100TETHR"] })
        #expect(clock.now >= .milliseconds(7 * 250) && clock.now < .seconds(5))
    }

    @Test("one that never tells its name costs some seconds, and has none until the connection is over")
    func namelessFolder() async throws {
        let clock = ManualClock()
        // More answers than are asked for in five seconds, every 250 ms.
        let stand = try stand("refuse code=0x2002 operation=0x1008 object=0x00010002 times=30")
        try await clock.running {
            try await stand.connector(time: clock).met(knowing: nil) { driver in
                let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
                #expect(Set(survey.unreadable.keys) == [Self.folder])
                #expect(survey.offers.map(\.identity.folders) == [[], [], []])
                #expect(clock.now >= .seconds(4) && clock.now <= .seconds(6))
                // It has its name back: its photos are the same all the same.
                var isBack = false
                while !isBack {
                    do throws(CameraFailure) {
                        isBack = try await driver.describe(Self.folder, withRating: false) == nil
                    } catch {
                        #expect(error.trouble == .notNow)
                    }
                }
                for offer in survey.offers {
                    #expect(try await driver.describe(offer.reference, withRating: false) == offer)
                }
            }
        }
    }

    @Test("the end of a photo of unknown size may be told by a refusal", arguments: ["0x201D", "0x2002"])
    func refusedEnd(code: String) async throws {
        let stand = try stand("no-whole-objects\nwrong-size as=0\nrefuse-end code=\(code)")
        let photos = try await stand.photos()
        // The photo's end is a part's end.
        try await stand.connector { $0.part = nil }.met(knowing: nil) { driver in
            for offer in try await ConformanceCheck.offers(driver) {
                let sink = ArraySink()
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
                #expect(sink.bytes == photos[offer.identity.name])
            }
        }
    }

    @Test("a refusal before any byte of it is none, nor is one in the middle of a known size")
    func refusedBeginning() async throws {
        let first = try stand("no-whole-objects\nwrong-size as=0\nrefuse-parts code=0x201D")
        let middle = try stand("no-whole-objects\nrefuse-parts code=0x201D skip=1")
        for stand in [first, middle] {
            try await stand.connector { $0.part = 50_000 }.met(knowing: nil) {
                driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                let failed = await ConformanceCheck.failure {
                    try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
                }
                #expect(failed?.trouble == .notNow)
            }
        }
    }
}

extension ManualClock {
    /// Lets short pauses pass while `body` runs. What is waited for longer is a limit, and nothing here meets one.
    fileprivate func running<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let running = Task { try await body() }
        let ticking = Task {
            while !Task.isCancelled {
                await waitForSleepers(1)
                if let pause = nextDeadline.map({ $0 - now }), pause <= .milliseconds(250) {
                    advance(by: pause)
                }
                await Task.yield()
            }
        }
        defer { ticking.cancel() }
        return try await running.value
    }
}
