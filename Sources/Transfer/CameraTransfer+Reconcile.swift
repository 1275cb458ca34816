import Bridge
import Camera
import Store

extension CameraTransfer {
    /// Photos written into the ledger in one transaction.
    private static let batch = 500

    /// The camera's list against the ledger: what was shot while nobody was connected arrives, what is known is not
    /// taken twice, and what is gone is said.
    func reconcile(_ camera: TetheredCamera) async throws {
        let id = try await session.ledger.meet(camera.identity, at: address)
        cameraID = id
        let filter = try await filter(camera, id)
        let survey = try await camera.survey(withRatings: filter.minimumRating != nil)
        seenHandles = survey.handles
        var passedOver: [FilterRule: Int] = [:]
        var sightings = survey.offers.map { offer in
            Sighting(offer: twins.told(offer), objection: filter.objection(to: offer))
        }
        // What the camera will throw away comes first.
        sightings.sort { $0.offer.isInMemory && !$1.offer.isInMemory }
        var wanted = 0
        for start in stride(from: 0, to: sightings.count, by: Self.batch) {
            let slice = Array(sightings[start..<min(start + Self.batch, sightings.count)])
            wanted += try await take(slice, id) { passedOver[$0, default: 0] += 1 }
        }
        for (handle, reason) in survey.unreadable {
            seenHandles.remove(handle)
            try await session.ledger.journal(
                JournalEntry(.warning, camera: id, "object \(handle) cannot be described yet: \(reason)"))
        }
        try await sayWhatIsGone(id)
        session.report(
            .reconciled(
                address: address, listed: sightings.count, wanted: wanted, passedOver: passedOver))
    }

    /// Writes photos into the ledger and puts what has to be fetched into the queue. Gives how many that are, and tells
    /// of those that a rule speaks against; not of those that are there already, which were taken under another rule.
    private func take(
        _ sightings: [Sighting], _ camera: CameraID, passedOver: (FilterRule) -> Void = { _ in }
    ) async throws -> Int {
        let captures = try await session.ledger.record(
            sightings, of: camera, in: session.event, connection: connection)
        var wanted = 0
        for (sighting, capture) in zip(sightings, captures) {
            switch capture.state {
            case .announced, .receiving:
                queue.add(capture, sighting.offer, at: time.now)
                wanted += 1
            case .staged: fetched[capture.id] = sighting.offer
            case .filtered: if let rule = sighting.objection { passedOver(rule) }
            case .duplicate, .lost, .abandoned: break
            }
        }
        return wanted
    }

    /// What is wanted and was not on the list: deleted on the camera, on a card that was taken out, or lost with the
    /// memory it was in. A card may come back, so those of a card are only said to be lost; the row is taken up again
    /// when they are seen again.
    private func sayWhatIsGone(_ camera: CameraID) async throws {
        for missing in try await session.ledger.missing(
            of: camera, in: session.event, notSeenBy: connection)
        {
            let reason =
                missing.isInMemory
                ? "it was in the camera's memory when the connection was lost; if the camera still has it, it comes as a new photo"
                : "it is not on the card any more"
            // Nothing of it can be gone on with: it will never be known again.
            if missing.isInMemory { try await spool.discard(missing.id) }
            try await session.ledger.settle(missing.id, as: .lost, because: reason)
            try await session.ledger.journal(
                JournalEntry(.error, camera: camera, capture: missing.id, "\(missing.path): \(reason)"))
            session.report(.lost(path: missing.path, reason))
        }
    }

    /// The rules, with "since" in the camera's own time.
    func filter(_ camera: TetheredCamera, _ id: CameraID) async throws -> CaptureFilter {
        var filter = session.settings.filter
        switch session.settings.since {
        case .all: filter.since = nil
        case .date(let seconds): filter.since = seconds
        case .lastSeen:
            if lastSeen[id] == nil { lastSeen[id] = .some(try await session.ledger.lastSeen(of: id)) }
            if let known = lastSeen[id] ?? nil {
                filter.since = known
            } else {
                filter.since = try await sessionStart(on: camera)
            }
        case .session: filter.since = try await sessionStart(on: camera)
        }
        knownFilter = filter
        return filter
    }

    /// When the session began, as the camera's clock showed it: photographers' clocks are wrong, and in other zones.
    private func sessionStart(on camera: TetheredCamera) async throws -> Int64 {
        let now = session.wall.wallNow
        let here = now.seconds + session.wall.localOffset(at: now)
        let there = try await camera.clock() ?? here
        // Dates have seconds, and asking takes a moment: one photo too many costs less than one too few.
        return session.began.seconds + session.wall.localOffset(at: session.began) + there - here - 2
    }

    // MARK: While connected

    /// What has been announced since: described, judged, written down.
    func takeAnnounced(_ camera: TetheredCamera) async throws {
        while let handle = announced.first {
            do {
                try await takeOne(handle, camera)
                if announced.first == handle { announced.removeFirst() }
            } catch let error as CameraError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The ledger could not be written; the photo stays announced here, and on the card.
                held("\(error)")
                return await wait(until: time.now + Self.holdPause)
            }
        }
    }

    private func takeOne(_ handle: UInt32, _ camera: TetheredCamera) async throws {
        guard let cameraID, let filter = knownFilter else { return }
        do {
            seenHandles.insert(handle)
            guard let offer = try await camera.offer(handle, withRating: filter.minimumRating != nil) else {
                return
            }
            let sighting = Sighting(offer: twins.told(offer), objection: filter.objection(to: offer))
            _ = try await take([sighting], cameraID)
            undescribed[handle] = nil
        } catch let error as CameraError {
            switch error.consequence {
            case .connectionOver, .cancelled, .ours: throw error
            case .gone: forget(handle)
            case .tryAgain, .giveUp:
                // Not ready yet: asked again with the next list, a few times.
                undescribed[handle, default: 0] += 1
                if undescribed[handle, default: 0] < Self.mostDescriptions {
                    seenHandles.remove(handle)
                } else {
                    try await session.ledger.journal(
                        JournalEntry(
                            .error, camera: cameraID,
                            "object \(handle) cannot be described: \(error). It is asked for again at the next connection."
                        ))
                    session.report(.givenUp(path: "object \(handle)", "\(error)"))
                }
            }
        }
    }

    /// Tries to describe one object in one connection.
    private static let mostDescriptions = 30

    /// Some cameras do not tell of every shot, so the handles are compared now and then.
    func listAgain(_ camera: TetheredCamera) async throws {
        let handles: Set<UInt32>
        do throws(CameraError) {
            handles = try await camera.handles()
        } catch {
            switch error.consequence {
            // A camera that is busy now is asked again next time.
            case .tryAgain, .giveUp, .gone: return
            case .connectionOver, .cancelled, .ours: throw error
            }
        }
        for gone in seenHandles.subtracting(handles) { forget(gone) }
        for handle in handles.subtracting(seenHandles).sorted() where !announced.contains(handle) {
            announced.append(handle)
        }
    }
}
