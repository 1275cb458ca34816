import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What happens around a Canon: cards and counters that change, bodies that freeze, and two of them at once.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonIncidentTests {
    @Test("a connection in which nothing new can be heard of any more is left, and the next one asks again")
    func deaf() async throws {
        let stand = try CanonBody.stand("canon-r6", "refuse operation=0x9116 code=0x2003 skip=5")
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        #expect(
            failure?.sentence.contains("GetEvent with Session_Not_Open") == true,
            "\(failure.debugDescription)")
        ConformanceCheck.expectSentences(failure)
    }

    @Test("9999 is followed by 0001 in the next folder, and both come")
    func wrap() async throws {
        let stand = try CanonBody.stand("canon-80d", "first-number value=9999")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            for _ in 0..<2 { await stand.shoot() }
            var paths: [String] = []
            for reference in await CanonQuirkTests.told(2, by: changes) {
                if let offer = try await driver.describe(reference, withRating: false) {
                    paths.append(offer.identity.path)
                }
            }
            #expect(paths == ["DCIM/100CANON/IMG_9999.JPG", "DCIM/101CANON/IMG_0001.JPG"])
        }
    }

    @Test("another card is told as cards that changed, and its first photo after it")
    func cardSwap() async throws {
        let stand = try CanonBody.stand("canon-r6", "card-swap shots=2 handles=reused")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            await stand.shoot()
            _ = await CanonQuirkTests.told(1, by: changes)
            await stand.shoot()
            var told: [CameraChange] = []
            while told.count < 2, let change = await changes.next() { told.append(change) }
            // Under the same handle there is another photo.
            let reference = PhotoReference(CanonBody.firstPhoto)
            #expect(told == [.cardsChanged, .added(reference)])
            let after = try await ConformanceCheck.offers(driver)
            let photos = try await stand.photos()
            let sink = ArraySink()
            try await ConformanceCheck.fetch(try #require(after.first), driver, into: sink, stand)
            #expect(after.count == 1 && sink.bytes == photos["IMG_0001.JPG"])
        }
    }

    @Test("two bodies with the same file names are two, and so are their photos")
    func twoBodies() async throws {
        var keys: Set<String> = []
        for serial in ["1", "2"] {
            let model = try #require(CameraModel.named("canon-r6"))
            let stand = GenericStand(
                try Rig(photos: 2, model: model) { $1.serial = serial }, farewell: "event mode 0")
            keys.formUnion(
                try await stand.connector().met(knowing: nil) { driver in
                    try await ConformanceCheck.offers(driver).compactMap(\.key)
                })
        }
        #expect(keys.count == 4)
    }
}
