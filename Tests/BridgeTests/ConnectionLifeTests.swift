import Basics
import Bridge
import TestSupport
import Testing

@Suite struct ConnectionLifeTests {
    /// A state without what it carries.
    enum Name: CaseIterable, Sendable {
        case idle
        case connecting
        case waitingForOK
        case confirmingCode
        case ready
        case waiting
        case ended

        init(_ state: ConnectionLife.State) {
            switch state {
            case .idle: self = .idle
            case .connecting: self = .connecting
            case .waitingForOK: self = .waitingForOK
            case .confirmingCode: self = .confirmingCode
            case .ready: self = .ready
            case .waiting: self = .waiting
            case .ended: self = .ended
            }
        }
    }

    /// Draws the longest pause that may be drawn.
    struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    static let now = Duration.seconds(1000)
    static let losses: [ConnectionLife.Loss] = [
        .lost("a"), .unreachable("b"), .busy("c"), .needsPerson("d"), .asleep("e"), .flood("f"),
    ]

    private func life(in name: Name) -> ConnectionLife {
        var random = Seeded(1)
        var life = ConnectionLife()
        let way: [ConnectionLife.Happening] =
            switch name {
            case .idle: []
            case .connecting: [.start]
            case .waitingForOK: [.start, .cameraAsks]
            case .confirmingCode: [.start, .cameraAsks, .cameraShowsCode]
            case .ready: [.start, .connected]
            case .waiting: [.start, .lost(.busy("x"))]
            case .ended: [.stop]
            }
        for happening in way { _ = life.handle(happening, at: .zero, using: &random) }
        #expect(Name(life.state) == name)
        return life
    }

    /// By state: where start, a question of the camera, a code on its screen, a connection, a loss, time that passed, and
    /// stop lead to; nothing where nothing is to happen.
    static let table: [Name: [Name?]] = [
        .idle: [.connecting, nil, nil, nil, nil, nil, .ended],
        .connecting: [nil, .waitingForOK, .confirmingCode, .ready, .waiting, nil, .ended],
        .waitingForOK: [nil, nil, .confirmingCode, .ready, .waiting, nil, .ended],
        .confirmingCode: [nil, nil, nil, .ready, .waiting, nil, .ended],
        .ready: [nil, nil, nil, nil, .waiting, nil, .ended],
        .waiting: [nil, nil, nil, nil, nil, .connecting, .ended],
        .ended: [nil, nil, nil, nil, nil, nil, nil],
    ]

    @Test("every happening in every state leads where the table says", arguments: Name.allCases, losses)
    func everyHappening(name: Name, loss: ConnectionLife.Loss) throws {
        let happenings: [ConnectionLife.Happening] = [
            .start, .cameraAsks, .cameraShowsCode, .connected, .lost(loss), .timePassed, .stop,
        ]
        let expected = try #require(Self.table[name])
        #expect(expected.count == happenings.count)
        for (happening, next) in zip(happenings, expected) {
            var random = Seeded(7)
            let before = life(in: name)
            var life = before
            let actions = life.handle(happening, at: Self.now, using: &random)
            guard let next else {
                #expect(actions.isEmpty, "\(name), \(happening)")
                #expect(life == before, "\(name), \(happening)")
                continue
            }
            #expect(Name(life.state) == next, "\(name), \(happening)")
            let orders: [ConnectionLife.Action] =
                switch next {
                case .connecting: [.connect]
                case .idle, .waitingForOK, .confirmingCode, .ready, .waiting, .ended: []
                }
            #expect(actions == [.report(life.state)] + orders, "\(name), \(happening)")
            if case .waiting(_, let because) = life.state { #expect(because == loss) }
        }
    }

    @Test("the next try begins at its moment and not before, and only waiting has a deadline")
    func deadline() throws {
        var random = Seeded(1)
        for name in Name.allCases where name != .waiting { #expect(life(in: name).nextDeadline == nil) }
        var life = life(in: .waiting)
        let deadline = try #require(life.nextDeadline)
        #expect(deadline >= .seconds(30))
        #expect(life.handle(.timePassed, at: deadline - .milliseconds(1), using: &random).isEmpty)
        #expect(life.nextDeadline == deadline)
        #expect(life.handle(.timePassed, at: deadline, using: &random) == [.report(.connecting), .connect])
    }

    /// The pause after each of so many tries that fail alike.
    static func pauses(
        _ count: Int, _ loss: ConnectionLife.Loss, _ life: inout ConnectionLife,
        using random: inout some RandomNumberGenerator
    ) throws -> [Duration] {
        var now = Self.now
        var found: [Duration] = []
        for _ in 0..<count {
            _ = life.handle(.lost(loss), at: now, using: &random)
            let deadline = try #require(life.nextDeadline)
            found.append(deadline - now)
            now = deadline
            #expect(life.handle(.timePassed, at: now, using: &random) == [.report(.connecting), .connect])
        }
        return found
    }

    @Test("pauses double up to a bound, and busy and a needed person have their own least")
    func growth() throws {
        let usual = [1, 2, 4, 8, 15, 15, 15]
        let cases: [(ConnectionLife.Loss, [Int])] = [
            (.lost(""), usual), (.unreachable(""), usual), (.busy(""), Array(repeating: 30, count: 7)),
            (.needsPerson(""), Array(repeating: 60, count: 7)),
        ]
        for (loss, expected) in cases {
            var random = Highest()
            var life = life(in: .connecting)
            #expect(try Self.pauses(7, loss, &life, using: &random) == expected.map { .seconds($0) })
        }
        var settings = ConnectionLife.Settings()
        settings.backoff.longest = .seconds(100)
        var random = Highest()
        var life = ConnectionLife(settings: settings)
        _ = life.handle(.start, at: .zero, using: &random)
        let busy = try Self.pauses(8, .busy(""), &life, using: &random)
        #expect(busy == [30, 30, 30, 30, 30, 32, 64, 100].map { .seconds($0) })
    }

    @Test("once it was ready the pauses begin anew")
    func reset() throws {
        var random = Highest()
        var life = life(in: .connecting)
        #expect(try Self.pauses(9, .unreachable(""), &life, using: &random).last == .seconds(15))
        _ = life.handle(.connected, at: .zero, using: &random)
        #expect(
            try Self.pauses(3, .lost(""), &life, using: &random) == [.seconds(1), .seconds(2), .seconds(4)])
        _ = life.handle(.cameraAsks, at: .zero, using: &random)
        #expect(
            try Self.pauses(1, .lost(""), &life, using: &random) == [.seconds(8)], "a question is no success")
    }

