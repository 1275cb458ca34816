import Bridge
import Camera
import PTP
import TestSupport
import Testing

/// Another card in a Sony that lists it, and a list that is made anew: no photo comes under the name of another.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyCardChangeTests {
    /// How often it was told that cards have changed, and that there is a new photo.
    private final class Told: Sendable {
        let cardsChanged = Shared(0)
        let added = Shared(0)

        func read(_ changes: CameraChanges) async {
            for await change in changes {
                if change == .cardsChanged { cardsChanged.change { $0 += 1 } }
                if case .added = change { added.change { $0 += 1 } }
            }
        }
    }

    @Test(
        "a card that is missed by listing it is told once, and so is what comes into its place, without being listed"
    )
    func swapped() async throws {
        let (clock, conduct, told) = (ManualClock(), Shared(SonyListConduct()), Told())
        let stand = try await SonyListConduct.stand(conduct, clock: clock)
        let reading = Shared<Task<Void, Never>?>(nil)
        try await stand.connect(clock) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            reading.change { $0 = Task { await told.read(driver.changes) } }
            // Who looks for new photos only goes on with the list, and does not see this.
            conduct.change { ($0.refusesWhole, $0.code) = (true, .storeNotAvailable) }
            for _ in 0..<20 {
                let listed = try await driver.references()
                #expect(listed.isEmpty)
                try await clock.sleep(until: clock.now + .seconds(1))
            }
            #expect(told.cardsChanged.value == 1, "that it is out")
            conduct.change { $0 = SonyListConduct(hasOtherPhotos: true) }
            try await clock.sleep(until: clock.now + .seconds(5))
            let others = try await ConformanceCheck.offers(driver)
            #expect(others.map(\.reference) == offers.map(\.reference))
            #expect(others.map(\.identity) != offers.map(\.identity))
        }
        await reading.value?.value
        #expect(told.cardsChanged.value == 2, "and that one is in")
        #expect(told.added.value == 0, "what is on it is listed")
    }

    @Test("a photo of the card that was in before is not fetched from the one that is in now")
    func formerPhoto() async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await SonyListConduct.stand(conduct, clock: clock)
        try await stand.connect(clock) { driver in
            let former = try #require(try await ConformanceCheck.offers(driver).first)
            conduct.change { ($0.hasOtherPhotos, $0.dataTime) = (true, 1_790_900_000_000) }
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            #expect(offer.reference == former.reference && offer.identity != former.identity)
            let sink = ArraySink()
            let failure = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(former, driver, into: sink, stand)
            }
            #expect(failure?.trouble == .gone && sink.bytes.isEmpty)
            let stableIDs = [try await driver.stableID(of: former), try await driver.stableID(of: offer)]
            #expect(stableIDs[0] == nil && stableIDs[1] != nil)
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(sink.bytes.count == 20_000)
        }
    }

    @Test(
        "a list that is made anew while a photo is fetched has it begun anew, if another file is called so now",
        arguments: [false, true])
    func remadeMeanwhile(isOther: Bool) async throws {
        let (clock, conduct) = (ManualClock(), Shared(SonyListConduct()))
        let stand = try await SonyListConduct.stand(conduct, clock: clock)
        let failure = try await stand.connect(clock) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            // It is begun, and not a byte of it comes before the list is another one.
            conduct.change { ($0.refused, $0.code) = ([.sonyContentData], .deviceBusy) }
            let fetching = Task { () -> CameraFailure? in
                do throws(CameraFailure) {
                    _ = try await driver.fetch(
                        offer, from: 0, into: FetchOptions(into: ArraySink(), workers: stand.workers))
                    return nil
                } catch {
                    return error
                }
            }
            for await change in driver.changes where change == .busy(true) { break }
            conduct.change { ($0.hasOtherPhotos, $0.dataTime) = (isOther, 1_790_900_000_000) }
            _ = try await driver.references()
            conduct.change { $0.refused = [] }
            return await fetching.value
        }
        #expect(failure?.trouble == (isOther ? .startOver : nil), "\(failure.debugDescription)")
        ConformanceCheck.expectSentences(failure)
    }
}
