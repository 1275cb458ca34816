/// How long what was heard holds.
extension Sightings {
    /// What was heard there once and never again makes room soon, however long it claims to stay: a camera at that address
    /// answers each question, and is told apart by that.
    mutating func crowd(at address: CameraAddress, at now: Duration) {
        for (key, entry) in entries where entry.camera.address == address && !entry.isHeardAgain {
            entries[key]?.until = entry.until.mapValues { min($0, now + Self.patienceWithCrowd) }
        }
    }

    /// Another one is heard where they were: they are gone soon, however long they claimed to stay, unless they are heard
    /// again. A camera with an identity in each protocol is.
    mutating func doubt(othersThan key: Key, at address: CameraAddress, at now: Duration) {
        let latest = now + Self.patienceWithFormer
        for (other, entry) in entries
        where other != key && entry.camera.address == address
            && entry.until.values.contains(where: { $0 > latest })
        {
            entries[other]?.until = entry.until.mapValues { min($0, latest) }
            if case .instance = other.identity {
                entries[other]?.refreshes = [80, 90].map { now + Self.patienceWithFormer * $0 / 100 }
            }
        }
    }

    mutating func farewell(
        _ identity: Identity, _ service: CameraService, from sender: Sender, at now: Duration
    ) -> [Action] {
        // Only from where the camera is: another host cannot send it away.
        for key in [Key(identity: identity), Key(identity: identity, only: sender.address)] {
            guard let entry = entries[key], entry.camera.address == sender.address,
                let until = entry.until[service]
            else { continue }
            entries[key]?.until[service] = min(until, now + Self.farewell)
            // What is left of it is still to be asked for.
            if entry.until.count == 1 { entries[key]?.refreshes = [] }
        }
        return []
    }
}

extension Sightings.Entry {
    mutating func renew(_ news: Sightings.Announcement, at now: Duration) {
        until[news.service] = now + news.lifetime
        if now - firstHeard > Sightings.timeBetweenAnnouncements { isHeardAgain = true }
        camera.services = CameraService.allCases.filter { until[$0] != nil }
        // Of `_nikon._tcp` it is not known that its port is that of PTP/IP.
        if news.service != .nikon || until[.ptp] == nil { camera.port = news.port }
        camera.instance = news.instance ?? camera.instance
        if news.service.domain != nil { refreshes = [80, 90].map { now + news.lifetime * $0 / 100 } }
    }
}
