import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What happens to a Canon's photos on their way: they come slowly, are deleted meanwhile, and the body freezes.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonTransferTests {
    private func scene(
        _ model: String, _ script: String = "", photos: Int, size: UInt64, rate: UInt64? = nil
    ) throws -> HangScene {
        try HangScene(
            script, photos: photos, size: size, rate: rate, model: try #require(CameraModel.named(model)))
    }

    @Test(
        "over a slow Wi-Fi, at 1 MB/s and at a tenth of it, a photo takes as long as it takes, and new ones are told",
        arguments: [(1_000_000, 6_000_000), (100_000, 4_000_000)])
    func slow(rate: UInt64, size: UInt64) async throws {
        let scene = try scene("canon-80d", photos: 1, size: size, rate: rate)
        let taker = PhotoTaker(scene.stand)
        let seconds = Int(size / rate)
        let met = try await scene.tried { [stand = scene.stand, clock = scene.clock] driver in
            async let shooting: Void = {
                try await clock.sleep(until: clock.now + .seconds(seconds / 2))
                await stand.shoot()
            }()
            try await taker.take(1, from: driver)
            try await shooting
            try await taker.follow(driver, until: 2)
        }
        #expect(met.failure == nil && met.time >= .seconds(2 * seconds - 2))
        let photos = try await scene.stand.photos()
        #expect(taker.photos.map(\.bytes) == photos.sorted { $0.key < $1.key }.map(\.value))
        #expect(taker.received == 2 * size)
    }

    @Test(
        "a photo that is deleted on the body while it is fetched (0x2002) costs nothing but itself, and is gone then",
        arguments: ["canon-80d", "canon-r6"])
    func deleted(model: String) async throws {
        let script = "canon-deletes object=\(CanonBody.firstPhoto) times=1"
        let stand = try CanonBody.stand(model, script, photos: 2, size: 2_500_000)
        let photos = try await stand.photos()
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            let broken = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink(), stand)
            }
            #expect(broken?.trouble == .notNow && broken?.reason.contains("General_Error") == true)
            ConformanceCheck.expectSentences(broken)
            let changes = driver.changes.makeAsyncIterator()
            var change = await changes.next()
            while let told = change, told != .removed(offers[0].reference) { change = await changes.next() }
            #expect(change == .removed(offers[0].reference))
            let gone = await ConformanceCheck.failure {
                _ = try await driver.describe(offers[0].reference, withRating: false)
            }
            #expect(gone?.trouble == .gone)
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offers[1], driver, into: sink, stand)
            #expect(sink.bytes == photos["IMG_0002.JPG"])
        }
    }

    @Test(
        "a body that stops for 7 s in the middle of each part, as a 5DS R does, is waited for; when it freezes for good, its other photos come after its battery was out"
    )
    func freezes() async throws {
        let script =
            "stall after=100000 for=7s operation=0x9107 times=5\nhang operation=0x9107 skip=5 times=1"
        let size: UInt64 = 1_500_000
        let scene = try scene("canon-80d", script, photos: 3, size: size)
        let taker = PhotoTaker(scene.stand)
        let frozen = try await scene.met { try await taker.take(3, from: $0) }
        guard case .connectionOver = frozen.failure?.trouble else {
            return #expect(Bool(false), "\(frozen.failure.debugDescription)")
        }
        #expect(taker.photos.count == 2)
        #expect(frozen.time > .seconds(35))
        await scene.stand.switchOff()
        await scene.stand.switchOn()
        let met = try await scene.met(knowing: scene.left.value) { try await taker.take(3, from: $0) }
        #expect(met.failure == nil)
        let photos = try await scene.stand.photos()
        #expect(taker.photos.map(\.bytes) == photos.sorted { $0.key < $1.key }.map(\.value))
        #expect(taker.received == 3 * size, "no byte came twice")
    }
}
