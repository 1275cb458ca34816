import Basics
import Bridge
import Link
import PTP
import Posix
import Simulator
import TestSupport
import Testing

@testable import Camera

/// The one place that a Nikon has for a client: when it is asked for it, and how it is begun with.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonSlotTests {
    private static let known = KnownBody(
        identity: CameraIdentity(manufacturer: "Nikon Corporation", model: "Z 6II", body: "0001"),
        driver: GenericDriver.name, serial: "0001")

    private func scene(_ model: String, _ script: String, size: UInt64 = 200_000) throws -> HangScene {
        try HangScene(
            "nikon-paired\n" + script, size: size, model: try #require(CameraModel.named(model)))
    }

    /// How often it was asked for its place.
    private func asked(_ scene: HangScene) -> Int {
        scene.stand.rig.log.value.count { $0.contains("wants to connect") }
    }

    private func expectHeld(_ failure: CameraFailure?, _ words: String) {
        guard case .connectionOver(.busy(let sentence), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(sentence.contains(words) && sentence.contains("can hang its firmware"), "\(sentence)")
        ConformanceCheck.expectSentences(failure)
    }

    @Test(
        "when the end of a connection is lost, its place is left alone for half a minute, and then the photo is gone on with"
    )
    func lostEnd() async throws {
        let size: UInt64 = 2_000_000
        let scene = try scene(
            "nikon-z6ii", "lost-fin after=50000 operation=0x101B hold=30s times=1", size: size)
        let taker = PhotoTaker(scene.stand)
        let lost = try await scene.met { try await taker.take(3, from: $0) }
        guard case .connectionOver(.lost, _) = lost.failure?.trouble else {
            return #expect(Bool(false), "\(lost.failure.debugDescription)")
        }
        let lostAt = scene.clock.now
        // In the 29 seconds after it was noticed here.
        for _ in 0..<2 {
            expectHeld(try await scene.tried().failure, "holds its one place")
            scene.clock.advance(by: .seconds(29) - (scene.clock.now - lostAt))
        }
        #expect(asked(scene) == 1)
        scene.clock.advance(by: .seconds(1))
        let met = try await scene.met(knowing: scene.left.value) { try await taker.take(3, from: $0) }
        #expect(met.failure == nil && asked(scene) == 2)
        let photos = try await scene.stand.photos()
        #expect(taker.photos.map(\.bytes) == photos.sorted { $0.key < $1.key }.map(\.value))
        #expect(taker.received == 3 * size, "it goes on where it stopped")
    }

    @Test(
        "a link that TCP gives up has told the body nothing: its place is left alone as well; a body of another make is connected to at once",
        arguments: [("nikon-d7200", true), ("canon-80d", false)])
    func tcpTimeout(model: String, isHeld: Bool) async throws {
        let stand = GenericStand(try Rig("nikon-paired", model: try #require(CameraModel.named(model))))
        let links = DyingLinks(stand.rig)
        let identity = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
        let connector = GenericConnector(
            place: "rig", settings: GenericSettings(identity: identity), executor: stand.rig.reactor,
            time: stand.rig.reactor
        ) { _ in links }
        let lost = await ConformanceCheck.failure {
            try await connector.met(knowing: nil) { driver in
                links.die()
                _ = try await driver.references()
            }
        }
        guard case .connectionOver(.lost, _) = lost?.trouble else {
            return #expect(Bool(false), "\(lost.debugDescription)")
        }
        links.live()
        if isHeld {
            expectHeld(
                await ConformanceCheck.failure { try await connector.met(knowing: nil) { _ in } },
                "holds its one place")
        } else {
            try await connector.met(knowing: nil) { _ in }
        }
    }

    @Test(
        "a body that says that another client has its place is asked again after half a minute, when it is a Nikon"
    )
    func taken() async throws {
        let scene = try scene("nikon-z6ii", "init-fail reason=2 times=1")
        let refused = try await scene.tried(knowing: Self.known)
        guard case .connectionOver(.busy, _) = refused.failure?.trouble else {
            return #expect(Bool(false), "\(refused.failure.debugDescription)")
        }
        let count = asked(scene)
        expectHeld(try await scene.tried(knowing: Self.known).failure, "another client holds its one place")
        #expect(asked(scene) == count)
        scene.clock.advance(by: .seconds(30))
        #expect(try await scene.tried(knowing: Self.known).failure == nil)
        #expect(asked(scene) == count + 1)
    }

    @Test("Device_Busy to OpenSession says the same; other refusals, and other makes, do not")
    func takenInSession() {
        let (nikon, canon) = (BodyKind(name: "it", .nikon(nil)), BodyKind(name: "it", .canon))
        for (ending, kind, isHeld) in [
            (Ending.sessionRefused(.deviceBusy), nikon, true),
            (.refused(.busy, .command), nikon, true),
            (.sessionRefused(.generalError), nikon, false),
            (.refused(.rejectedInitiator, .command), nikon, false),
            (.sessionRefused(.deviceBusy), canon, false),
        ] {
            let experience = Experience()
            experience.ended(ending, Experience.Lesson(), of: kind, at: .seconds(5))
            let held = Experience.SlotHold(until: .seconds(35), isOurs: false)
            #expect(experience.slotIsHeld(at: .seconds(34)) == (isHeld ? held : nil))
            #expect(experience.slotIsHeld(at: .seconds(35)) == nil)
        }
    }

    @Test("a session that its body refuses to work in is not closed in its first second either")
    func refusedAtOnce() async throws {
        let scene = try scene("nikon-z8", "refuse code=0x2005 operation=0x9435")
        let refused = try await scene.tried()
        guard case .connectionOver(.needsPerson, _) = refused.failure?.trouble else {
            return #expect(Bool(false), "\(refused.failure.debugDescription)")
        }
        #expect(refused.time >= .seconds(1))
    }

    @Test(
        "a large part that never comes (D7200, J4, D750, WU-1a) costs its connection, and the next one goes on where it stopped"
    )
    func stalls() async throws {
        let size: UInt64 = 2_500_000
        let scene = try HangScene(
            "stall after=300000 operation=0x101B skip=1 times=1", photos: 2, size: size,
            model: try #require(CameraModel.named("nikon-d7200")))
        let taker = PhotoTaker(scene.stand)
        let stalled = try await scene.met { try await taker.take(2, from: $0) }
        guard case .connectionOver(.lost, mayBeItsDoing: true) = stalled.failure?.trouble else {
            return #expect(Bool(false), "\(stalled.failure.debugDescription)")
        }
        // Its place is free again.
        scene.clock.advance(by: .seconds(30))
        let met = try await scene.met(knowing: scene.left.value) { try await taker.take(2, from: $0) }
        #expect(met.failure == nil && taker.received == 2 * size)
        let photos = try await scene.stand.photos()
        #expect(taker.photos.map(\.bytes) == photos.sorted { $0.key < $1.key }.map(\.value))
    }

    // MARK: The probe after the event connection

    @Test(
        "a body that hangs unless it is probed at once is, from the first connection on, when its make is known"
    )
    func probedFirst() async throws {
        let byLedger = try scene("nikon-z6ii", "nikon-wants-probe")
        #expect(try await byLedger.tried(knowing: Self.known).failure == nil)
        let byOperator = try scene("nikon-z6ii", "nikon-wants-probe")
        let choice = try #require(DriverChoice("nikon"))
        let connector = try byOperator.stand.connector(time: byOperator.clock) { $0.driver = choice }
        #expect(try await byOperator.tried(by: connector).failure == nil)
        // What the operator says of this one body counts more.
        let not = try byOperator.stand.connector(time: byOperator.clock) {
            $0.driver = choice
            $0.traits = ["probe-after-handshake": "no"]
        }
        #expect(try await byOperator.tried(by: not).failure != nil)
    }

    @Test("one of which nothing is known hangs once, and is probed at once from then on")
    func probedAfterHang() async throws {
        let scene = try scene("nikon-z6ii", "nikon-wants-probe")
        #expect(try await scene.tried().failure != nil)
        #expect(try await scene.tried().failure == nil)
        #expect(scene.left.value?.traits["probe-after-handshake"] == "yes")
        // Of whatever make.
        let plain = try HangScene("nikon-wants-probe")
        #expect(try await plain.tried().failure != nil)
        #expect(try await plain.tried().failure == nil)
        let known = plain.left.value
        #expect(known?.traits["probe-after-handshake"] == "yes")
        #expect(try await plain.tried(knowing: known).failure == nil)
    }

    @Test("a probe that was no help is not sent to the next one")
    func probedInTurn() {
        let experience = Experience()
        let hung = Ending.silent(waitingFor: "answer to OpenSession", after: .seconds(30))
        var lesson = Experience.Lesson()
        #expect(!experience.isProbedFirst)
        // It did not even let us in.
        experience.ended(hung, lesson, at: .zero)
        #expect(!experience.isProbedFirst)
        lesson.wasLetIn = true
        for isProbed in [true, false, true] {
            experience.ended(hung, lesson, at: .zero)
            #expect(experience.isProbedFirst == isProbed)
        }
    }
}

/// A camera's links, which TCP gives up when it is told to.
private final class DyingLinks: LinkOpening {
    private let inner: any LinkOpening
    private let isDead = Shared(false)

    init(_ inner: any LinkOpening) {
        self.inner = inner
    }

    var target: String { inner.target }
    func die() { isDead.change { $0 = true } }
    func live() { isDead.change { $0 = false } }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        DyingLink(try await inner.open(channel), isDead)
    }
}

private final class DyingLink: ByteLink {
    private let inner: any ByteLink
    private let isDead: Shared<Bool>

    init(_ inner: any ByteLink, _ isDead: Shared<Bool>) {
        self.inner = inner
        self.isDead = isDead
    }

    var peer: String { inner.peer }

    func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError) -> Int {
        let count = try await inner.receive(into: buffer, range, spill: spill)
        if isDead.value { throw .stalled(peer: peer, after: .seconds(30)) }
        return count
    }

    func send(_ pieces: [Piece]) async throws(LinkError) { try await inner.send(pieces) }
    func close(_ manner: LinkClosing) { inner.close(manner) }
}
