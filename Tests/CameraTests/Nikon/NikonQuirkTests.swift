import Basics
import Bridge
import PTP
import Posix
import Simulator
import TestSupport
import Testing

@testable import Camera

/// Each thing that real Nikons were seen to do.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonQuirkTests {
    private let d7200 = NikonBodyUnderTest.all[0]
    private let z6 = NikonBodyUnderTest.all[1]
    private let z6ii = NikonBodyUnderTest.all[2]

    /// What is told first of a shot.
    private func firstTold(_ driver: any CameraDriver) async -> PhotoReference? {
        let changes = driver.changes.makeAsyncIterator()
        while let change = await changes.next() {
            if case .added(let reference) = change { return reference }
        }
        return nil
    }

    @Test(
        "GetObjectInfo too soon after ObjectAdded: it is asked again until the photo is ready")
    func notReady() async throws {
        let stand = try d7200.stand()
        try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            let reference = try #require(await firstTold(driver))
            #expect(try await driver.describe(reference, withRating: false)?.identity.name == "DSC_0004.JPG")
        }
        // Plain PTP says that it is not ready now.
        let plain = try d7200.stand()
        try await plain.connector { $0.driver = .generic }.met(knowing: nil) { driver in
            await plain.shoot()
            let failure = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190004"), withRating: false)
            }
            #expect(failure?.trouble == .notNow)
        }
    }

    @Test("an object that was not told just now is not asked for again by itself")
    func oldAndUnreadable() async throws {
        let stand = try z6ii.stand("refuse code=0x2002 operation=0x1008 object=0x09190001 times=1")
        try await stand.connector().met(knowing: nil) { driver in
            let first = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            }
            #expect(first?.trouble == .notNow)
            let second = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            #expect(second?.identity.name == "DSC_0001.JPG")
        }
    }

    @Test(
        "photos come in parts of 1 MiB always: a whole object would stall the body")
    func parts() async throws {
        let stand = try d7200.stand(photos: 1, "refuse code=0x2002 operation=0x1009", size: 2_500_000)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            let sink = ArraySink()
            let fetched = try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(fetched.parts == 3)
            #expect(try await stand.photos().values.first == sink.bytes)
        }
    }

    @Test(
        "a Z body, whose VendorExtensionID is not Nikon's, is one by its manufacturer",
        arguments: NikonBodyUnderTest.all)
    func vendor(body: NikonBodyUnderTest) async throws {
        let stand = try body.stand()
        try await stand.connector().met(knowing: nil) { driver in
            let nikon = try #require(driver as? NikonDriver)
            // As PIMA 15740 has it, Nikon is 0xA; a Z 8 says 0xFFFFFFFF.
            #expect((nikon.plain.device.vendorExtensionID == 0xA) == (nikon.generation == .old))
            #expect(nikon.plain.device.vendor == .nikon)
        }
    }

    @Test(
        "a DCIM folder of the year 1980, without month and day, is a folder like others, and nothing is said of it"
    )
    func folderDate() async throws {
        let stand = try d7200.stand(photos: 2)
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            let dates = try await folderDates(try #require(driver as? NikonDriver).session, "DCIM")
            #expect(dates == ["19800000T000000"])
            #expect(offers.map(\.identity.folders) == [["DCIM", "100D7200"], ["DCIM", "100D7200"]])
            await stand.shoot()
            var follower = NikonFollower(driver, stand, known: Set(offers.map(\.reference)))
            try await follower.follow(until: 1)
            #expect(follower.remarks.isEmpty && follower.cards == 0)
        }
    }

    /// As the body writes them.
    private func folderDates(_ session: CameraSession, _ name: String) async throws -> [String] {
        let handles = try await session.exchange(
            Call(.getObjectHandles, [0xFFFF_FFFF, 0, 0], data: .incoming(limit: 4096)))
        var dates: [String] = []
        for handle in try HandleList(decoding: handles.data[...]).handles {
            let reply = try await session.exchange(
                Call(.getObjectInfo, [handle.rawValue], data: .incoming(limit: 4096)))
            let info = try ObjectInfo(decoding: reply.data[...])
            if info.fileName == name { dates.append(info.captureDate) }
        }
        return dates
    }

    @Test(
        "behind 4 GiB a video is read with 64 bits of offset, and its size is asked for")
    func huge() async throws {
        let size: UInt64 = 5_000_000_000
        let stand = try z6ii.stand(photos: 0, "huge-object size=\(size)")
        try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            let reference = try #require(await firstTold(driver))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            #expect(offer.identity.size == size)
            #expect(await driver.canResume(offer))
            let photo = try #require(await stand.rig.camera.photos().first)
            for start in [UInt64(1) << 32 - 100, 1 << 32, size - 5000] {
                let range = start..<min(size, start + 5000)
                #expect(try await driver.bytes(of: offer, range, noProgress: nil) == photo.bytes(range))
            }
        }
    }

    @Test(
        "a list of events that makes no sense: what is on the card is noticed all the same")
    func brokenEvents() async throws {
        let stand = try d7200.stand(photos: 0, "nikon-broken-events")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            #expect(follower.photos.count == 1 && follower.told.isEmpty)
            #expect(follower.remarks.contains { $0.contains("make no sense") && $0.contains("GetEvent") })
        }
    }

    @Test(
        "lists of events that are too long, broken off or full of what is of no interest hide no photo",
        arguments: [
            "trailing-bytes bytes=1000000 operation=0x941C", "wrong-total by=+5 operation=0x941C times=5",
            "notice-flood count=5000", "trailing-bytes bytes=7 operation=0x941C",
        ])
    func hostileEvents(script: String) async throws {
        let stand = try z6ii.stand(photos: 0, script)
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            #expect(follower.photos.count == 1)
        }
    }

    @Test("where the list of events is not to be relied on, what is pushed counts")
    func pushed() async throws {
        let stand = try z6.stand(photos: 0)
        try await stand.connector { $0.traits = ["events": "pushed"] }.met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            #expect(follower.told.count == 1)
        }
    }

    @Test(
        "a shot that is told twice by the list and twice on the event link is one photo")
    func duplicates() async throws {
        let stand = try z6.stand(photos: 0, "duplicate-notices")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            for _ in 0..<3 { await stand.shoot() }
            try await follower.follow(until: 3, told: 3)
            #expect(follower.told.count == 3 && follower.told.values.allSatisfy { $0 == 1 })
        }
    }

    @Test(
        "a shot in the body's memory, told with handle 0, is fetched and its memory given back")
    func inMemory() async throws {
        let stand = try z6ii.stand(photos: 0, "nikon-in-memory")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            for shot in 1...2 {
                await stand.shoot()
                let expected = try #require(await stand.rig.camera.photos().first).bytes()
                try await follower.follow(until: shot)
                #expect(follower.photos.values.contains(expected))
                #expect(follower.offers.last?.isInMemory == true)
                #expect(await stand.rig.camera.photos().isEmpty, "the body has its memory back")
            }
            #expect(Set(follower.offers.map(\.reference)).count == 2)
        }
    }

    @Test("a burst of three in the body's memory: each comes, and what is not wanted makes room for the next")
    func burstInMemory() async throws {
        let stand = try z6ii.stand(photos: 0, "nikon-in-memory")
        try await stand.connector().met(knowing: nil) { driver in
            #expect(await driver.abilities.handsOver)
            var follower = NikonFollower(driver, stand)
            for _ in 0..<3 { await stand.shoot() }
            let expected = Set(try await stand.photos().values)
            try await follower.follow(until: 3)
            #expect(expected.count == 3 && Set(follower.photos.values) == expected)
            #expect(try await stand.photos().isEmpty, "the body has its memory back")
        }
    }

    @Test("what lies in the body's memory is among what there is")
    func memoryIsListed() async throws {
        let stand = try z6ii.stand(photos: 0, "nikon-in-memory")
        try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            let reference = try #require(await firstTold(driver))
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.map(\.reference) == [reference] && survey.references.contains(reference))
            #expect(survey.offers.allSatisfy { $0.isInMemory && $0.isOnlyCopy })
            #expect(try await driver.references().contains(reference))
            try await driver.release(try #require(survey.offers.first))
            // It was not wanted; nothing lies behind it.
            let next = try #require(await firstTold(driver))
            let after = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(after.offers.isEmpty && after.unreadable.isEmpty && !after.references.contains(next))
        }
    }

    @Test(
        "a lock on everything is explained with the way to the other mode, and is not asked again and again")
    func locked() async throws {
        let stand = try z6ii.stand("access-lock operation=0x1008\naccess-lock operation=0x101B")
        try await stand.connector().met(knowing: nil) { driver in
            let failure = await ConformanceCheck.failure {
                _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            }
            guard case .connectionOver(.needsPerson(let sentence), mayBeItsDoing: false) = failure?.trouble
            else {
                return #expect(Bool(false), "\(failure.debugDescription)")
            }
            #expect(sentence.contains("picture-transfer mode") && sentence.contains("Camera control"))
            ConformanceCheck.expectSentences(failure)
            let one = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            }
            #expect(one?.advice.contains("picture-transfer mode") == true)
        }
    }

    @Test(
        "in picture-transfer mode each photo that the body has queued is taken, where the operator wants that"
    )
    func jobs() async throws {
        let stand = try z6ii.stand(photos: 2, "nikon-picture-transfer")
        let unwanted = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) {
                _ = try await $0.survey(SurveyOptions(), onDescribed: {})
            }
        }
        #expect(unwanted?.advice.contains("picture-transfer mode") == true)
        try await stand.connector { $0.traits = ["transfer-jobs": "yes"] }.met(knowing: nil) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.isEmpty && survey.unreadable.isEmpty && survey.references.isEmpty)
            var follower = NikonFollower(driver, stand)
            for shot in 1...3 {
                await stand.shoot()
                try await follower.follow(until: shot)
            }
            #expect(follower.told.count == 3 && follower.told.values.allSatisfy { $0 == 1 })
            let expected = try await stand.photos()
            for offer in follower.offers {
                #expect(follower.photos[offer.identity.path] == expected[offer.identity.name])
            }
        }
        let ends = stand.rig.log.value.filter { $0.contains("was sent with status 0x00002001") }
        #expect(ends.count >= 2, "each job's end is told with the question for the next")
    }

    @Test("a body without a list of photos to send is asked for jobs seldom, and says nothing of it")
    func noJobs() async throws {
        let stand = try z6ii.stand(
            "access-lock operation=0x1008\nrefuse code=0xA081 operation=0x9010 times=1\n"
                + "cut after=0 operation=0x9010 skip=1")
        try await stand.connector { $0.traits = ["transfer-jobs": "yes"] }.met(knowing: nil) { driver in
            _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            let began = stand.rig.reactor.now
            // The second question ends the connection.
            for await change in driver.changes { #expect(change.remark == nil) }
            #expect(stand.rig.reactor.now - began >= .seconds(3))
        }
    }
}

extension CameraChange {
    fileprivate var remark: String? { if case .remark(let sentence) = self { sentence } else { nil } }
}
