/// Which tries of a PIN are looked at: decided before anything of a try is, by who makes it and when.
///
/// A device that keeps the cookie of the page has tries of its own, which others behind the same address cannot use up.
/// All others, and devices that have used up theirs, share what their address has. And no address has more than so many wrong
/// ones a day, whatever it does with cookies; nor has the network of a customer of IPv6, who has as many addresses as he likes;
/// nor has an event, of tries without a cookie, however many addresses they come from.
package struct PINLimits: Sendable {
    /// Wrong ones of a device, in the day that its cookie lives.
    package static let perDevice = WindowRule(5, in: .seconds(86_400))
    /// Devices that get a cookie by one address in a day: no more than that many tries, five each.
    package static let newDevices = 2000
    /// Without a cookie, from one address.
    package static let perAddress = BurstRule(60, thenEvery: .seconds(10))
    /// Wrong ones from one address, cookies included.
    package static let perDay = 10_000
    /// Wrong ones from a /48 of IPv6, which may be one customer or many with a /56 each; those have what an address has.
    package static let perDayOf48Bits = 20_000
    /// Wrong ones at an event that came without a cookie. More than that is no party: who keeps cookies still comes in, and
    /// who has the key.
    package static let perDayOfEvent = 10_000
    package static let mostAddresses = 10_000
    package static let mostDevices = 20_000

    fileprivate struct Counts: Sendable {
        var allowance = BurstLimiter()
        var wrong = DayCount()
        var devices = DayCount()
    }

    /// One that is being looked at. It counts as wrong until it is known to be right.
    package struct Attempt: Equatable, Sendable {
        fileprivate let address: PeerKey
        fileprivate let event: String
        /// Whose own it was.
        fileprivate let device: String?
        fileprivate let moment: Duration

        var subject: Subject { Subject(device: device, address: address, event: event) }
    }

    /// Whose counts a decision is about.
    struct Subject: Sendable {
        let device: String?
        let address: PeerKey
        /// Nothing where no PIN is tried.
        let event: String?
    }

    package enum Verdict: Equatable, Sendable {
        case look(Attempt)
        case wait(Duration)
    }

    private var addresses: BoundedTable<PeerKey, Counts>
    private var networks: BoundedTable<PeerKey, Counts>
    private var events: BoundedTable<String, DayCount>
    private var devices: SlidingWindowLimiter<String>

    package init(mostAddresses: Int = PINLimits.mostAddresses, mostDevices: Int = PINLimits.mostDevices) {
        addresses = BoundedTable(most: mostAddresses, new: Counts())
        networks = BoundedTable(most: mostAddresses, new: Counts())
        events = BoundedTable(most: mostAddresses, new: DayCount())
        devices = SlidingWindowLimiter(Self.perDevice, mostKeys: mostDevices)
    }

    package mutating func begin(
        device: String?, address: PeerKey, event: String = "", at now: Duration
    ) -> Verdict {
        let known = addresses[address]
        // Who never stops is never the quietest.
        addresses.change(address, at: now) { _ in }
        var waits = [known.wrong.wait(until: Self.perDay, at: now)]
        for (network, share) in Self.networks(of: address) {
            networks.change(network, at: now) { _ in }
            waits.append(networks[network].wrong.wait(until: Self.perDay * share, at: now))
        }
        let isOwn = device.map { devices.wait(for: $0, at: now) == nil } ?? false
        if !isOwn {
            waits.append(known.allowance.wait(Self.perAddress, at: now))
            waits.append(events[event].wait(until: Self.perDayOfEvent, at: now))
        }
        if let wait = waits.compactMap(\.self).max() { return .wait(wait) }
        addresses.change(address, at: now) { address in
            address.wrong.note(at: now)
            if !isOwn { address.allowance.take(Self.perAddress, at: now) }
        }
        for (network, _) in Self.networks(of: address) {
            networks.change(network, at: now) { $0.wrong.note(at: now) }
        }
        if isOwn, let device {
            devices.note(device, at: now)
        } else {
            events.change(event, at: now) { $0.note(at: now) }
        }
        return .look(Attempt(address: address, event: event, device: isOwn ? device : nil, moment: now))
    }

    /// Those that an address is counted with, and how many times what an address has in a day is theirs.
    private static func networks(of address: PeerKey) -> [(PeerKey, share: Int)] {
        guard let networks = address.networks else { return [] }
        return [(networks.of56Bits, 1), (networks.of48Bits, perDayOf48Bits / perDay)]
    }

    /// It was right, or was never compared: so it was no wrong one.
    package mutating func takeBack(_ attempt: Attempt, at now: Duration) {
        addresses.change(attempt.address, at: now) { address in
            address.wrong.takeBack(noted: attempt.moment)
            if attempt.device == nil { address.allowance.giveBack(Self.perAddress) }
        }
        for (network, _) in Self.networks(of: attempt.address) {
            networks.change(network, at: now) { $0.wrong.takeBack(noted: attempt.moment) }
        }
        if let device = attempt.device {
            devices.forget(device, at: attempt.moment)
        } else {
            events.change(attempt.event, at: now) { $0.takeBack(noted: attempt.moment) }
        }
    }

    /// Whether a device that has no cookie gets one.
    package mutating func mayIntroduceDevice(to address: PeerKey, at now: Duration) -> Bool {
        let all = Self.networks(of: address)
        guard addresses[address].devices.count(at: now) < Self.newDevices,
            all.allSatisfy({ networks[$0.0].devices.count(at: now) < Self.newDevices * $0.share })
        else { return false }
        addresses.change(address, at: now) { $0.devices.note(at: now) }
        for (network, _) in all { networks.change(network, at: now) { $0.devices.note(at: now) } }
        return true
    }

    /// What is remembered, which is bounded.
    package var remembered: Int { addresses.count + networks.count + events.count + devices.keys }
}

