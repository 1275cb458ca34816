import Basics
import Bridge
import Testing

/// What is known of one make counts in the life of its connections: rests, greetings, and what is said of a sleeper.
@Suite struct ConnectionLifeSettingsTests {
    private func ready() -> ConnectionLife {
        var random = ConnectionLifeTests.Highest()
        var life = ConnectionLife()
        for happening in [ConnectionLife.Happening.start, .connected] {
            _ = life.handle(happening, at: .zero, using: &random)
        }
        return life
    }

    @Test("a body that wants a rest after each connection has it, also where it brought something")
    func settle() throws {
        let usual = try pause(after: .lost("cut"), in: ConnectionLife.Settings())
        #expect(usual == .milliseconds(200))
        var settings = ConnectionLife.Settings()
        settings.settle = .milliseconds(1200)
        for loss in ConnectionLifeTests.losses {
            let found = try pause(after: loss, in: settings)
            switch loss {
            case .unreachable: #expect(found == .milliseconds(200), "who is not there needs no rest")
            case .lost, .asleep: #expect(found == .milliseconds(1200))
            case .busy, .needsPerson, .flood: #expect(found > .milliseconds(1200))
            }
        }
    }

    /// Of a camera that brought something, and is known by then.
    private func pause(
        after loss: ConnectionLife.Loss, in settings: ConnectionLife.Settings
    ) throws -> Duration {
        var random = ConnectionLifeTests.Highest()
        var life = ready()
        life.adopt(settings)
        _ = life.handle(.lost(loss, afterProgress: true), at: ConnectionLifeTests.now, using: &random)
        return try #require(life.nextDeadline) - ConnectionLifeTests.now
    }

    @Test("a camera that lets so many greetings fail waits for a person, until one succeeds")
    func greetings() throws {
        var settings = ConnectionLife.Settings()
        settings.mostGreetings = 3
        var random = ConnectionLifeTests.Highest()
        var life = ConnectionLife(settings: settings)
        _ = life.handle(.start, at: .zero, using: &random)
        let first = try ConnectionLifeTests.pauses(2, .unreachable(""), &life, using: &random)
        let second = try ConnectionLifeTests.pauses(4, .lost("no"), &life, using: &random)
        #expect(first + second == [1, 2, 4, 8, 60, 60].map { .seconds($0) })
        _ = life.handle(.connected, at: ConnectionLifeTests.now, using: &random)
        let third = try ConnectionLifeTests.pauses(2, .lost("no"), &life, using: &random)
        #expect(third.allSatisfy { $0 <= .seconds(15) })
        _ = life.handle(.lost(.lost("no")), at: ConnectionLifeTests.now, using: &random)
        guard case .waiting(_, because: .lost) = life.state else {
            return #expect(Bool(false), "the connection that stood was no failed greeting: \(life.state)")
        }
    }

    @Test("what is said of a body that is not reached depends on whether it went to sleep")
    func whenAsleep() {
        for (before, expected) in [
            (ConnectionLife.Loss.asleep("it hung up"), ConnectionLife.Loss.asleep("press its shutter")),
            (.lost("cut"), .unreachable("no route")),
        ] {
            var random = ConnectionLifeTests.Highest()
            var life = ready()
            _ = life.handle(.lost(before), at: ConnectionLifeTests.now, using: &random)
            _ = life.handle(.timePassed, at: ConnectionLifeTests.now + .seconds(60), using: &random)
            let unreachable = ConnectionLife.Happening.lost(
                .unreachable("no route"), whenAsleep: "press its shutter")
            _ = life.handle(unreachable, at: ConnectionLifeTests.now + .seconds(60), using: &random)
            guard case .waiting(_, let because) = life.state else { return #expect(Bool(false)) }
            #expect(because == expected)
        }
    }
}
