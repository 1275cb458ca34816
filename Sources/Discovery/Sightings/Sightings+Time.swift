/// What time and descriptions do to what was heard.
extension Sightings {
    /// When ``passed(to:)`` has something to do.
    package var nextDeadline: Duration? {
        entries.values.flatMap { entry in
            [entry.isTold ? nil : entry.firstHeard + Self.patience, entry.refreshes.first].compactMap { $0 }
                + entry.until.values
        }.min()
    }

    package mutating func passed(to now: Duration) -> [Action] {
        var actions: [Action] = []
        for (key, known) in entries.sorted(by: { $0.value.firstHeard < $1.value.firstHeard }) {
            var entry = known
            entry.until = entry.until.filter { $0.value > now }
            guard !entry.until.isEmpty else {
                entries[key] = nil
                if entry.isTold { actions.append(.gone(entry.camera)) }
                continue
            }
            entry.camera.services = CameraService.allCases.filter { entry.until[$0] != nil }
            if let refresh = entry.refreshes.first, refresh <= now {
                entry.refreshes.removeAll { $0 <= now }
                actions += Self.refreshed(key, entry)
            }
            if !entry.isTold, entry.firstHeard + Self.patience <= now {
                entry.isTold = true
                actions.append(.found(entry.camera))
            } else if entry.isTold, entry.camera != known.camera {
                actions.append(.changed(entry.camera))
            }
            entries[key] = entry
        }
        return actions + fetches(at: now)
    }

    /// What keeps an instance known: a question in each service that it announces itself in.
    private static func refreshed(_ key: Key, _ entry: Entry) -> [Action] {
        guard case .instance(let known) = key.identity,
            let labels = known.labels(in: CameraService.ptpDomain)
        else { return [] }
        return entry.camera.services.compactMap { service in
            service.domain.flatMap { DNSName(labels: labels + $0.labels) }
                .map { .ask(DNSMessage.Question($0, DNSMessage.serviceType)) }
        }
    }

    /// Descriptions that are wanted, as many at once as there may be.
    mutating func fetches(at now: Duration) -> [Action] {
        var free = Self.mostFetches - entries.values.count(where: \.isBeingFetched)
        guard free > 0, entries.values.contains(where: { $0.wanted != nil }) else { return [] }
        var actions: [Action] = []
        for (key, entry) in entries.sorted(by: { $0.value.firstHeard < $1.value.firstHeard }) {
            guard free > 0 else { break }
            guard let place = entry.wanted, !entry.isBeingFetched, entry.notBefore <= now else { continue }
            free -= 1
            entries[key]?.isBeingFetched = true
            actions.append(
                .fetch(
                    DescriptionRequest(key: key, url: place.url, interface: entry.camera.interface)))
        }
        return actions
    }

    package enum Described: Sendable {
        case read(DeviceDescription)
        case failed(String)
    }

    /// What came of ``Action/fetch(_:)``.
    package mutating func described(
        _ request: DescriptionRequest, _ result: Described, at now: Duration
    ) -> [Action] {
        // Gone meanwhile, or two by now: then its next announcement asks again.
        guard var entry = entries[request.key] else { return fetches(at: now) }
        entry.isBeingFetched = false
        var actions: [Action] = []
        let before = entry.camera
        // It may have moved while it was asked: what was read at its former place says nothing of the new one.
        if entry.wanted?.url == request.url {
            switch result {
            case .read(let details):
                if let problem = Self.contradiction(details, request.key) {
                    actions += remark(
                        "the description of \(entry.camera.address) is left out: \(problem)", at: now)
                    entry.notBefore = now + Self.pauseAfterFailure
                } else {
                    entry.camera.details = details
                    entry.isDescribed = true
                }
            case .failed(let why):
                actions += remark("\(entry.camera.address) does not describe itself: \(why)", at: now)
                entry.notBefore = now + Self.pauseAfterFailure
            }
            entry.wanted = nil
            if !entry.isTold {
                entry.isTold = true
                actions.insert(.found(entry.camera), at: 0)
            } else if entry.camera != before {
                actions.insert(.changed(entry.camera), at: 0)
            }
        }
        entries[request.key] = entry
        return actions + fetches(at: now)
    }

    private static func contradiction(_ details: DeviceDescription, _ key: Key) -> String? {
        guard case .device(let name) = key.identity, let device = details.device, device != name else {
            return nil
        }
        return "it is of \(device), and \(name) was announced"
    }
}
