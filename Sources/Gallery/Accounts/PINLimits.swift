/// Which tries of a PIN are looked at: decided before anything of a try is, by who makes it and when.
///
/// A device that keeps the cookie of the page has tries of its own, so that nobody behind the same address can use them up.
/// All others, and devices that have used up theirs, share what their address has. And no address has more than so many wrong
/// ones a day, whatever it does with cookies.
package struct PINLimits: Sendable {
    /// Wrong ones of a device, in the day that its cookie lives.
    package static let perDevice = RateRule(5, in: .seconds(86_400))
    /// Devices that get a cookie by one address in a day: no more than that many tries, five each.
    package static let newDevices = 2000
    /// Without a cookie, from one address.
    package static let perAddress = PaceRule(60, thenEvery: .seconds(10))
    /// Wrong ones from one address, cookies included.
    package static let perDay = 10_000
    package static let mostAddresses = 10_000
    package static let mostDevices = 20_000

    private struct Address: Sendable {
        var allowance = Allowance()
        var wrong = DayCount()
        var devices = DayCount()
    }

    /// One that is being looked at. It counts as wrong until it is known to be right.
    package struct Attempt: Equatable, Sendable {
        fileprivate let address: PeerKey
        /// Whose own it was.
        fileprivate let device: String?
        fileprivate let moment: Duration
    }

    package enum Verdict: Equatable, Sendable {
        case look(Attempt)
        case wait(Duration)
    }

    private var addresses: BoundedTable<PeerKey, Address>
    private var devices: RateLimiter<String>

    package init(mostAddresses: Int = PINLimits.mostAddresses, mostDevices: Int = PINLimits.mostDevices) {
        addresses = BoundedTable(most: mostAddresses, new: Address())
        devices = RateLimiter(Self.perDevice, mostKeys: mostDevices)
    }

    package mutating func begin(device: String?, address: PeerKey, at now: Duration) -> Verdict {
        let known = addresses[address]
        // Who never stops is never the quietest.
        addresses.change(address, at: now) { _ in }
        if let wait = known.wrong.wait(until: Self.perDay, at: now) { return .wait(wait) }
        let isOwn = device.map { devices.wait(for: $0, at: now) == nil } ?? false
        if !isOwn, let wait = known.allowance.wait(Self.perAddress, at: now) { return .wait(wait) }
        addresses.change(address, at: now) { address in
            address.wrong.note(at: now)
            if !isOwn { address.allowance.take(Self.perAddress, at: now) }
        }
        if isOwn, let device { devices.note(device, at: now) }
        return .look(Attempt(address: address, device: isOwn ? device : nil, moment: now))
    }

    /// It was right, or nobody came to look at it: so it was no wrong one.
    package mutating func takeBack(_ attempt: Attempt, at now: Duration) {
        addresses.change(attempt.address, at: now) { address in
            address.wrong.takeBack(noted: attempt.moment)
            if attempt.device == nil { address.allowance.giveBack(Self.perAddress) }
        }
        if let device = attempt.device { devices.forget(device, at: attempt.moment) }
    }

    /// Whether a device that has no cookie gets one.
    package mutating func mayIntroduceDevice(to address: PeerKey, at now: Duration) -> Bool {
        guard addresses[address].devices.count(at: now) < Self.newDevices else { return false }
        addresses.change(address, at: now) { $0.devices.note(at: now) }
        return true
    }

    /// What is remembered, which is bounded.
    package var remembered: Int { addresses.count + devices.keys }
}
