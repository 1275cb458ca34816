import Bridge
import Camera
import Posix
import TestSupport
import Testing

/// Coming, going, and what is known from one connection to the next.
extension ConformanceCheck {
    func identity() async throws {
        let stand = try await make()
        let first = try await connected(stand) { await $0.body }
        #expect(first.driver == body.driver)
        #expect(!first.identity.manufacturer.isEmpty && !first.identity.model.isEmpty)
        let known = try await connected(stand, knowing: first) { await $0.body }
        #expect(known.identity == first.identity && known.serial == first.serial)
        let unknown = try await connected(stand) { await $0.body }
        #expect(unknown.identity == first.identity)
        #expect(!first.contradicts(unknown.identity, serial: unknown.serial))
    }

    func anotherBody() async throws {
        let stand = try await make()
        let other = KnownBody(
            identity: CameraIdentity(manufacturer: "Other", model: "Other", body: "9"), driver: body.driver,
            serial: "9", traits: ["parts": "refused"])
        let alone = try await connected(stand) { await $0.body }
        let found = try await connected(stand, knowing: other) { await $0.body }
        #expect(found.identity == alone.identity && found.serial == alone.serial)
        #expect(found.traits == alone.traits)
        #expect(other.contradicts(found.identity, serial: found.serial))
    }

    func steps() async throws {
        let stand = try await make()
        let steps = Shared<[ConnectionStep]>([])
        let connector = try stand.connector()
        let note: @Sendable (ConnectionStep) -> Void = { step in steps.change { $0.append(step) } }
        try await connector.connected(knowing: nil, onStep: note) { _ in }
        let order = steps.value.filter { if case .waitingForPerson = $0 { false } else { true } }
        #expect(order == [.connecting(connector.place), .letIn])
    }

    func farewell() async throws {
        struct Broken: Error {}
        let stand = try await make()
        try await connected(stand) { _ in }
        #expect(stand.farewells == 1)
        await #expect(throws: Broken.self) { try await connected(stand) { _ in throw Broken() } }
        #expect(stand.farewells == 2)
        let isThere = Signal()
        let task = Task {
            try await connected(stand) { _ in
                isThere.fire()
                while !Task.isCancelled { await Signal().waitUnlessCancelled() }
                throw CancellationError()
            }
        }
        await isThere.wait()
        task.cancel()
        if case .success = await task.result { Issue.record("it was taken back") }
        #expect(stand.farewells == 3)
        // Its slot is free: the next connection is accepted.
        try await connected(stand) { _ in }
    }

    func ended() async throws {
        let stand = try await make()
        let error = await Self.failure {
            try await connected(stand) { driver in
                try await driver.throwIfEnded()
                await stand.switchOff()
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        guard case .connectionOver(let loss, _) = error?.trouble else {
            return #expect(Bool(false), "it is over")
        }
        #expect(!loss.reason.isEmpty)
        Self.expectSentences(error)
    }

    func clock() async throws {
        let stand = try await make()
        let told = try await connected(stand) { try await $0.clock() }
        #expect(told == (has(.tellsNoTime) ? nil : stand.clock))
    }

    func keepAlive() async throws {
        let stand = try await make()
        let error = await Self.failure {
            try await connected(stand) { driver in
                for _ in 0..<3 { try await driver.keepAlive() }
                #expect(try await driver.references().isEmpty == false)
                await stand.switchOff()
                for await _ in driver.changes {}
                try await driver.keepAlive()
            }
        }
        guard case .connectionOver = error?.trouble else {
            return #expect(Bool(false), "\(error.debugDescription)")
        }
    }

    func facts() async throws {
        let stand = try await make()
        let (facts, known) = try await connected(stand) { driver in
            (try await driver.facts(), await driver.body)
        }
        #expect(facts.manufacturer == known.identity.manufacturer && facts.model == known.identity.model)
        #expect(known.serial == nil || facts.serial == known.serial)
    }
}
