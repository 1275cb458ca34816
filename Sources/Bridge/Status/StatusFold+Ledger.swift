public import Basics

extension StatusFold {
    /// With what the ledger knows and the fold does not: counts, and cameras that were met in earlier runs. `sending` says
    /// of each destination how many photos are on their way there at this moment.
    public func with(
        ledger: BridgeStatus, spool: BridgeStatus.Disk?, sending: [String: Int], at now: Timestamp
    ) -> BridgeStatus {
        var whole = ledger
        whole.at = now
        (whole.isRunning, whole.isLive) = (status.isRunning, status.isRunning)
        whole.isPaused = status.isPaused || ledger.isPaused
        whole.notes = ledger.notes + status.notes
        whole.failures = status.failures
        whole.count(sending: sending)
        whole.note(spool)
        if let hold = diskHold {
            whole.spool?.hold = hold.reason
            whole.spool?.advice = BridgeStatus.advice(for: hold.meaning)
        }
        let missing =
            notHere.sorted { $0.key < $1.key }.map(\.value)
            + undescribed.sorted { $0.key < $1.key }.map(\.value)
        whole.missing = Array(missing.prefix(BridgeStatus.mostMissing))
        for camera in status.cameras {
            if let index = whole.cameras.firstIndex(where: { $0.address == camera.address }) {
                let known = whole.cameras[index]
                whole.cameras[index] = camera
                whole.cameras[index].name = camera.name ?? known.name
                whole.cameras[index].toFetch = known.toFetch
                whole.cameras[index].jobs = known.jobs
            } else {
                whole.cameras.append(camera)
            }
        }
        for index in whole.destinations.indices {
            add(to: &whole.destinations[index], isPaused: whole.isPaused, at: now)
        }
        return whole
    }

    private func add(to whole: inout BridgeStatus.Destination, isPaused: Bool, at now: Timestamp) {
        guard let destination = status.destinations.first(where: { $0.url == whole.url }) else { return }
        whole.hold = destination.hold
        whole.slots = destination.slots
        whole.way = destination.way
        whole.confirmed = totals[whole.url]
        whole.note(lastError: destination.lastError)
        whole.rate = paces[whole.url]?.rate(at: now)
        whole.confirmation = times[whole.url]?.summary
        let open =
            whole.jobs[.queued, default: 0] + whole.jobs[.uploading, default: 0]
            + whole.jobs[.awaiting, default: 0]
        if open > 0, !isPaused, whole.hold == nil, let pace = whole.rate?.photosPerMinute, pace > 0 {
            whole.untilDrained = .milliseconds(Int64((Double(open) / pace * 60_000).rounded()))
        }
    }

    /// Why the disk takes no photos, while a camera that is connected waits for that.
    private var diskHold: (reason: String, meaning: DiskError.Meaning?)? {
        for camera in status.cameras where camera.phase == .held {
            if case .held(let reason, let meaning) = transfers[camera.address] { return (reason, meaning) }
        }
        return nil
    }

    /// What is asked about when no bridge runs any more.
    public var memory: StatusMemory {
        var memory = StatusMemory()
        for destination in status.destinations where destination.hold != nil || destination.lastError != nil {
            memory.destinations[destination.url] = StatusMemory.Destination(
                hold: destination.hold, lastError: destination.lastError)
        }
        for camera in status.cameras { memory.cameras[camera.address] = camera.lastError }
        memory.diskHold = diskHolds.min { $0.key < $1.key }?.value
        return memory
    }
}

extension BridgeStatus {
    /// The ledger's, with what the bridge that runs or ran last has noted.
    public mutating func add(_ memory: StatusMemory, isRunning: Bool) {
        for index in destinations.indices {
            let known = memory.destinations[destinations[index].url]
            destinations[index].hold = known?.hold
            destinations[index].note(lastError: known?.lastError)
        }
        for index in cameras.indices { cameras[index].lastError = memory.cameras[cameras[index].address] }
        let met = Set(cameras.map(\.address))
        // One that was never reached is in no row, and is what an operator asks about first.
        for (place, trouble) in memory.cameras.sorted(by: { $0.key < $1.key }) where !met.contains(place) {
            var camera = Camera(address: place)
            camera.lastError = trouble
            cameras.append(camera)
        }
        guard !isRunning else { return }
        for index in cameras.indices where cameras[index].lastError?.kind == .connection {
            cameras[index].lastError?.waitsForRun()
        }
    }
}

extension BridgeStatus.Destination {
    /// What the bridge has noted, beside the ledger's failures: as long as there are such, they wait for the operator, and
    /// what passes by itself does not hide them. When none is left, nothing has to be done about one.
    fileprivate mutating func note(lastError noted: BridgeStatus.Trouble?) {
        guard var noted else { return }
        if lastError != nil, noted.kind != .failure { return }
        if lastError == nil, noted.kind == .failure { noted.needsNothing() }
        lastError = noted
    }
}
