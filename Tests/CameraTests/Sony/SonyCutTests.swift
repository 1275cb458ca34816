import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A Sony whose connection ends anywhere: what came is a true beginning, what is lost is said, and everything else
/// arrives once.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyCutTests {
    /// Three of them each time.
    private static let seeds = Cases.seeds(full: 30)
    private static let models = Cases.isFull ? SonyCamera.all : [SonyCamera.all[1]]

    /// Where the first connection ends, drawn from a seed.
    private struct Cut {
        let how: String
        /// Before it so many photos come whole, and so many bytes of the next one.
        let whole: Int
        let after: Int
        let keeps: Bool
        let saves: String

        init(_ seed: UInt64) {
            var random = Mixer(seed)
            how = ["cut", "reset", "stall", "lost-fin"].randomElement(using: &random) ?? "cut"
            whole = .random(in: 0..<6, using: &random)
            // A JPEG and the first half of a RAW are as long.
            after = seed == 0 ? 20_000 : .random(in: 0...20_000, using: &random)
            keeps = .random(using: &random)
            saves = ["both", "host"].randomElement(using: &random) ?? "both"
        }

        /// The cut took the answer and no byte: this photo is not lost.
        func isWhole(_ shelf: SonyShelf) -> Bool { after == 20_000 && shelf.photos.count > whole }

        var script: String {
            "\(how) after=\(after) operation=0x1009 skip=\(whole) times=1"
                + (how == "lost-fin" ? " hold=3s" : "") + "\nsony-saves to=\(saves)"
                + (keeps ? "\nsony-keeps-cut" : "")
        }
    }

    @Test("wherever a photo breaks off, that is said, and all others arrive once", arguments: seeds, models)
    func cut(seed: UInt64, body: SonyCamera) async throws {
        let cut = Cut(seed)
        var body = body
        body.script = cut.script
        let stand = try await body.make(photos: 3) { $1.hasRawToo = true }
        let photos = try await stand.photos()
        let shelf = SonyShelf()
        let failure = await shelf.tether(stand, until: 6)
        #expect(shelf.photos.count == cut.whole + (cut.isWhole(shelf) ? 1 : 0))
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: _) = failure?.trouble else {
            return #expect(Bool(false), "\(cut): \(failure.debugDescription)")
        }
        if !cut.isWhole(shelf) {
            let (name, came) = try #require(shelf.brokenOff)
            let photo = try #require(photos[name])
            #expect(came == Array(photo.prefix(came.count)), "\(cut)")
            // A reset takes with it what was under way.
            #expect(cut.how == "reset" ? came.count <= cut.after : came.count == cut.after, "\(cut)")
            #expect(reason.contains("\(name): only \(came.count) of \(photo.count) bytes came"), "\(reason)")
            #expect(
                reason.contains("it is still on the card in the camera: copy it from there")
                    == (cut.saves == "both"))
            #expect(reason.contains("there is no copy on a card") == (cut.saves == "host"))
        }
        let isLost = !cut.isWhole(shelf) && !cut.keeps
        // A body that keeps what it has given to its last byte, and was not told so, gives it again: the same bytes.
        let isAgain = cut.isWhole(shelf) && cut.keeps
        let again = await shelf.tether(stand, until: 6 - (isLost ? 1 : 0) + (isAgain ? 1 : 0))
        #expect(again == nil, "\(cut): \(again.debugDescription)")
        #expect(
            Set(shelf.photos.map(\.name)).count == shelf.photos.count - (isAgain ? 1 : 0),
            "each of them once")
        for photo in shelf.photos { #expect(photo.bytes == photos[photo.name]) }
        #expect(Set(photos.keys).subtracting(shelf.photos.map(\.name)).count == (isLost ? 1 : 0))
        #expect(stand.complaints.isEmpty)
    }

    @Test(
        "a photo whose every byte came before the link was lost is not lost with it",
        arguments: [false, true])
    func lastByte(isRaw: Bool) async throws {
        let stand = try await SonyCamera(
            model: "sony-a7m4", script: "cut after=\(isRaw ? 40_000 : 20_000) operation=0x1009 times=1"
        ).make(photos: 1) { $1.hasRawToo = true }
        let shelf = SonyShelf()
        let failure = await shelf.tether(stand, until: 2)
        #expect(shelf.photos.map(\.name) == (isRaw ? ["DSC00001.JPG", "DSC00001.ARW"] : ["DSC00001.JPG"]))
        if !isRaw {
            guard case .connectionOver = failure?.trouble else {
                return #expect(Bool(false), "\(failure.debugDescription)")
            }
            #expect(await shelf.tether(stand, until: 2) == nil)
        }
        let photos = try await stand.photos()
        for photo in shelf.photos { #expect(photo.bytes == photos[photo.name]) }
        #expect(shelf.photos.count == 2)
    }

    @Test(
        "what is in the memory of a body whose Wi-Fi sleeps comes when it is back, each once",
        arguments: models)
    func sleeps(body: SonyCamera) async throws {
        let stand = try await body.make(photos: 4)
        let shelf = SonyShelf()
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                try await shelf.take(2, stand, driver)
                await stand.rig.camera.fallAsleep()
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        guard case .connectionOver = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        let away = await ConformanceCheck.failure { try await stand.connector().met(knowing: nil) { _ in } }
        guard case .connectionOver = away?.trouble else {
            return #expect(Bool(false), "\(away.debugDescription)")
        }
        await stand.rig.camera.wakeUp()
        await stand.shoot()
        #expect(await shelf.tether(stand, until: 5) == nil)
        #expect(shelf.photos.map(\.name) == (1...5).map { "DSC0000\($0).JPG" })
        let photos = try await stand.photos()
        for photo in shelf.photos { #expect(photo.bytes == photos[photo.name]) }
        #expect(stand.complaints.isEmpty)
    }
}

/// What has arrived of a Sony's photos, over connections.
final class SonyShelf: Sendable {
    private let kept = Shared<[HandedOver]>([])
    private let current = Shared<(name: String, sink: ArraySink)?>(nil)

    var photos: [HandedOver] { kept.value }
    /// The photo that was on its way when its connection ended, and what had come of it.
    var brokenOff: (name: String, bytes: [UInt8])? { current.value.map { ($0.name, $0.sink.bytes) } }

    /// Until it has so many, or the connection ends.
    func tether(_ stand: GenericStand, until count: Int) async -> CameraFailure? {
        do {
            try await stand.connector { $0.noProgress = .seconds(2) }.met(knowing: nil) { driver in
                try await self.take(count - self.photos.count, stand, driver)
                try await driver.throwIfEnded()
            }
            return nil
        } catch let failure as CameraFailure {
            return failure
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// As the transfer does: told, described, fetched, durable, released.
    func take(_ count: Int, _ stand: GenericStand, _ driver: any CameraDriver) async throws {
        let wanted = photos.count + count
        let changes = driver.changes.makeAsyncIterator()
        while photos.count < wanted, let change = await changes.next() {
            guard case .added(let reference) = change,
                let offer = try await driver.describe(reference, withRating: false)
            else { continue }
            let sink = ArraySink()
            current.change { $0 = (offer.identity.name, sink) }
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            kept.change { $0.append(HandedOver(offer: offer, bytes: sink.bytes)) }
            current.change { $0 = nil }
            try await driver.release(offer)
        }
    }
}
