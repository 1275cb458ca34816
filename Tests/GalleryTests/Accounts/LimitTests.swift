import TestSupport
import Testing

@testable import Gallery

/// Days of tries, without waiting for any of them.
@Suite struct LimitTests {
    private static let day = Duration.seconds(86_400)
    private let hall = PeerKey("192.0.2.1")

    private func isLooked(_ verdict: PINLimits.Verdict) -> PINLimits.Attempt? {
        if case .look(let attempt) = verdict { attempt } else { nil }
    }

    @Test("a pace allows its burst, then one in each interval, exactly", arguments: Cases.seeds(full: 100))
    func pace(seed: UInt64) {
        var random = Seeded(seed)
        let rule = BurstRule(60, thenEvery: .seconds(10))
        var allowance = BurstLimiter()
        var taken: [Duration] = []
        var now = Duration.seconds(Int64.random(in: 0..<1000, using: &random))
        for _ in 0..<2000 {
            now += .milliseconds(Int64.random(in: 0..<6000, using: &random))
            if let wait = allowance.wait(rule, at: now) {
                #expect(allowance.wait(rule, at: now + wait) == nil && wait <= .seconds(10))
                #expect(allowance.wait(rule, at: now + wait - .milliseconds(1)) != nil)
            } else {
                allowance.take(rule, at: now)
                taken.append(now)
            }
        }
        // In any span there are a burst and what comes back in it.
        let isKept = taken.indices.allSatisfy { first in
            taken.indices[first...].allSatisfy { last in
                last - first + 1 <= 60 + Int((taken[last] - taken[first]) / .seconds(10)) + 1
            }
        }
        #expect(isKept)
        #expect(taken.count > 60)
    }

    @Test("a day's count is never less than what was in any 24 hours", arguments: Cases.seeds(full: 100))
    func dayCount(seed: UInt64) {
        var random = Seeded(seed)
        var count = DayCount()
        var noted: [Duration] = []
        var now = Duration.zero
        for _ in 0..<1000 {
            now += .seconds(Int64.random(in: 0..<600, using: &random))
            if Bool.random(using: &random) || noted.isEmpty {
                count.note(at: now)
                noted.append(now)
            } else if Int.random(in: 0..<5, using: &random) == 0 {
                count.takeBack(noted: noted.removeLast())
            }
            let inDay = noted.filter { $0 > now - Self.day }.count
            #expect(count.count(at: now) >= inDay)
            #expect(count.count(at: now) <= noted.filter { $0 > now - .seconds(25 * 3600) }.count)
            if let wait = count.wait(until: 100, at: now) {
                #expect(wait > .zero && count.count(at: now + wait) < 100)
                #expect(count.count(at: now + wait - .seconds(1)) >= 100)
            }
        }
        #expect(count.count(at: now + .seconds(25 * 3600)) == 0)
    }

    @Test(
        "from one address at most 10,000 wrong PINs are looked at in any day, whatever it does with cookies")
    func tenThousand() {
        var random = Seeded(11)
        var limits = PINLimits()
        var looked: [Duration] = []
        var devices: [String] = []
        var now = Duration.zero
        // Three days of a client that takes every cookie that it can have, and uses all of them and none.
        for _ in 0..<150_000 {
            now += .milliseconds(Int64.random(in: 0..<3500, using: &random))
            if limits.mayIntroduceDevice(to: hall, at: now) { devices.append("\(devices.count)") }
            let device = Bool.random(using: &random) ? devices.randomElement(using: &random) : nil
            if isLooked(limits.begin(device: device, address: hall, at: now)) != nil { looked.append(now) }
        }
        #expect(now > Self.day * 2.9)
        var first = 0
        var most = 0
        for (index, moment) in looked.enumerated() {
            while looked[first] <= moment - Self.day { first += 1 }
            most = max(most, index - first + 1)
        }
        #expect(most <= PINLimits.perDay && most > PINLimits.perDay - 200, "\(most)")
        #expect(devices.count <= PINLimits.newDevices * 4)
        // Another address is none the worse.
        let other = limits.begin(device: nil, address: PeerKey("192.0.2.2"), at: now)
        #expect(isLooked(other) != nil)
    }

