import Basics

/// How many hearts are given and how many comments written: by one device, by all that are behind one address, and by the
/// networks that a customer of IPv6 has.
///
/// A device without a cookie is a new one, of which an address brings so many a day; so a client that throws its cookie away
/// has what its address has, and no more.
package struct ReactionLimits: Sendable {
    typealias Subject = DeviceSubject

    package enum Deed: Sendable { case heart, comment }

    package static let heartsPerDevice = BurstRule(60, thenEvery: .seconds(2))
    package static let heartsPerAddress = BurstRule(3000, thenEvery: .seconds(1))
    package static let commentsPerDevice = BurstRule(6, thenEvery: .seconds(30))
    package static let commentsPerDeviceAndDay = 60
    package static let commentsPerAddress = BurstRule(120, thenEvery: .seconds(5))
    package static let commentsPerAddressAndDay = 3000
    /// Devices that get a cookie by one address in a day.
    package static let newDevices = 2000
    private static let mostDevices = 20_000
    private static let mostAddresses = 10_000

    fileprivate struct Counts: Sendable {
        var hearts = BurstLimiter()
        var comments = BurstLimiter()
        var today = DayCount()
        var devices = DayCount()
    }

    /// What one key has. A network has as many times of that.
    private struct Rules {
        let hearts: BurstRule
        let comments: BurstRule
        let day: Int
        var share = 1

        static let device = Rules(
            hearts: heartsPerDevice, comments: commentsPerDevice, day: commentsPerDeviceAndDay)
        static func address(_ share: Int) -> Rules {
            Rules(
                hearts: heartsPerAddress, comments: commentsPerAddress, day: commentsPerAddressAndDay,
                share: share)
        }

        func scaled(_ rule: BurstRule) -> BurstRule {
            share == 1 ? rule : BurstRule(rule.burst * share, thenEvery: rule.interval / share)
        }
    }

    private var devices: BoundedTable<String, Counts>
    private var addresses: BoundedTable<PeerKey, Counts>

    package init() {
        devices = BoundedTable(most: Self.mostDevices, new: Counts())
        addresses = BoundedTable(most: Self.mostAddresses, new: Counts())
    }

    /// One more where there may be one; otherwise how long to wait until there may.
    mutating func take(_ deed: Deed, by subject: DeviceSubject, at now: Duration) -> Duration? {
        let shares = subject.address.shares
        var waits = [Self.wait(for: deed, devices[subject.device], .device, at: now)]
        for (address, share) in shares {
            let known = addresses[address]
            waits.append(Self.wait(for: deed, known, .address(share), at: now))
            if subject.isNew { waits.append(known.devices.wait(until: Self.newDevices * share, at: now)) }
        }
        if let wait = waits.compactMap(\.self).max() { return wait }
        devices.change(subject.device, at: now) { Self.note(deed, &$0, .device, at: now) }
        for (address, share) in shares {
            addresses.change(address, at: now) { counts in
                Self.note(deed, &counts, .address(share), at: now)
                if subject.isNew { counts.devices.note(at: now) }
            }
        }
        return nil
    }

    private static func wait(for deed: Deed, _ counts: Counts, _ rules: Rules, at now: Duration) -> Duration?
    {
        switch deed {
        case .heart: counts.hearts.wait(rules.scaled(rules.hearts), at: now)
        case .comment:
            [
                counts.comments.wait(rules.scaled(rules.comments), at: now),
                counts.today.wait(until: rules.day * rules.share, at: now),
            ].compactMap(\.self).max()
        }
    }

    private static func note(_ deed: Deed, _ counts: inout Counts, _ rules: Rules, at now: Duration) {
        switch deed {
        case .heart: counts.hearts.take(rules.scaled(rules.hearts), at: now)
        case .comment:
            counts.comments.take(rules.scaled(rules.comments), at: now)
            counts.today.note(at: now)
        }
    }
}

extension ReactionLimits: CountedLimits {
    func keys(of subject: DeviceSubject) -> [LimitKey] {
        [LimitKey(.reactionDevice, subject.device)] + subject.address.shares.map { Self.key($0.key) }
    }

    /// No two addresses or networks have the same text.
    private static func key(_ address: PeerKey) -> LimitKey { LimitKey(.reactionAddress, address.text) }

    mutating func read(_ rows: LimitRows, of subject: DeviceSubject) {
        if let known: Counts = rows.count(LimitKey(.reactionDevice, subject.device)) {
            devices.put(known, of: subject.device)
        }
        for (address, _) in subject.address.shares {
            if let known: Counts = rows.count(Self.key(address)) { addresses.put(known, of: address) }
        }
    }

    func write(to rows: inout LimitRows, of subject: DeviceSubject) {
        rows.keep(devices[subject.device], of: LimitKey(.reactionDevice, subject.device))
        for (address, _) in subject.address.shares {
            rows.keep(addresses[address], of: Self.key(address))
        }
    }
}

extension ReactionLimits.Counts: StoredCount {
    var stored: String {
        [hearts.stored, comments.stored, today.stored, devices.stored].joined(separator: ";")
    }

    init?(stored: some StringProtocol) {
        let parts = stored.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 4, let hearts = BurstLimiter(stored: parts[0]),
            let comments = BurstLimiter(stored: parts[1]), let today = DayCount(stored: parts[2]),
            let devices = DayCount(stored: parts[3])
        else { return nil }
        self.init(hearts: hearts, comments: comments, today: today, devices: devices)
    }
}
