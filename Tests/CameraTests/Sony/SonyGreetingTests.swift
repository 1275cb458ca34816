import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What a Sony wants to hear before anything else, and what becomes of a client that says something else.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyGreetingTests {
    private func stand(_ script: String, photos: Int = 0, _ clock: ManualClock) async throws -> GenericStand {
        try await SonyCamera(model: "sony-a7m4", script: script).make(photos: photos, clock: clock)
    }

    private func connect(
        _ stand: GenericStand, _ clock: ManualClock, traits: [String: String] = [:],
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Void = { _ in }
    ) async throws {
        let connector = try stand.connector(time: clock) { $0.traits = traits }
        try await clock.ticking(
            upTo: .milliseconds(400), until: Task { try await connector.met(knowing: nil, use) })
    }

    // MARK: "All within 30 s"

    @Test("a body that is not greeted within half a minute hangs up, and so do we, with what to do on it")
    func limit() async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-empty-info\nsony-greeting-limit", clock)
        let failure = await ConformanceCheck.failure { try await connect(stand, clock) }
        #expect(clock.now >= .seconds(29) && clock.now < .seconds(32))
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("did not come to the end of its greeting within 30"))
        #expect(reason.contains("Switch PC Remote off and on in the camera's network menu"))
    }

    @Test("a body that hangs up earlier is said to have done so in its greeting")
    func hangsUp() async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-empty-info\nsony-greeting-limit within=10s", clock)
        let failure = await ConformanceCheck.failure { try await connect(stand, clock) }
        #expect(clock.now >= .seconds(10) && clock.now < .seconds(12))
        #expect(stand.rig.log.value.contains { $0.hasPrefix("not greeted within 10") })
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("before the camera's greeting did") && reason.contains("PC Remote"))
    }

    @Test(
        "a client that opens a session and does not greet is hung up on, and one that greets is not",
        arguments: [false, true])
    func unasked(greets: Bool) async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-greeting-limit", clock)
        let seconds = Shared(0)
        do {
            try await stand.rig.session().run { session in
                if greets { try await SonyByHand(session).greet() }
                while seconds.value < 60 {
                    _ = try await session.exchange(Call(.getStorageIDs, data: .incoming(limit: 1024)))
                    clock.advance(by: .seconds(1))
                    seconds.change { $0 += 1 }
                }
            }
            #expect(greets)
        } catch is CameraError {
            #expect(!greets && seconds.value >= 30)
        }
        #expect(stand.rig.log.value.contains { $0.hasPrefix("not greeted within 30") } == !greets)
    }

    // MARK: "Repeat until data is non-empty"

    @Test(
        "0x9202 is asked twenty times by the newer rules, and then by the older ones",
        arguments: [(19, "0x012C"), (20, "0x00C8")])
    func emptyAnswers(times: Int, version: String) async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-empty-info times=\(times)", clock)
        try await connect(stand, clock)
        #expect(
            stand.rig.log.value.filter { $0.hasPrefix("greeted") } == [
                "greeted, by the rules of version \(version)"
            ])
        #expect(clock.now < .seconds(29))
    }

    @Test(
        "rules that the operator names are the ones that are asked for",
        arguments: [("2", "0x00C8"), ("3", "0x012C")])
    func rules(said: String, version: String) async throws {
        let clock = ManualClock()
        let stand = try await stand("", photos: 1, clock)
        try await connect(stand, clock, traits: ["sdio-version": said]) { driver in
            let taken = try await stand.take(1, from: driver)
            #expect(taken.count == 1)
        }
        #expect(stand.rig.log.value.contains("greeted, by the rules of version \(version)"))
    }

    // MARK: Sessions

    @Test(
        "a session is opened by one of two operations: by the other as well is refused",
        arguments: [false, true])
    func oneOpening(newFirst: Bool) async throws {
        let stand = try await SonyCamera(model: "sony-a7m4").make()
        let session = stand.rig.session { options in
            if newFirst {
                options.peculiarities.sessionOpening = SessionOpening(.sonyOpenSession, further: [1])
            }
        }
        let codes = try await session.run { session in
            [
                try await session.exchange(Call(.openSession, [1])).code,
                try await session.exchange(Call(.sonyOpenSession, [1, 2])).code,
            ]
        }
        #expect(codes == [.sessionAlreadyOpen, .sessionAlreadyOpen])
    }

    @Test("a body that says a session was open already is gone on with")
    func alreadyOpen() async throws {
        let clock = ManualClock()
        let stand = try await stand("session-already-open times=1", photos: 1, clock)
        try await connect(stand, clock) { driver in
            let taken = try await stand.take(1, from: driver)
            #expect(taken.count == 1)
        }
    }

    @Test(
        "a session that an operation has poisoned is left for a new one, in which the photo comes",
        arguments: [
            "poison operation=0x1008 times=1", "poison operation=0x1009 times=1",
        ])
    func poison(script: String) async throws {
        let clock = ManualClock()
        let stand = try await stand(script, photos: 2, clock)
        let failure = await ConformanceCheck.failure {
            try await connect(stand, clock) { driver in
                let taking = Task { try await stand.take(2, from: driver) }
                defer { taking.cancel() }
                while true {
                    try await clock.sleep(until: clock.now + .milliseconds(300))
                    try await driver.throwIfEnded()
                }
            }
        }
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("refuses everything it is asked"))
        try await connect(stand, clock) { driver in
            let taken = try await stand.take(2, from: driver)
            #expect(taken.count == 2)
        }
    }

    // MARK: The first capture

    @Test("a body that takes no photo for three seconds is pressed by its photographer, and not by us")
    func warmUp() async throws {
        let clock = ManualClock()
        let stand = try await stand("sony-warm-up", clock)
        try await stand.rig.session().run { session in
            let hand = SonyByHand(session)
            try await hand.greet()
            #expect(try await hand.press() == .deviceBusy)
            clock.advance(by: .seconds(3))
            #expect(try await hand.press() == .ok)
        }
        try await connect(stand, clock) { driver in
            await stand.shoot()
            let taken = try await stand.take(2, from: driver)
            #expect(taken.count == 2)
        }
        #expect(stand.complaints.isEmpty)
    }
}

/// A client that says to a Sony what a test wants it to say.
struct SonyByHand {
    let session: CameraSession

    init(_ session: CameraSession) {
        self.session = session
    }

    @discardableResult
    func ask(_ code: UInt16, _ parameters: [UInt32] = []) async throws -> Reply {
        try await session.exchange(
            Call(OperationCode(rawValue: code), parameters, data: .incoming(limit: 1 << 20)))
    }

    func greet() async throws {
        for (code, parameters) in [
            (0x9201, [1, 0, 0]), (0x9201, [2, 0, 0]), (0x9202, [0x012C]), (0x9201, [3, 0, 0]),
        ] as [(UInt16, [UInt32])] {
            let reply = try await ask(code, parameters)
            guard reply.code == .ok else { throw Refused(code: reply.code) }
        }
    }

    struct Refused: Error { let code: ResponseCode }

    /// The shutter, as a program that takes photos presses it.
    func press() async throws -> ResponseCode {
        try await session.exchange(
            Call(OperationCode(rawValue: 0x9207), [0xD2C2], data: .outgoing([2, 0]))
        ).code
    }
}