    @Test("new cookies of a day, at their tries each, are no more than that")
    func cookies() {
        #expect(PINLimits.newDevices * PINLimits.perDevice.tries <= PINLimits.perDay)
        #expect(PINLimits.perDevice.window >= DeviceCookie.Kind.guest.life)
        var limits = PINLimits()
        let given = (0..<10_000).filter { _ in limits.mayIntroduceDevice(to: hall, at: .zero) }
        #expect(given.count == PINLimits.newDevices)
    }

    @Test("one without a cookie who never stops has 60 and one in ten seconds, all day")
    func oneClient() {
        var limits = PINLimits()
        var looked = 0
        for second in 0..<86_400
        where isLooked(limits.begin(device: nil, address: hall, at: .seconds(second))) != nil {
            looked += 1
        }
        #expect(looked == 60 + 8640 - 1 || looked == 60 + 8640, "\(looked)")
    }

    @Test(
        "five hundred devices of a hall get in at the first try while twenty of them type wrong PINs all evening"
    )
    func hall500() {
        var random = Seeded(5)
        var limits = PINLimits()
        let children = (0..<20).map { "child \($0)" }
        var guests = (0..<480).map { "guest \($0)" }.shuffled(using: &random)
        for _ in 0..<500 {
            // The page came first.
            let isGiven = limits.mayIntroduceDevice(to: hall, at: .zero)
            #expect(isGiven)
        }
        var looked = 0
        // Eight hours; each child types every two seconds.
        for tick in 0..<144_000 {
            let now = Duration.milliseconds(200 * tick)
            let child = children[tick % children.count]
            if isLooked(limits.begin(device: child, address: hall, at: now)) != nil { looked += 1 }
            guard tick % 300 == 17, let guest = guests.popLast() else { continue }
            let attempt = isLooked(limits.begin(device: guest, address: hall, at: now))
            #expect(attempt != nil, "\(guest) has to wait")
            if let attempt { limits.takeBack(attempt, at: now) }
        }
        #expect(guests.isEmpty && looked > 1000 && looked < PINLimits.perDay, "\(looked)")
    }

