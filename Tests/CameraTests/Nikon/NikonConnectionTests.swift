import Basics
import Bridge
import PTP
import Posix
import Simulator
import TestSupport
import Testing

@testable import Camera

/// How real Nikons come, stay and go.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonConnectionTests {
    private let d7200 = NikonBodyUnderTest.all[0]
    private let z6ii = NikonBodyUnderTest.all[2]

    @Test("a body that takes the connection and never answers is told to the operator, with what to press")
    func silentBody() async throws {
        let clock = ManualClock()
        let stand = try d7200.stand("silent-accept", clock: clock)
        let steps = Shared<[ConnectionStep]>([])
        let connecting = Task {
            try await stand.connector(time: clock) { $0.waitForPerson = .seconds(20) }.connected(
                knowing: nil, onStep: { step in steps.change { $0.append(step) } }
            ) { _ in }
        }
        let failure = await ConformanceCheck.failure {
            try await clock.ticking(upTo: .seconds(20), until: connecting)
        }
        guard case .connectionOver(.needsPerson, _) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(steps.value.contains { if case .waitingForPerson = $0 { true } else { false } })
    }

    @Test("connection number 0, and no other session than 1: as a J5")
    func connectionNumberZero() async throws {
        let stand = try d7200.stand("connection-number value=0\nsession-id wanted=1")
        try await stand.connector().met(knowing: nil) { driver in
            let count = try await driver.references().count
            #expect(count == 5)
        }
    }

    @Test(
        "the probe after the event connection is sent from the second connection on, by what is known of the body"
    )
    func probe() async throws {
        let stand = try z6ii.stand()
        let body = try await stand.connector().met(knowing: nil) { await $0.body }
        #expect(body.traits["probe-after-handshake"] == "yes")
        let again = try await stand.connector().met(knowing: body) { await $0.body }
        #expect(again.traits == body.traits)
    }

    @Test("after a link that was lost without a goodbye its slot is left alone")
    func slot() async throws {
        let stand = try z6ii.stand("stall after=50000 operation=0x101B")
        let connector = try stand.connector { $0.noProgress = .milliseconds(300) }
        let lost = await ConformanceCheck.failure {
            try await connector.met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
        }
        guard case .connectionOver(.lost, _) = lost?.trouble else {
            return #expect(Bool(false), "\(lost.debugDescription)")
        }
        let links = stand.rig.log.value.count { $0.contains("wants to connect") }
        let held = await ConformanceCheck.failure { try await connector.met(knowing: nil) { _ in } }
        guard case .connectionOver(.busy(let sentence), mayBeItsDoing: false) = held?.trouble else {
            return #expect(Bool(false), "\(held.debugDescription)")
        }
        #expect(sentence.contains("holds its one place"))
        #expect(stand.rig.log.value.count { $0.contains("wants to connect") } == links)
    }

    @Test("its slot is held for half a minute after a silence, and not after an end that the body knows of")
    func slotTime() {
        let body = CameraIdentity(manufacturer: "Nikon Corporation", model: "Z 8", body: "1")
        let silent = Ending.hung(silentFor: .seconds(28), over: .nikonGetEventEx)
        let experience = Experience()
        _ = experience.of(body, BodyKind(name: "Z 8", .nikon(nil)))
        experience.ended(silent, Experience.Lesson(), at: .seconds(100))
        #expect(
            experience.slotIsHeld(at: .seconds(101))
                == Experience.SlotHold(until: .seconds(130), isOurs: true))
        #expect(experience.slotIsHeld(at: .seconds(130)) == nil)
        for (holds, ending) in [
            (false, silent), (true, .linkLost(.command, reason: "closed")), (true, .closed),
        ] {
            let other = Experience()
            _ = other.of(body, BodyKind(name: "it", holds ? .nikon(nil) : .canon))
            other.ended(ending, Experience.Lesson(), at: .seconds(100))
            #expect(other.slotIsHeld(at: .seconds(101)) == nil)
        }
    }

    @Test(
        "a body that drops idle clients, after 30 s or after 3.5 min, is asked often enough to keep it",
        arguments: [(0, 60), (2, 220)])
    func idle(body: Int, seconds: Int) async throws {
        let clock = ManualClock()
        let stand = try NikonBodyUnderTest.all[body].stand(clock: clock)
        let running = Task {
            try await stand.connector(time: clock).met(knowing: nil) { driver in
                try await clock.sleep(until: .seconds(seconds))
                try await driver.throwIfEnded()
                let count = try await driver.references().count
                #expect(count == 5)
            }
        }
        try await clock.ticking(until: running)
        #expect(clock.now >= .seconds(seconds))
    }
}

extension ManualClock {
    /// Lets time pass, as far as the next thing that waits for it, until the task is done.
    func ticking<Result: Sendable>(
        upTo longest: Duration = .milliseconds(250), until task: Task<Result, any Error>
    ) async throws -> Result {
        let ticking = Task {
            while !Task.isCancelled {
                // What is waited for longer is a limit, and what comes in time meets none.
                await waitForSleeper(within: longest)
                if let pause = nextDeadline.map({ $0 - now }), pause <= longest {
                    advance(by: max(.zero, pause))
                }
            }
        }
        let result = await task.result
        ticking.cancel()
        // It waits for a sleeper, and has one for the last time.
        let last = Task { try await sleep(until: now + longest) }
        await ticking.value
        last.cancel()
        return try result.get()
    }
}
