import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A Sony in a session for content transfer: what its card wants, and what becomes of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyTransferTests {
    private func stand(
        _ script: String, photos: Int, size: UInt64 = 200_000, clock: ManualClock? = nil
    ) async throws -> SonyCardStand {
        let seconds = Shared<Int64>(1_790_000_500)
        let stand = try await SonyCamera(model: "sony-a7m4", script: script).make(
            photos: photos, size: size, clock: clock
        ) { settings, _ in
            settings.localSeconds = {
                seconds.change { seconds in
                    seconds += 2
                    return seconds
                }
            }
        }
        return SonyCardStand(stand: stand, choice: try #require(DriverChoice("sony:transfer")))
    }

    @Test("the card is asked for only when the body says that it can be listed")
    func lateCard() async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-late-card for=5s", photos: 2, clock: clock)
        let connector = try stand.stand.connector(time: clock) { $0.driver = stand.choice }
        let connecting = Task {
            try await connector.met(knowing: nil) { try await ConformanceCheck.offers($0).count }
        }
        #expect(try await clock.ticking(until: connecting) == 2)
        #expect(clock.now >= .seconds(5) && clock.now < .seconds(10))
        #expect(stand.stand.complaints.isEmpty)
    }

    @Test("a card that never can be listed is given up, with what to do")
    func noCard() async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-late-card for=10min", photos: 2, clock: clock)
        let connector = try stand.stand.connector(time: clock) { $0.driver = stand.choice }
        let connecting = Task { try await connector.met(knowing: nil) { _ in } }
        let failure = await ConformanceCheck.failure { try await clock.ticking(until: connecting) }
        #expect(failure?.advice.contains("whether its card is in") == true, "\(failure.debugDescription)")
        #expect(clock.now >= .seconds(19) && clock.now < .seconds(25))
    }

    @Test(
        "a card that is swapped is another card, whatever its names and handles",
        arguments: ["fresh", "reused"])
    func swapped(handles: String) async throws {
        let stand = try await stand("card-swap shots=3 handles=\(handles)", photos: 2)
        try await stand.connector().met(knowing: nil) { driver in
            let before = try await ConformanceCheck.offers(driver)
            #expect(before.map(\.identity.name) == ["DSC00001.JPG", "DSC00002.JPG"])
            let changes = driver.changes.makeAsyncIterator()
            await stand.shoot()
            var change = await changes.next()
            while let told = change, told != .cardsChanged { change = await changes.next() }
            #expect(change == .cardsChanged)
            let after = try await ConformanceCheck.offers(driver)
            #expect(after.map(\.identity.name) == ["DSC00001.JPG"])
            #expect(Set(after.map(\.identity)).isDisjoint(with: before.map(\.identity)))
            let sink = ArraySink()
            try await ConformanceCheck.fetch(try #require(after.first), driver, into: sink, stand)
            #expect(try await sink.bytes == stand.photos()["DSC00001.JPG"])
            for old in before where handles == "fresh" {
                let gone = await ConformanceCheck.failure {
                    _ = try await driver.describe(old.reference, withRating: false)
                }
                #expect(gone?.trouble == .gone)
            }
        }
        #expect(stand.stand.complaints.isEmpty)
    }

    @Test(
        "wherever a photo breaks off it is gone on with, by the parts that such a body gives",
        arguments: Cases.seeds(full: 30))
    func resumed(seed: UInt64) async throws {
        var random = Mixer(seed)
        let after = Int.random(in: 0..<200_000, using: &random)
        let stand = try await stand("cut after=\(after) operation=0x1009 times=1", photos: 1)
        let sink = ArraySink()
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            }
        }
        #expect(ConformanceCheck.mayBeItsDoing(failure))
        let photo = try #require(try await stand.photos()["DSC00001.JPG"])
        #expect(sink.bytes == Array(photo.prefix(after)))
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            #expect(await driver.canResume(offer))
            let fetched = try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(fetched.received == UInt64(photo.count - after))
        }
        #expect(sink.bytes == photo)
        #expect(stand.stand.complaints.isEmpty)
    }

    @Test("the simulated card is listed one storage at a time, and gives parts as the reference has it")
    func card() async throws {
        let stand = try await stand("", photos: 1)
        let session = stand.stand.rig.session { options in
            options.peculiarities.sessionOpening = SessionOpening(.sonyOpenSession, further: [1])
        }
        let answers = try await session.run { session in
            let hand = SonyByHand(session)
            try await hand.greet()
            _ = try await session.exchange(Call(.sonySetTransferMode, [2, 1, 0]))
            let handle: UInt32 = 0x0001_0003
            return [
                try await hand.ask(0x1007, [0xFFFF_FFFF, 0, 0]),
                try await hand.ask(0x1007, [0x0001_0001, 0, 0]),
                try await hand.ask(0x101B, [handle, 0, 100]),
                try await hand.ask(0x9211, [handle, 0, 0, .max]),
                try await hand.ask(0x9211, [handle, 1000, 0, 500]),
            ]
        }
        #expect(
            answers.map(\.code) == [.invalidStorageID, .ok, .invalidObjectHandle, .invalidParameter, .ok])
        let photo = try #require(try await stand.photos()["DSC00001.JPG"])
        #expect(answers.last?.data == Array(photo[1000..<1500]) && answers.last?.parameters == [500])
    }
}
