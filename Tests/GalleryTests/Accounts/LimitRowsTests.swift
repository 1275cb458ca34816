import Basics
import TestSupport
import Testing

@testable import Gallery

/// Limits whose counts are read from rows and written back for each decision decide as they do in memory.
@Suite struct LimitRowsTests {
    /// The same limits twice.
    private struct Twins<Limits: CountedLimits> {
        let new: Limits
        var memory: Limits
        var texts: [LimitKey: String] = [:]

        init(_ new: Limits) {
            self.new = new
            memory = new
        }

        /// What both decide.
        mutating func decide<Result>(
            on subject: Limits.Subject, _ decision: (inout Limits) -> Result
        ) -> (inMemory: Result, inRows: Result) {
            var loaded = new
            let keys = new.keys(of: subject)
            var rows = LimitRows(texts.filter { keys.contains($0.key) })
            loaded.read(rows, of: subject)
            let results = (decision(&memory), decision(&loaded))
            loaded.write(to: &rows, of: subject)
            for key in rows.changed { texts[key] = rows[key] }
            return results
        }
    }

    private static let addresses = [
        "192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:ff00::1", "a socket",
    ].map { PeerKey($0) }

    /// Mostly parts of a second, so that limits are met; now and then seconds, and hours.
    private static func pause(_ random: inout Randomness) -> Duration {
        switch random.next(upperBound: UInt64(2000)) {
        case 0: .milliseconds(Int64(random.next(upperBound: UInt64(12 * 3_600_000))))
        case 1..<20: .milliseconds(Int64(random.next(upperBound: UInt64(20_000))))
        default: .milliseconds(Int64(random.next(upperBound: UInt64(300))))
        }
    }

    @Test("log-ins", arguments: 1...6)
    func logins(seed: UInt64) {
        var random = Randomness(SeededSource(seed))
        var twins = Twins(LoginLimits())
        var now = GalleryWall.start.milliseconds.milliseconds
        var open: [LoginLimits.Attempt] = []
        var waits = 0
        for _ in 0..<4000 {
            now += Self.pause(&random)
            let moment = now
            if !open.isEmpty, random.next(upperBound: UInt64(3)) == 0 {
                let attempt = open.remove(at: Int(random.next(upperBound: UInt64(open.count))))
                let isRight = random.next(upperBound: UInt64(2)) == 0
                _ = twins.decide(on: attempt.subject) {
                    isRight ? $0.wasRight(attempt, at: moment) : $0.notLooked(at: attempt, moment)
                }
                continue
            }
            let device = ["d1", "d2", nil, nil, nil][Int(random.next(upperBound: UInt64(5)))]
            let address = Self.addresses[Int(random.next(upperBound: UInt64(2)))]
            let verdict = twins.decide(on: LoginLimits.Subject(device: device, address: address)) {
                $0.begin(device: device, address: address, at: moment)
            }
            #expect(verdict.inMemory == verdict.inRows)
            switch verdict.inRows {
            case .look(let attempt): open.append(attempt)
            case .wait: waits += 1
            }
        }
        #expect(waits > 100, "no limit was met")
    }

    @Test("PINs, and cookies of new devices", arguments: 1...6)
    func pins(seed: UInt64) {
        var random = Randomness(SeededSource(seed))
        var twins = Twins(PINLimits())
        var now = GalleryWall.start.milliseconds.milliseconds
        var open: [PINLimits.Attempt] = []
        var waits = 0
        for _ in 0..<4000 {
            now += Self.pause(&random)
            let moment = now
            let address = Self.addresses[Int(random.next(upperBound: UInt64(Self.addresses.count)))]
            switch random.next(upperBound: UInt64(10)) {
            case 0:
                let may = twins.decide(on: PINLimits.Subject(device: nil, address: address, event: nil)) {
                    $0.mayIntroduceDevice(to: address, at: moment)
                }
                #expect(may.inMemory == may.inRows)
            case 1 where !open.isEmpty:
                let attempt = open.remove(at: Int(random.next(upperBound: UInt64(open.count))))
                _ = twins.decide(on: attempt.subject) { $0.takeBack(attempt, at: moment) }
            default:
                let device = ["d1", "d2", "d3", nil][Int(random.next(upperBound: UInt64(4)))]
                let event = "event \(random.next(upperBound: UInt64(2)))"
                let subject = PINLimits.Subject(device: device, address: address, event: event)
                let verdict = twins.decide(on: subject) {
                    $0.begin(device: device, address: address, event: event, at: moment)
                }
                #expect(verdict.inMemory == verdict.inRows)
                switch verdict.inRows {
                case .look(let attempt): open.append(attempt)
                case .wait: waits += 1
                }
            }
        }
        #expect(waits > 100, "no limit was met")
    }

    @Test("tries of one name", arguments: 1...3)
    func tries(seed: UInt64) {
        var random = Randomness(SeededSource(seed))
        var twins = Twins(TryLimits(.passwordChange, PasswordResetLimits.changes))
        var now = GalleryWall.start.milliseconds.milliseconds
        var waits = 0
        for _ in 0..<2000 {
            now += Self.pause(&random) * 20
            let moment = now
            let name = "account \(random.next(upperBound: UInt64(3)))"
            if random.next(upperBound: UInt64(40)) == 0 {
                _ = twins.decide(on: name) { $0.forget(name) }
            }
            let wait = twins.decide(on: name) { $0.take(name, at: moment) }
            #expect(wait.inMemory == wait.inRows)
            if wait.inRows != nil { waits += 1 }
        }
        #expect(waits > 100, "no limit was met")
    }

    @Test(
        "a row that no limit has written counts from the beginning, and is written anew",
        arguments: ["x", "1;2", "1:2:3", "1,x", ";;;", "9;9:9;x"])
    func unreadable(text: String) {
        let subject = PINLimits.Subject(device: "d", address: Self.addresses[0], event: "e")
        let now = GalleryWall.start.milliseconds.milliseconds
        var limits = PINLimits()
        let keys = limits.keys(of: subject)
        var rows = LimitRows(Dictionary(uniqueKeysWithValues: keys.map { ($0, text) }))
        limits.read(rows, of: subject)
        guard case .look = limits.begin(device: "d", address: subject.address, event: "e", at: now) else {
            Issue.record("it is not looked at")
            return
        }
        limits.write(to: &rows, of: subject)
        #expect(rows.changed == Set(keys))
    }

    @Test("rows tell no address and no name, and no two names share one")
    func keys() {
        let names = [
            "", "a", "host@example.org", "192.0.2.1", "name 192.0.2.1", String(repeating: "x", count: 5000),
        ]
        let keys = names.flatMap { name in
            [LimitKey.Kind.registerAccount, .registerAddress].map { LimitKey($0, name) }
        }
        #expect(Set(keys.map(\.key)).count == keys.count && keys.allSatisfy { $0.key.utf8.count == 32 })
        #expect(!keys.contains { key in names.contains { !$0.isEmpty && key.key.contains($0) && $0 != "a" } })
        // As text and as an address.
        #expect(PeerKey("192.0.2.1").text != PeerKey("c0000201").text)
    }
}

extension Int64 {
    fileprivate var milliseconds: Duration { .milliseconds(self) }
}
