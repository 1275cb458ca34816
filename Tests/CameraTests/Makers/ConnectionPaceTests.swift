import Basics
import Bridge
import PTP
import TestSupport
import Testing

@testable import Camera

/// The events of an evening, one by one: what each kind of body is given as a pause, and what is said of it meanwhile.
@Suite struct ConnectionPaceTests {
    /// Draws the longest pause that may be drawn, so that a pause is the same each time.
    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    /// A life that is told what happens, at its own time.
    private struct Evening {
        var life: ConnectionLife
        var now = Duration.zero
        private var random = Highest()

        init(_ make: BodyKind.Make) {
            let kind = BodyKind(name: "it", make)
            life = ConnectionLife(settings: kind.pace(ConnectionLife.Settings()))
            _ = tell(.start)
        }

        mutating func tell(_ happening: ConnectionLife.Happening) -> [ConnectionLife.Action] {
            life.handle(happening, at: now, using: &random)
        }

        /// Until the next try, which begins.
        mutating func lost(_ loss: ConnectionLife.Loss, afterProgress: Bool = false) -> Waited {
            _ = tell(.lost(loss, afterProgress: afterProgress))
            guard case .waiting(let until, let because) = life.state else { return Waited() }
            let pause = until - now
            now = until
            guard tell(.timePassed).contains(.connect) else { return Waited() }
            return Waited(seconds: pause / .seconds(1), word: because.word)
        }

        mutating func stays(_ time: Duration) {
            _ = tell(.connected)
            now += time
        }
    }

    /// The pause, in tenths of a second, and the reason.
    private struct Waited: Equatable {
        var tenths = -1
        var word = ""

        init() {}

        init(seconds: Double, word: String) {
            (tenths, self.word) = (Int((seconds * 10).rounded()), word)
        }
    }

    @Test(
        "a Z 8: paired, its access point begins anew, a battery is pulled, it sleeps, and a phone is in its place"
    )
    func nikon() {
        var evening = Evening(.nikon(.third(isPaired: false)))
        #expect(evening.tell(.cameraShowsCode) == [.report(.confirmingCode)])
        // "1.2 s settle", and the access point is back when it is.
        #expect(evening.lost(.lost("restarts its Wi-Fi")) == Waited(seconds: 1.2, word: "lost"))
        #expect(evening.lost(.unreachable("no route")) == Waited(seconds: 2, word: "unreachable"))
        evening.stays(.seconds(60))
        // In the middle of a photo: others are back after 0.2 s.
        #expect(evening.lost(.lost("gone"), afterProgress: true) == Waited(seconds: 1.2, word: "lost"))
        // "Keeps its slot ≥ 30 s."
        #expect(evening.lost(.busy("holds its one place")) == Waited(seconds: 30, word: "busy"))
        evening.stays(.seconds(60))
        #expect(evening.lost(.asleep("it hung up")) == Waited(seconds: 1.2, word: "asleep"))
        #expect(evening.lost(.unreachable("no route")).word == "asleep")
        evening.stays(.seconds(60))
        #expect(evening.lost(.busy("InitFail 2")) == Waited(seconds: 30, word: "busy"))
        // "Rejected: stop retrying; human must pair again."
        #expect(evening.lost(.needsPerson("InitFail 1")) == Waited(seconds: 60, word: "needsPerson"))
        #expect(evening.lost(.needsPerson("InitFail 1")) == Waited(seconds: 60, word: "needsPerson"))
    }

    @Test(
        "a Canon: a person takes a minute for OK, then a long one; a card is changed, and it is back at once")
    func canon() {
        var evening = Evening(.canon)
        #expect(evening.tell(.cameraAsks) == [.report(.waitingForOK)])
        #expect(evening.lost(.needsPerson("not confirmed")) == Waited(seconds: 60, word: "needsPerson"))
        #expect(evening.tell(.cameraAsks) == [.report(.waitingForOK)])
        evening.now += .seconds(90)
        #expect(evening.tell(.connected) == [.report(.ready)])
        evening.now += .seconds(60)
        #expect(evening.lost(.lost("cut"), afterProgress: true) == Waited(seconds: 0.2, word: "lost"))
    }

    @Test(
        "a Sony: three greetings, then the person beside it is asked; the next one that succeeds begins anew")
    func sony() {
        var evening = Evening(.sony(.remote))
        #expect(evening.lost(.lost("no answer")) == Waited(seconds: 1, word: "lost"))
        #expect(evening.lost(.lost("no answer")) == Waited(seconds: 2, word: "lost"))
        #expect(evening.lost(.lost("no answer")) == Waited(seconds: 60, word: "needsPerson"))
        #expect(evening.lost(.lost("no answer")) == Waited(seconds: 60, word: "needsPerson"))
        evening.stays(.seconds(60))
        #expect(evening.lost(.lost("cut")) == Waited(seconds: 1, word: "lost"))
        #expect(evening.lost(.lost("no answer")) == Waited(seconds: 2, word: "lost"))
    }

    @Test("Send to Computer serves one connection: what comes after it is a person's to begin")
    func sendToComputer() {
        let cut = CameraError.Problem.ended(.linkLost(.command, reason: "the camera closed it"))
        func loss(_ mode: SonyMode?) -> ConnectionLife.Loss {
            let kind = BodyKind(name: "ILCE-7M3", .sony(mode))
            return CameraFailure(CameraError(camera: "10.0.0.1", kind: kind, cut)).loss
        }
        #expect(loss(.sendToComputer).word == "needsPerson")
        #expect(loss(.sendToComputer).reason.contains("choose Send to Computer on it again"))
        for mode in [nil, SonyMode.remote, .transfer] { #expect(loss(mode).word == "lost") }
    }

    @Test("the pauses before another event connection fit into what a Canon waits for it")
    func eventLink() {
        // "Canon drops the command TCP if the event TCP is not opened within a few seconds"; camsim waits three.
        #expect(Timeouts().eventLinkRetries.reduce(.zero, +) < .seconds(3))
    }

    @Test("nothing that the operator has set longer is made shorter")
    func longer() {
        var usual = ConnectionLife.Settings()
        (usual.settle, usual.busyPause, usual.mostGreetings) = (.seconds(5), .seconds(90), 2)
        for make in [BodyKind.Make.nikon(nil), .sony(nil), .canon, .other] {
            #expect(BodyKind(name: "it", make).pace(usual) == usual)
        }
    }
}
