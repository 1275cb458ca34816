import Basics

/// How many photos guests bring: by one device, and by all that are behind one address, which may be a whole hall.
///
/// A device without a cookie is a new one, of which an address brings so many a day; so a client that throws its cookie away
/// has what its address has, and no more.
package struct GuestUploadLimits: Sendable {
    typealias Subject = DeviceSubject

    /// Fifty at once, and fifty an hour.
    package static let perDevice = BurstRule(50, thenEvery: .seconds(72))
    package static let perAddress = BurstRule(2000, thenEvery: .seconds(2))
    /// Devices that get a cookie by one address in a day.
    package static let newDevices = 2000
    private static let mostDevices = 20_000
    private static let mostAddresses = 10_000

    fileprivate struct Counts: Sendable {
        var photos = BurstLimiter()
        var devices = DayCount()
    }

    private var devices: BoundedTable<String, Counts>
    private var addresses: BoundedTable<PeerKey, Counts>

    package init() {
        devices = BoundedTable(most: Self.mostDevices, new: Counts())
        addresses = BoundedTable(most: Self.mostAddresses, new: Counts())
    }

    /// One more where there may be one; otherwise how long to wait until there may.
    mutating func take(by subject: DeviceSubject, at now: Duration) -> Duration? {
        let shares = subject.address.shares
        var waits = [devices[subject.device].photos.wait(Self.perDevice, at: now)]
        for (address, share) in shares {
            let known = addresses[address]
            waits.append(known.photos.wait(Self.rule(share), at: now))
            if subject.isNew { waits.append(known.devices.wait(until: Self.newDevices * share, at: now)) }
        }
        if let wait = waits.compactMap(\.self).max() { return wait }
        devices.change(subject.device, at: now) { $0.photos.take(Self.perDevice, at: now) }
        for (address, share) in shares {
            addresses.change(address, at: now) { counts in
                counts.photos.take(Self.rule(share), at: now)
                if subject.isNew { counts.devices.note(at: now) }
            }
        }
        return nil
    }

    private static func rule(_ share: Int) -> BurstRule {
        BurstRule(perAddress.burst * share, thenEvery: perAddress.interval / share)
    }
}

extension GuestUploadLimits: CountedLimits {
    func keys(of subject: DeviceSubject) -> [LimitKey] {
        [Self.key(subject.device)] + subject.address.shares.map { Self.key($0.key) }
    }

    private static func key(_ device: String) -> LimitKey { LimitKey(.guestUploadDevice, device) }

    /// No two addresses or networks have the same text.
    private static func key(_ address: PeerKey) -> LimitKey { LimitKey(.guestUploadAddress, address.text) }

    mutating func read(_ rows: LimitRows, of subject: DeviceSubject) {
        if let known: Counts = rows.count(Self.key(subject.device)) { devices.put(known, of: subject.device) }
        for (address, _) in subject.address.shares {
            if let known: Counts = rows.count(Self.key(address)) { addresses.put(known, of: address) }
        }
    }

    func write(to rows: inout LimitRows, of subject: DeviceSubject) {
        rows.keep(devices[subject.device], of: Self.key(subject.device))
        for (address, _) in subject.address.shares {
            rows.keep(addresses[address], of: Self.key(address))
        }
    }
}

extension GuestUploadLimits.Counts: StoredCount {
    var stored: String { "\(photos.stored);\(devices.stored)" }

    init?(stored: some StringProtocol) {
        let parts = stored.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 2, let photos = BurstLimiter(stored: parts[0]),
            let devices = DayCount(stored: parts[1])
        else { return nil }
        self.init(photos: photos, devices: devices)
    }
}