    @Test("it never gives up, and no pause is longer than the longest of its reason")
    func neverGivesUp() throws {
        var random = Seeded(3)
        let most: [Duration] = [15, 15, 30, 60, 15, 300].map { .seconds($0) }
        let least: [Duration] = [0, 0, 30, 60, 0, 5].map { .seconds($0) }
        for (index, loss) in Self.losses.enumerated() {
            var life = life(in: .connecting)
            let found = try Self.pauses(5000, loss, &life, using: &random)
            #expect(found.allSatisfy { $0 >= least[index] && $0 <= most[index] })
        }
    }

    @Test("a loss tells its reason")
    func reasons() {
        #expect(Self.losses.map(\.reason) == ["a", "b", "c", "d", "e", "f"])
        #expect(
            Self.losses.map(\.word) == ["lost", "unreachable", "busy", "needsPerson", "asleep", "flood"])
    }

    @Test("a camera that lets us in and hangs up at once is asked at a growing distance")
    func hangsUpAtOnce() throws {
        var random = Highest()
        var life = life(in: .connecting)
        var found: [Duration] = []
        for seconds in [3, 3, 3, 10] {
            let from = Self.now
            _ = life.handle(.connected, at: from, using: &random)
            let lost = from + .seconds(seconds)
            _ = life.handle(.lost(.lost("")), at: lost, using: &random)
            let deadline = try #require(life.nextDeadline)
            found.append(deadline - lost)
            _ = life.handle(.timePassed, at: deadline, using: &random)
        }
        #expect(found == [1, 2, 4, 1].map { .seconds($0) })
    }

    @Test(
        "a camera that brought something is back at once, and one that then brings nothing is left alone for longer"
    )
    func backAtOnce() throws {
        var random = Highest()
        var life = life(in: .connecting)
        var found: [Duration] = []
        for afterProgress in [false, false, true, true, true, false, false, true] {
            _ = life.handle(.connected, at: Self.now, using: &random)
            _ = life.handle(.lost(.lost(""), afterProgress: afterProgress), at: Self.now, using: &random)
            let deadline = try #require(life.nextDeadline)
            found.append(deadline - Self.now)
            _ = life.handle(.timePassed, at: deadline, using: &random)
        }
        #expect(found == [1000, 2000, 200, 200, 200, 1000, 2000, 200].map { .milliseconds($0) })
    }

    @Test("a flood and a slot that is taken keep their pauses, whatever came before")
    func noHurry() throws {
        for (loss, least) in [(ConnectionLife.Loss.flood(""), 5), (.busy(""), 30), (.needsPerson(""), 60)] {
            var random = Highest()
            var life = life(in: .ready)
            _ = life.handle(.lost(loss, afterProgress: true), at: Self.now, using: &random)
            #expect(try #require(life.nextDeadline) == Self.now + .seconds(least))
        }
    }

    @Test("a camera that floods is left alone longer each time, however well it behaves in between")
    func floods() throws {
        var random = Highest()
        var life = life(in: .connecting)
        var found: [Duration] = []
        for _ in 0..<8 {
            _ = life.handle(.connected, at: Self.now, using: &random)
            let lost = Self.now + .seconds(60)
            _ = life.handle(.lost(.flood("")), at: lost, using: &random)
            let deadline = try #require(life.nextDeadline)
            found.append(deadline - lost)
            _ = life.handle(.timePassed, at: deadline, using: &random)
        }
        #expect(found == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
    }

    @Test("a camera that went to sleep sleeps until it is reached again")
    func asleep() {
        var random = Highest()
        var life = ConnectionLife()
        var shown: [ConnectionLife.Loss] = []
        let losses: [ConnectionLife.Loss?] = [
            .asleep("it hung up"), .unreachable("no route"), .unreachable("no route"), nil,
            .unreachable("no route"),
        ]
        var now = Duration.zero
        _ = life.handle(.start, at: now, using: &random)
        _ = life.handle(.connected, at: now, using: &random)
        for loss in losses {
            if let loss {
                _ = life.handle(.lost(loss), at: now, using: &random)
                if case .waiting(_, let because) = life.state { shown.append(because) }
                now += .seconds(100)
                _ = life.handle(.timePassed, at: now, using: &random)
            } else {
                _ = life.handle(.connected, at: now, using: &random)
            }
        }
        #expect(
            shown == [
                .asleep("it hung up"), .asleep("no route"), .asleep("no route"), .unreachable("no route"),
            ])
    }
}
