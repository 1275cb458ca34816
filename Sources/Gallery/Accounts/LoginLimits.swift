/// Which log-ins are looked at: decided before anything of one is, by who makes it and when.
///
/// Nothing counts that others do: a device that has logged in to that account before has an allowance of its own, and so has
/// every address. So no flood from elsewhere keeps a right password out for longer than an allowance takes to come back, and
/// where passwords wait to be hashed, those go first whose address has tried less often.
package struct LoginLimits: Sendable {
    package static let perDevice = BurstRule(10, thenEvery: .seconds(10))
    package static let perAddress = BurstRule(60, thenEvery: .seconds(10))
    /// Wrong ones from one address.
    package static let perDay = 10_000
    package static let mostAddresses = 10_000
    package static let mostDevices = 10_000

    fileprivate struct Address: Sendable {
        var allowance = BurstLimiter()
        var wrong = DayCount()
        /// Whatever came of them, but those that were right.
        var tries = DayCount()
    }

    /// One that is being looked at. It counts as wrong until it is known to be right.
    package struct Attempt: Equatable, Sendable {
        fileprivate let address: PeerKey
        fileprivate let device: String?
        fileprivate let moment: Duration
        package let rank: HashPriority

        var subject: Subject { Subject(device: device, address: address) }
    }

    /// A device that has logged in to the account before; all else are looked at by their address.
    struct Subject: Sendable {
        let device: String?
        let address: PeerKey
    }

    package enum Verdict: Equatable, Sendable {
        case look(Attempt)
        case wait(Duration)
    }

    private var addresses: BoundedTable<PeerKey, Address>
    private var devices: BoundedTable<String, BurstLimiter>

    package init(mostAddresses: Int = LoginLimits.mostAddresses, mostDevices: Int = LoginLimits.mostDevices) {
        addresses = BoundedTable(most: mostAddresses, new: Address())
        devices = BoundedTable(most: mostDevices, new: BurstLimiter())
    }

    /// `device` has logged in to this account before.
    package mutating func begin(device: String?, address: PeerKey, at now: Duration) -> Verdict {
        if let device {
            let wait = devices[device].wait(Self.perDevice, at: now)
            // Who never stops is never the quietest.
            devices.change(device, at: now) { if wait == nil { $0.take(Self.perDevice, at: now) } }
            if let wait { return .wait(wait) }
            return .look(Attempt(address: address, device: device, moment: now, rank: .first))
        }
        let known = addresses[address]
        addresses.change(address, at: now) { $0.tries.note(at: now) }
        let waits = [
            known.wrong.wait(until: Self.perDay, at: now), known.allowance.wait(Self.perAddress, at: now),
        ]
        if let wait = waits.compactMap(\.self).max() { return .wait(wait) }
        addresses.change(address, at: now) { address in
            address.wrong.note(at: now)
            address.allowance.take(Self.perAddress, at: now)
        }
        let rank = HashPriority.after(tries: known.tries.count(at: now))
        return .look(Attempt(address: address, device: nil, moment: now, rank: rank))
    }

    package mutating func wasRight(_ attempt: Attempt, at now: Duration) {
        takeBack(attempt, at: now)
        guard attempt.device == nil else { return }
        addresses.change(attempt.address, at: now) { $0.tries.takeBack(noted: attempt.moment) }
    }

    /// It was never compared: so it was no wrong one. It was a try, and a client that does not wait before the next gets
    /// behind those that do.
    package mutating func notLooked(at attempt: Attempt, _ now: Duration) {
        takeBack(attempt, at: now)
    }

    private mutating func takeBack(_ attempt: Attempt, at now: Duration) {
        if let device = attempt.device {
            devices.change(device, at: now) { $0.giveBack(Self.perDevice) }
            return
        }
        addresses.change(attempt.address, at: now) { address in
            address.wrong.takeBack(noted: attempt.moment)
            address.allowance.giveBack(Self.perAddress)
        }
    }

    /// What is remembered, which is bounded.
    package var remembered: Int { addresses.count + devices.count }
}

extension LoginLimits: CountedLimits {
    func keys(of subject: Subject) -> [LimitKey] { [Self.key(subject)] }

    private static func key(_ subject: Subject) -> LimitKey {
        if let device = subject.device { return LimitKey(.loginDevice, device) }
        return LimitKey(.loginAddress, subject.address.text)
    }

    mutating func read(_ rows: LimitRows, of subject: Subject) {
        let key = Self.key(subject)
        if let device = subject.device {
            if let known: BurstLimiter = rows.count(key) { devices.put(known, of: device) }
        } else if let known: Address = rows.count(key) {
            addresses.put(known, of: subject.address)
        }
    }

    func write(to rows: inout LimitRows, of subject: Subject) {
        let key = Self.key(subject)
        if let device = subject.device {
            rows.keep(devices[device], of: key)
        } else {
            rows.keep(addresses[subject.address], of: key)
        }
    }
}

extension LoginLimits.Address: StoredCount {
    var stored: String { [allowance.stored, wrong.stored, tries.stored].joined(separator: ";") }

    init?(stored: some StringProtocol) {
        let parts = stored.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 3, let allowance = BurstLimiter(stored: parts[0]),
            let wrong = DayCount(stored: parts[1]), let tries = DayCount(stored: parts[2])
        else { return nil }
        self.init(allowance: allowance, wrong: wrong, tries: tries)
    }
}
