import Bridge
import Camera
import Posix
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
        let survey = try await camera.survey(
            withRatings: filter.minimumRating != nil, onDescribed: { [described] in described.add(1) })
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
            wanted += try await take(slice, id, isLive: false) { _, rule in passedOver[rule, default: 0] += 1
            }
        }
        for (handle, reason) in survey.unreadable {
            seenHandles.remove(handle)
            undescribed[handle] = 1
            try await session.ledger.journal(
                JournalEntry(.warning, camera: id, "object \(handle) cannot be described yet: \(reason)"))
        }
        // What could not be described may be what is missed.
        if survey.unreadable.isEmpty { try await sayWhatIsGone(id) }
        session.report(
            .reconciled(
                address: address, listed: sightings.count, wanted: wanted, passedOver: passedOver))
    }

    /// Writes photos into the ledger and puts what has to be fetched into the queue. Gives how many that are, and tells
    /// of those that a rule speaks against; not of those that are there already, which were taken under another rule.
    private func take(
        _ sightings: [Sighting], _ camera: CameraID, isLive: Bool, passedOver: (String, FilterRule) -> Void
    ) async throws -> Int {
        hasListedSinceWork = false
        let captures = try await session.ledger.record(
            sightings, of: camera, in: session.event, connection: connection)
        var wanted = 0
        for (sighting, capture) in zip(sightings, captures) {
            switch capture.state {
            // What is being fetched or made durable comes to its end by itself.
            case .announced, .receiving:
                if inHand[capture.id] != nil { continue }
                queue.add(capture, sighting.offer, at: time.now)
                wanted += 1
            case .staged: mayDelete(capture.id, sighting.offer, isLive: isLive)
            case .filtered:
                if let rule = sighting.objection { passedOver(sighting.offer.identity.path, rule) }
            case .duplicate, .lost, .abandoned: break
            }
        }
        return wanted
    }

    /// What is known to be staged from an earlier connection is known by its looks alone. Where looks may deceive (no date,
    /// or a twin beside it), nothing is deleted.
    private func mayDelete(_ capture: CaptureID, _ offer: Offer, isLive: Bool) {
        guard session.settings.deletesFromCard, offer.identity.takenAt != nil, !twins.hasTwin(offer) else {
            return
        }
        onCard[offer.handle] = (capture, offer)
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
            if lastSeen[id] == nil { lastSeen[id] = try await session.ledger.lastSeen(of: id) }
            // A photo from the future, of a clock that was wrong then, would shut out everything since.
            let start = try await sessionStart(on: camera)
            filter.since = min(lastSeen[id] ?? start, start)
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
        let age = time.now - session.joined + session.ageWhenJoined
        return there - age.components.seconds - 2
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
        guard let cameraID, var filter = knownFilter else { return }
        // What appears while we look is not old, whatever the camera's clock says.
        filter.since = nil
        do {
            seenHandles.insert(handle)
            guard let offer = try await camera.offer(handle, withRating: filter.minimumRating != nil) else {
                return
            }
            if offer.isInMemory { try await makeRoom(for: handle) }
            let sighting = Sighting(offer: twins.told(offer), objection: filter.objection(to: offer))
            _ = try await take([sighting], cameraID, isLive: true) { path, rule in
                session.report(.passedOver(path: path, rule))
            }
            undescribed[handle] = nil
        } catch let error as CameraError {
            switch error.consequence {
            case .connectionOver, .cancelled, .ours: throw error
            case .gone: forget(handle)
            case .tryAgain, .giveUp: try await notDescribed(handle, error)
            }
        }
    }

    /// Bodies that call everything in their memory alike: under the handle of a photo that is in hand there is another
    /// one by now. It gets a row of its own, and is not deleted with the first.
    private func makeRoom(for handle: UInt32) async throws {
        guard let capture = inHand.first(where: { $0.value == handle })?.key else { return }
        try await session.ledger.detach(capture)
        inHand[capture] = 0
    }

    /// Not ready yet: asked again with the next list, a few times.
    private func notDescribed(_ handle: UInt32, _ error: CameraError) async throws {
        undescribed[handle, default: 0] += 1
        if undescribed[handle, default: 0] < Self.mostDescriptions {
            seenHandles.remove(handle)
            return
        }
        undescribed[handle] = nil
        givenUp[handle] = time.now
        timesGivenUp[handle, default: 0] += 1
        try await session.ledger.journal(
            JournalEntry(
                .error, camera: cameraID,
                "object \(handle) cannot be described: \(error). It is asked for again later."))
        session.report(.givenUp(path: "object \(handle)", "\(error)"))
    }

    /// Tries to describe one object in one connection.
    private static let mostDescriptions = 30

    /// Some cameras do not tell of every shot, so the handles are compared now and then.
    func listAgain(_ camera: TetheredCamera) async throws {
        // Also when the camera does not answer this time: it is asked again at its pace, not at ours.
        hasListedSinceWork = true
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
        // A camera that refused for half a minute, because somebody was in its menu, may not refuse now.
        for (handle, since) in givenUp where handles.contains(handle) {
            let pause = Self.chances.ceiling(afterFailures: timesGivenUp[handle, default: 1])
            guard time.now - since >= pause else { continue }
            givenUp[handle] = nil
            if !announced.contains(handle) { announced.append(handle) }
        }
    }

    /// How long what was given up is left alone: a minute, two, four, up to an hour.
    private static let chances = Backoff(first: .seconds(60), longest: .seconds(3600))

    /// Cards came or went: handles may mean other photos than before, and everything that hangs on them is let go.
    func beginAnew(_ camera: TetheredCamera) async throws {
        cardsChanged = false
        beginList()
        try await reconcile(camera)
    }
}
