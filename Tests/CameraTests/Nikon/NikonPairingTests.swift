import Basics
import Bridge
import Camera
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// The way of a body of generation 3 from its pairing screen to its photos, and how the others are greeted.
@Suite struct NikonPairingTests {
    private let z8 = NikonBodyUnderTest.all[3]

    /// A body that shows a code.
    private func stand(_ script: String = "", clock: ManualClock? = nil) throws -> GenericStand {
        GenericStand(try Rig(script, clock: clock, model: try #require(CameraModel.named(z8.model))))
    }

    private func connect(
        _ stand: GenericStand, _ change: (inout GenericSettings) -> Void = { _ in }
    ) async throws -> (steps: [ConnectionStep], failure: CameraFailure?) {
        let steps = Shared<[ConnectionStep]>([])
        let connector = try stand.connector(change)
        do {
            let note: @Sendable (ConnectionStep) -> Void = { step in steps.change { $0.append(step) } }
            try await connector.connected(knowing: nil, onStep: note) { _ in }
            return (steps.value, nil)
        } catch let failure as CameraFailure {
            return (steps.value, failure)
        }
    }

    private func asked(_ steps: [ConnectionStep]) -> String? {
        for case .confirmingCode(let sentence) in steps { return sentence }
        return nil
    }

    /// Its Wi-Fi is gone for half a second after the pairing.
    private func backAgain(_ stand: GenericStand) async throws -> Set<PhotoReference> {
        for _ in 0..<200 {
            do {
                return try await stand.connector().met(knowing: nil) { try await $0.references() }
            } catch let failure as CameraFailure where failure.outcome == .unavailable {
                try await stand.rig.reactor.sleep(until: stand.rig.reactor.now + .milliseconds(20))
            }
        }
        Issue.record("it never came back")
        return []
    }

    @Test(
        "the code is shown with the way through the menus, the connection ends, and the next one has the photos"
    )
    func pairs() async throws {
        let stand = try stand()
        let first = try await connect(stand)
        let sentence = try #require(asked(first.steps))
        #expect(
            sentence.contains("1234") && sentence.contains("Network menu → Connect to computer"),
            "\(sentence)")
        guard case .connectionOver(.lost, mayBeItsDoing: false) = first.failure?.trouble else {
            return #expect(Bool(false), "\(first.failure.debugDescription)")
        }
        #expect(first.failure?.reason.contains("restarts its Wi-Fi") == true)
        ConformanceCheck.expectSentences(first.failure)
        #expect(try await backAgain(stand).count == 5)
        // Nothing was sent before that it did not list: that would have ended the pairing.
        #expect(stand.rig.log.value.filter { $0.contains("not among its operations") }.isEmpty)
        #expect(stand.rig.log.value.count { $0 == "its Wi-Fi restarts" } == 1, "it is paired once")
    }

    @Test("a client that it has not paired with is refused then, and a person has to act")
    func stranger() async throws {
        let stand = try stand("nikon-pairing confirm=10ms restart=10ms")
        _ = try await connect(stand)
        _ = try await backAgain(stand)
        let other = try #require(ClientIdentity(id: String(repeating: "5", count: 32), name: "other"))
        let refused = try await connect(stand) { $0.identity = other }
        guard case .connectionOver(.needsPerson, _) = refused.failure?.trouble else {
            return #expect(Bool(false), "\(refused.failure.debugDescription)")
        }
        #expect(refused.failure?.outcome == .notPermitted)
    }

    @Test(
        "the code is shown however it is written, and both ways of reading it where it may be either",
        arguments: [("utf-16", "is 0815:"), ("number", "is 0815:"), ("bcd", "is 0815 or 1508 or 5384:")])
    func writings(writing: String, said: String) async throws {
        let stand = try stand("nikon-pairing code=815 empty=0 as=\(writing) confirm=10ms restart=10ms")
        let sentence = try #require(asked(try await connect(stand).steps))
        #expect(sentence.contains(said), "\(sentence)")
    }

    @Test("a code that is not confirmed is given up after the wait, with what to do")
    func unconfirmed() async throws {
        let clock = ManualClock()
        let stand = try stand("nikon-pairing empty=0 confirm=forever", clock: clock)
        let connecting = Task { try await stand.connector(time: clock).met(knowing: nil) { _ in } }
        let failure = await ConformanceCheck.failure { try await clock.ticking(until: connecting) }
        guard case .connectionOver(.needsPerson, _) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(failure?.reason.contains("not confirmed") == true)
        #expect(failure?.advice.contains("Network menu") == true)
        ConformanceCheck.expectSentences(failure)
    }

    @Test("a code of a megabyte is none, and costs nothing but the pairing")
    func hugeCode() async throws {
        let stand = try stand("nikon-pairing empty=0\ntrailing-bytes bytes=1000000 operation=0x952B")
        let failure = try await connect(stand).failure
        #expect(failure?.reason.contains("more than the 256 bytes") == true, "\(failure.debugDescription)")
        ConformanceCheck.expectSentences(failure)
    }

    @Test("a body that never has a code to show is given up after ten questions")
    func codeless() async throws {
        let stand = try stand(
            "refuse code=0x2005 operation=0x952B times=9\nrefuse code=0x2002 operation=0x952B")
        let failure = try await connect(stand).failure
        #expect(failure?.reason.contains("GetPairingInfo") == true && failure?.outcome == .notPermitted)
        #expect(failure?.reason.contains("General_Error") == true, "it was asked ten times")
    }

    @Test("a body that does not accept the profile any more says that it has to be paired again")
    func profileGone() async throws {
        let stand = try z8.stand("refuse code=0x2005 operation=0x9435")
        let failure = try await connect(stand).failure
        guard case .connectionOver(.needsPerson, _) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(failure?.advice.contains("delete the profile") == true)
    }

    // MARK: The application mode

    @Test(
        "the application mode is entered and left as each generation has it",
        arguments: [
            ("nikon-z6", ["application mode on", "application mode off"]),
            ("nikon-z6ii", ["application mode on", "application mode off"]),
            ("nikon-z8", ["application mode on", "application mode off"]), ("nikon-d7200", []),
        ])
    func applicationMode(model: String, expected: [String]) async throws {
        let stand = try NikonBodyUnderTest(model: model).stand()
        try await stand.connector().met(knowing: nil) { _ in }
        #expect(stand.rig.log.value.filter { $0.hasPrefix("application mode") } == expected)
        let without = try NikonBodyUnderTest(model: model).stand()
        try await without.connector { $0.traits = ["application-mode": "no"] }.met(knowing: nil) { driver in
            let count = try await driver.references().count
            #expect(count == 5)
        }
        #expect(without.rig.log.value.filter { $0.hasPrefix("application mode") }.isEmpty)
    }

    @Test(
        "a body that refuses its application mode is tethered all the same", arguments: ["0x2005", "0xA004"])
    func refusedMode(code: String) async throws {
        let stand = try NikonBodyUnderTest(model: "nikon-z6ii").stand("refuse code=\(code) operation=0x9435")
        try await stand.connector().met(knowing: nil) { driver in
            let count = try await driver.references().count
            #expect(count == 5)
        }
    }

    @Test("what a body lists only in its application mode is used there")
    func listsMoreLater() async throws {
        let mode = Shared(false)
        let later: [OperationCode] = [.nikonGetEventEx, .nikonGetPartialObjectEx]
        let stand = try NikonBodyUnderTest(model: "nikon-z6ii").stand(
            photos: 0, "huge-object size=5000000000",
            answers: { operation, answer in
                if operation.code == .nikonChangeApplicationMode { mode.change { $0 = true } }
                guard operation.code == .getDeviceInfo, !mode.value else { return answer }
                return answer.listing { $0.operations.removeAll { later.contains($0) } }
            })
        try await stand.connector().met(knowing: nil) { driver in
            let facts = try await driver.facts()
            #expect(facts.operations.contains { $0.contains("0x9431") || $0.contains("GetPartialObjectEx") })
            await stand.shoot()
            let changes = driver.changes.makeAsyncIterator()
            var offer: Offer?
            while offer == nil, let change = await changes.next() {
                if case .added(let reference) = change {
                    offer = try await driver.describe(reference, withRating: false)
                }
            }
            let film = try #require(offer)
            #expect(await driver.canResume(film), "behind 4 GiB it takes GetPartialObjectEx")
        }
    }

    @Test("a greeting that is refused does not end the session in its first second either")
    func refusedGreeting() async throws {
        let stand = try NikonBodyUnderTest(model: "nikon-z8").stand("refuse code=0x2002 operation=0x9435")
        let began = stand.rig.reactor.now
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { _ in }
        }
        guard case .connectionOver(.needsPerson, _) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(stand.rig.reactor.now - began >= .seconds(1))
    }

    @Test("a session is never closed in its first second, after which some bodies answer no client")
    func shortSession() async throws {
        let stand = try NikonBodyUnderTest.all[0].stand()
        let began = stand.rig.reactor.now
        try await stand.connector().met(knowing: nil) { _ in }
        #expect(stand.rig.reactor.now - began >= .seconds(1))
    }
}
