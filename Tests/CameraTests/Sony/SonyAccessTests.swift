import Basics
import Bridge
import Camera
import Link
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// Whom a Sony lets in, and for how long: each row of what is known of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyAccessTests {
    private static let sony = DriverChoice("sony") ?? .automatic

    /// Connects as one of many clients. Where something is waited for, time passes.
    private func connect(
        _ stand: GenericStand, as id: String = String(repeating: "0", count: 32), name: String = "test",
        waiting: Bool = false, forPerson limit: Duration = .seconds(60), _ clock: ManualClock,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Void = { _ in }
    ) async throws -> [ConnectionStep] {
        let steps = Shared<[ConnectionStep]>([])
        let connector = try stand.connector(time: clock) { settings in
            settings.driver = Self.sony
            settings.waitForPerson = limit
            if let identity = ClientIdentity(id: id, name: name) { settings.identity = identity }
        }
        let connecting = Task {
            try await connector.connected(
                knowing: nil, onStep: { step in steps.change { $0.append(step) } }, use)
        }
        // No answer takes as long as that.
        if waiting { try await clock.ticking(upTo: .seconds(5), until: connecting) }
        try await connecting.value
        return steps.value
    }

    /// Connects to a body whose person presses OK after so long. Gives what was said meanwhile.
    private func connectWithOK(
        _ stand: GenericStand, as id: String, after wait: Duration, _ clock: ManualClock
    ) async throws -> String {
        let (isAsked, told, began) = (Signal(), Shared(""), clock.now)
        let connector = try stand.connector(time: clock) { settings in
            settings.driver = Self.sony
            if let identity = ClientIdentity(id: id, name: "test") { settings.identity = identity }
        }
        let connecting = Task {
            try await connector.connected(
                knowing: nil,
                onStep: { step in
                    guard case .waitingForPerson(let sentence) = step else { return }
                    told.change { $0 = sentence }
                    isAsked.fire()
                }
            ) { _ in }
        }
        // Its person takes longer than we wait before we say what to press; no answer of its own takes as long.
        try await clock.ticking(upTo: .seconds(3), until: Task<Void, any Error> { await isAsked.wait() })
        try await clock.ticking(upTo: wait, until: connecting)
        #expect(clock.now - began >= wait)
        return told.value
    }

    private func failure(_ connect: () async throws -> [ConnectionStep]) async -> CameraFailure? {
        await ConformanceCheck.failure { _ = try await connect() }
    }

    // MARK: PC Remote

    @Test(
        "the first time a person presses OK, and is told so; the GUID is remembered, and twenty of them are")
    func pairing() async throws {
        let clock = ManualClock()
        let stand = try await SonyCamera(model: "sony-a7m4", script: "sony-pairing ok=8s").make(clock: clock)
        for guid in 0..<20 {
            let id = String(repeating: "0", count: 30) + String(format2: guid)
            let told = try await connectWithOK(stand, as: id, after: .seconds(8), clock)
            #expect(told.contains("press OK on the camera when its screen shows our name"))
        }
        // One of those it knows: no person is asked.
        let before = clock.now
        let steps = try await connect(stand, clock)
        #expect(steps.contains(.letIn) && steps.count == 2, "\(steps)")
        #expect(clock.now - before < .seconds(1))
        let refused = await failure {
            try await connect(stand, as: String(repeating: "F", count: 32), clock)
        }
        guard case .connectionOver(.needsPerson(let sentence), _) = refused?.trouble else {
            return #expect(Bool(false), "\(refused.debugDescription)")
        }
        #expect(sentence.contains("it remembers twenty computers"))
    }

    @Test("a body without pairing takes any GUID")
    func anyGUID() async throws {
        let clock = ManualClock()
        let stand = try await SonyCamera(model: "sony-a7m3").make(clock: clock)
        for digit in ["0", "7", "F"] {
            let steps = try await connect(stand, as: String(repeating: digit, count: 32), clock)
            #expect(steps.last == .letIn)
        }
    }

    @Test("it is shown a name of 39 characters at most, and one GUID for an installation")
    func clientIdentity() async throws {
        let clock = ManualClock()
        let stand = try await SonyCamera(model: "sony-a7m4").make(clock: clock)
        for _ in 0..<2 {
            _ = try await connect(stand, name: String(repeating: "n", count: 60), clock)
        }
        let heard = stand.rig.log.value.filter { $0.contains("wants to connect") }
        #expect(heard.count == 2 && Set(heard).count == 1)
        #expect(heard[0].hasPrefix(String(repeating: "n", count: 39) + " wants"))
    }

    @Test("with Access Authentication on its port is closed, and where to say user and password is told")
    func authentication() async throws {
        let identity = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
        var settings = GenericSettings(identity: identity)
        settings.driver = Self.sony
        let stand = try await SonyCamera(model: "sony-a7m4").make()
        let connector = GenericConnector(
            place: "192.168.122.1:15740", settings: settings, executor: stand.rig.reactor,
            time: stand.rig.reactor
        ) { _ in ClosedDoor() }
        let refused = await ConformanceCheck.failure { try await connector.met(knowing: nil) { _ in } }
        guard case .connectionOver(.unreachable(let sentence), _) = refused?.trouble else {
            return #expect(Bool(false), "\(refused.debugDescription)")
        }
        for word in ["Access Authentication", "ssh-user", "ssh-password-file", "ssh-host-key"] {
            #expect(sentence.contains(word))
        }
    }

    // MARK: Send to Computer

    @Test("Send to Computer lets in the GUID that it was told over USB, and no other; what to do is said")
    func boundGUID() async throws {
        let bound = "FFFF525400B6FDA9FFFF523C2807A93A"
        let clock = ManualClock()
        let stand = try await SonyCamera(
            model: "sony-a7m3", script: "sony-send-to-computer\ndemand-guid value=\(bound)"
        ).make(clock: clock)
        let refused = await failure { try await connect(stand, clock) }
        guard case .connectionOver(.needsPerson(let sentence), _) = refused?.trouble else {
            return #expect(Bool(false), "\(refused.debugDescription)")
        }
        #expect(sentence.contains("Send to Computer") && sentence.contains("camera.guid"))
        let steps = try await connect(stand, as: bound, clock)
        #expect(steps.last == .letIn)
    }

    @Test(
        "it serves one connection each time that a person chooses it; the next one is told that it is to be chosen again"
    )
    func onceForEachChoice() async throws {
        let clock = ManualClock()
        let stand = try await SonyCamera(
            model: "sony-a7m3", script: "sony-send-to-computer\nsony-one-session"
        ).make(photos: 1, clock: clock)
        for _ in 0..<2 {
            _ = try await connect(stand, clock) { driver in
                let offers = try await driver.survey(SurveyOptions(), onDescribed: {}).offers
                #expect(offers.count == 1)
            }
            let silent = await failure {
                try await connect(stand, waiting: true, forPerson: .seconds(4), clock)
            }
            guard case .connectionOver(.needsPerson(let sentence), _) = silent?.trouble else {
                return #expect(Bool(false), "\(silent.debugDescription)")
            }
            #expect(sentence.contains("one connection each time that it is chosen: choose it again"))
            await stand.rig.camera.powerOff()
            await stand.rig.camera.powerOn()
        }
    }

    @Test("its two minutes without a command never pass while the connection is used")
    func idle() async throws {
        let clock = ManualClock()
        let stand = try await SonyCamera(
            model: "sony-a7m3", script: "sony-send-to-computer\nsleep after=2min"
        ).make(photos: 1, clock: clock)
        _ = try await connect(stand, waiting: true, clock) { driver in
            let pause = try #require(await driver.abilities.keepAliveEvery)
            while clock.now < .seconds(300) {
                try await clock.sleep(until: clock.now + pause)
                try await driver.keepAlive()
            }
            let references = try await driver.references()
            #expect(references.count == 3)
        }
        #expect(clock.now >= .seconds(300))
    }
}

/// Where nothing listens.
private struct ClosedDoor: LinkOpening {
    var target: String { "192.168.122.1:15740" }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        throw .refused(peer: target, port: 15740)
    }
}

extension String {
    /// Two hexadecimal digits.
    fileprivate init(format2 number: Int) {
        let digits = String(number, radix: 16, uppercase: true)
        self = String(repeating: "0", count: 2 - digits.count) + digits
    }
}
