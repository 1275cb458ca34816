import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// The list of a Sony's card (0x923C) that is refused, made anew or taken back while the body is connected: no photo on
/// the card is lost over that, and what is wrong is said.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyListTests {
    private func stand(
        _ conduct: Shared<SonyListConduct>, photos: Int = 2, _ script: String = "",
        clock: ManualClock? = nil
    ) async throws -> SonyCardStand {
        try await SonyListConduct.stand(conduct, photos: photos, script, clock: clock)
    }

    private func connect<Result: Sendable>(
        _ stand: SonyCardStand, _ clock: ManualClock,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await stand.connect(clock, use)
    }

    // MARK: Refused

    @Test(
        "a list that is refused takes no photo away: what waits is fetched, and the next list is as before",
        arguments: [0x2019, 0xA106, 0x2002] as [UInt16])
    func refused(code: UInt16) async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await stand(conduct, clock: clock)
        let photos = try await stand.photos()
        let fetched = try await connect(stand, clock) { driver -> [[UInt8]] in
            let offers = try await ConformanceCheck.offers(driver)
            let sinks = [ArraySink(), ArraySink()]
            try await ConformanceCheck.fetch(offers[0], driver, into: sinks[0], stand)
            conduct.change { now in
                (now.refused, now.code) = ([.sonyContentList], ResponseCode(rawValue: code))
            }
            let failure = await ConformanceCheck.failure { _ = try await driver.references() }
            #expect(failure?.trouble == .notNow)
            ConformanceCheck.expectSentences(failure)
            try await ConformanceCheck.fetch(offers[1], driver, into: sinks[1], stand)
            conduct.change { $0 = SonyListConduct() }
            let again = try await driver.references()
            #expect(again == Set(offers.map(\.reference)))
            return sinks.map(\.bytes)
        }
        #expect(fetched == [photos["DSC00001.JPG"], photos["DSC00002.JPG"]])
    }

    @Test("a card that was taken out has nothing on it, and has it again when it is back")
    func cardIsOut() async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await stand(conduct, clock: clock)
        let counts = try await connect(stand, clock) { driver -> [Int] in
            var counts = [try await driver.references().count]
            conduct.change { ($0.refused, $0.code) = ([.sonyContentList], .storeNotAvailable) }
            for await change in driver.changes where change == .cardsChanged { break }
            counts.append(try await driver.references().count)
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(!survey.hasCard)
            conduct.change { $0 = SonyListConduct() }
            counts.append(try await driver.references().count)
            return counts
        }
        #expect(counts == [2, 0, 2])
    }

    // MARK: Said

    @Test(
        "a body that refuses its list for good is complained of, and left for a new session",
        arguments: [false, true])
    func refusedForGood(isPoisoned: Bool) async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await stand(conduct, clock: clock)
        let failure = await ConformanceCheck.failure {
            try await connect(stand, clock) { driver in
                _ = try await ConformanceCheck.offers(driver)
                conduct.change { now in
                    now.code = .generalError
                    now.refused = isPoisoned ? [.sonyContentList, .sonyAllProperties] : [.sonyContentList]
                }
                #expect(await stand.stand.remark("General", driver) != nil)
                for _ in 0..<100 {
                    try await clock.sleep(until: clock.now + .seconds(1))
                    try await driver.keepAlive()
                }
            }
        }
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("does not list its card any more") || reason.contains("refuses everything"))
    }

    @Test("properties that are refused keep no photo from being told, and do not end the connection")
    func withoutProperties() async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await stand(conduct, clock: clock)
        try await connect(stand, clock) { driver in
            let known = try await driver.references()
            conduct.change { ($0.refused, $0.code) = ([.sonyAllProperties], .generalError) }
            #expect(await stand.stand.remark("General", driver) != nil)
            try await clock.sleep(until: clock.now + .seconds(60))
            await stand.shoot()
            let offer = try #require(try await stand.stand.nextOffer(driver))
            #expect(offer.identity.name == "DSC00003.JPG" && !known.contains(offer.reference))
            try await driver.throwIfEnded()
        }
    }

    @Test("properties that are understood as far as where photos go are enough, and the rest is said")
    func unknownProperty() async throws {
        // A property of a type that no document knows, behind all others.
        let unknown = hex("FF D2  77 77  00 01  00 00 00")
        let stand = try await SonyContentsBody.stand(
            photos: 1,
            answers: { operation, answer in
                guard operation.code == .sonyAllProperties, case .bytes(let bytes) = answer.data else {
                    return answer
                }
                var answer = answer
                answer.data = .bytes([bytes[0] + 1] + bytes[1...] + unknown)
                return answer
            })
        try await stand.connector().met(knowing: nil) { driver in
            #expect(await stand.stand.remark("cannot be decoded", driver) != nil)
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 1)
        }
    }

    // MARK: Made anew

    /// "Resume only if the list's DataTime equals the remembered one."
    @Test("a photo is gone on with under the list that it was begun under, over any number of connections")
    func threeConnections() async throws {
        let (first, second) = (1_790_000_000_000 as UInt64, 1_790_000_600_000 as UInt64)
        let conduct = Shared(SonyListConduct())
        let stand = try await stand(conduct, "cut after=5000 operation=0x923D times=2")
        let known = Shared<KnownBody?>(nil)
        let sinks = [ArraySink(), ArraySink()]
        let isResumable = Shared<[[Bool]]>([])
        /// Says what can be gone on with, and begins a photo.
        func connect(_ time: UInt64, beginning index: Int?) async -> CameraFailure? {
            conduct.change { $0.dataTime = time }
            do {
                try await stand.connector().met(knowing: known.value) { driver in
                    let offers = try await ConformanceCheck.offers(driver)
                    let answers = [await driver.canResume(offers[0]), await driver.canResume(offers[1])]
                    isResumable.change { $0.append(answers) }
                    var failure: CameraFailure?
                    if let index {
                        failure = await ConformanceCheck.failure {
                            try await ConformanceCheck.fetch(offers[index], driver, into: sinks[index], stand)
                        }
                    }
                    let body = await driver.body
                    known.change { $0 = body }
                    if let failure { throw failure }
                }
                return nil
            } catch {
                return error as? CameraFailure
            }
        }
        _ = await connect(first, beginning: 0)
        _ = await connect(second, beginning: 1)
        #expect(await connect(second, beginning: nil) == nil)
        #expect(sinks.allSatisfy { $0.bytes.count == 5000 })
        // In the first connection nothing was begun yet; in the third one the list is that of the second.
        #expect(isResumable.value == [[true, true], [false, false], [false, true]])
        #expect(known.value?.traits["list-time-1"] == String(first))
    }

    @Test("a list that is made anew in the connection in which a photo was begun has it begun anew")
    func remadeAtOnce() async throws {
        let conduct = Shared(SonyListConduct(dataTime: 1_790_000_000_000))
        let stand = try await stand(conduct)
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            let failure = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink(limit: 5000), stand)
            }
            #expect(failure?.trouble == .taker)
            #expect(await driver.canResume(offers[0]))
            conduct.change { $0.dataTime = 1_790_000_600_000 }
            let again = try await ConformanceCheck.offers(driver)
            #expect(again == offers)
            #expect(await driver.canResume(offers[0]) == false)
            // Once begun anew, it is of this list.
            _ = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink(limit: 5000), stand)
            }
            #expect(await driver.canResume(offers[0]))
        }
    }

    @Test("a body that is recognised late was met under the first list that its ledger knows")
    func recognisedLate() async throws {
        let stand = try await stand(Shared(SonyListConduct(dataTime: 1_790_000_000_000)))
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            #expect(await driver.canResume(offer))
            var former = await driver.body
            former.traits = ["list-time-1": "1780000000000"]
            await driver.bear(former.identity, after: former, insteadOf: nil)
            #expect(await driver.body.traits == former.traits)
            #expect(await driver.canResume(offer) == false)
        }
    }

    // MARK: One at a time

    @Test("while the whole card is listed nothing is told as new that has been there before")
    func oneAtATime() async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await stand(conduct, photos: 320, clock: clock)
        let told = try await connect(stand, clock) { driver -> [String] in
            let known = try await driver.references()
            for _ in 0..<10 {
                let again = try await driver.references()
                #expect(again == known)
            }
            await stand.shoot()
            var told: [String] = []
            for await change in driver.changes {
                guard case .added(let reference) = change else { continue }
                let offer = try await driver.describe(reference, withRating: false)
                told.append(offer?.identity.name ?? "\(reference)")
                if told.last == "DSC00321.JPG" { break }
            }
            return told
        }
        #expect(told == ["DSC00321.JPG"])
    }
}