extension PINLimits: CountedLimits {
    func keys(of subject: Subject) -> [LimitKey] {
        [Self.key(ofAddress: subject.address)]
            + Self.networks(of: subject.address).map { Self.key(ofNetwork: $0.0) }
            + (subject.event.map { [LimitKey(.pinEvent, $0)] } ?? [])
            + (subject.device.map { [LimitKey(.pinDevice, $0)] } ?? [])
    }

    private static func key(ofAddress address: PeerKey) -> LimitKey { LimitKey(.pinAddress, address.text) }
    private static func key(ofNetwork network: PeerKey) -> LimitKey { LimitKey(.pinNetwork, network.text) }

    mutating func read(_ rows: LimitRows, of subject: Subject) {
        let address = subject.address
        if let known: Counts = rows.count(Self.key(ofAddress: address)) { addresses.put(known, of: address) }
        for (network, _) in Self.networks(of: address) {
            if let known: Counts = rows.count(Self.key(ofNetwork: network)) {
                networks.put(known, of: network)
            }
        }
        if let event = subject.event, let known: DayCount = rows.count(LimitKey(.pinEvent, event)) {
            events.put(known, of: event)
        }
        if let device = subject.device, let known: RecentTries = rows.count(LimitKey(.pinDevice, device)) {
            devices.put(known, of: device)
        }
    }

    func write(to rows: inout LimitRows, of subject: Subject) {
        let address = subject.address
        rows.keep(addresses[address], of: Self.key(ofAddress: address))
        for (network, _) in Self.networks(of: address) {
            rows.keep(networks[network], of: Self.key(ofNetwork: network))
        }
        if let event = subject.event { rows.keep(events[event], of: LimitKey(.pinEvent, event)) }
        if let device = subject.device {
            rows.keep(devices.recent(of: device), of: LimitKey(.pinDevice, device))
        }
    }
}

extension PINLimits.Counts: StoredCount {
    var stored: String { [allowance.stored, wrong.stored, devices.stored].joined(separator: ";") }

    init?(stored: some StringProtocol) {
        let parts = stored.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 3, let allowance = BurstLimiter(stored: parts[0]),
            let wrong = DayCount(stored: parts[1]), let devices = DayCount(stored: parts[2])
        else { return nil }
        self.init(allowance: allowance, wrong: wrong, devices: devices)
    }
}