    @Test("what is remembered of addresses and devices is bounded, and who never stops is not forgotten")
    func bounded() {
        var limits = PINLimits(mostAddresses: 100, mostDevices: 100)
        var logins = LoginLimits(mostAddresses: 100, mostDevices: 100)
        var looked = 0
        for number in 0..<20_000 {
            let now = Duration.milliseconds(number)
            let address = PeerKey("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
            _ = limits.begin(device: "\(number)", address: address, at: now)
            _ = logins.begin(device: number % 2 == 0 ? "\(number)" : nil, address: address, at: now)
            if isLooked(limits.begin(device: nil, address: hall, at: now)) != nil { looked += 1 }
            #expect(limits.remembered <= 202 && logins.remembered <= 202)
        }
        #expect((60...62).contains(looked), "\(looked)")
    }

    // MARK: Logging in

    private func isLooked(_ verdict: LoginLimits.Verdict) -> LoginLimits.Attempt? {
        if case .look(let attempt) = verdict { attempt } else { nil }
    }

    @Test("a hundred addresses that guess all day keep neither a known device nor a fresh address out")
    func elsewhere() {
        var limits = LoginLimits()
        let flood = (0..<100).map { PeerKey("10.0.0.\($0)") }
        for second in 0..<86_400 {
            let now = Duration.seconds(second)
            for number in 0..<3 {
                _ = limits.begin(device: nil, address: flood[(second * 3 + number) % 100], at: now)
            }
            guard second % 600 == 0 else { continue }
            let fresh = isLooked(
                limits.begin(device: nil, address: PeerKey("192.0.2.\(second / 600)"), at: now))
            #expect(fresh?.rank == .usual)
            let known = isLooked(limits.begin(device: "host", address: flood[0], at: now))
            #expect(known?.rank == .first)
        }
    }

    @Test(
        "behind an address that floods a known device never waits longer than ten seconds, itself wrong or not"
    )
    func knownDevice() {
        var limits = LoginLimits()
        for tick in 0..<50_000 {
            let now = Duration.milliseconds(tick * 250)
            _ = limits.begin(device: nil, address: hall, at: now)
            if case .wait(let wait) = limits.begin(device: "host", address: hall, at: now) {
                #expect(wait <= .seconds(10))
            }
        }
    }

    @Test("one address that floods has its pace and its day, and goes last")
    func flood() {
        var limits = LoginLimits()
        var ranks: [Int] = []
        for second in 0..<86_400 {
            if let attempt = isLooked(limits.begin(device: nil, address: hall, at: .seconds(second))) {
                ranks.append(attempt.rank.rawValue)
            }
        }
        #expect(ranks.count <= 60 + 8640)
        // Behind those who have tried less often: never, once, 2 or 3, 4 to 7 times. What is refused counts, too.
        #expect(Array(ranks.prefix(9)) == [1, 2, 3, 3, 4, 4, 4, 4, 5])
        #expect(ranks == ranks.sorted() && ranks[61] == 7 && ranks.last == 15)
        let other = isLooked(limits.begin(device: nil, address: PeerKey("192.0.2.2"), at: .seconds(86_400)))
        #expect(other?.rank == .usual)
    }

    @Test("a right one is no wrong one")
    func takenBack() {
        var limits = LoginLimits()
        for number in 0..<1000 {
            let now = Duration.milliseconds(number)
            for device in [nil, "host"] {
                let attempt = isLooked(limits.begin(device: device, address: hall, at: now))
                #expect(attempt != nil)
                if let attempt { limits.wasRight(attempt, at: now) }
            }
        }
    }

    @Test(
        "a try that was not looked at is no wrong one, and the next waits behind those of others who have not tried"
    )
    func notLooked() {
        var limits = LoginLimits()
        var ranks: [Int] = []
        for number in 0..<1000 {
            let now = Duration.milliseconds(number)
            guard let attempt = isLooked(limits.begin(device: nil, address: hall, at: now)) else { continue }
            ranks.append(attempt.rank.rawValue)
            limits.notLooked(at: attempt, now)
        }
        #expect(ranks.count == 1000 && ranks.prefix(5) == [1, 2, 3, 3, 4] && ranks.last == 11)
    }

    // MARK: Waiting to be hashed

    @Test(
        "in a line who ranks higher goes first; who is last of the lowest makes room",
        arguments: Cases.seeds(full: 100))
    func line(seed: UInt64) {
        var random = Seeded(seed)
        var line = HashQueue<(rank: Int, number: Int)>(most: 10)
        var inside: [(rank: Int, number: Int)] = []
        for number in 0..<500 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let rank = HashPriority.allCases.randomElement(using: &random) ?? .usual
                let away = line.join((rank.rawValue, number), rank)
                if inside.count < 10 {
                    #expect(away == nil)
                } else {
                    let lowest = inside.map(\.rank).max() ?? 0
                    let expected =
                        lowest > rank.rawValue
                        ? inside.filter { $0.rank == lowest }.map(\.number).max() : number
                    #expect(away?.number == expected)
                }
                inside.append((rank.rawValue, number))
                inside.removeAll { $0.number == away?.number }
            } else {
                let next = line.next()
                let expected = inside.min { ($0.rank, $0.number) < ($1.rank, $1.number) }
                #expect(next?.number == expected?.number)
                inside.removeAll { $0.number == next?.number }
            }
            #expect(line.count == inside.count)
        }
    }
}
