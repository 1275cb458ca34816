import Bridge
import Camera
import Digest
import Posix
import Store

extension CameraTransfer {
    /// Photos that may be on their way to the disk while another comes in.
    private static let mostFinishing = 2
    /// How soon the camera is asked again for an object that it would not describe.
    private static let soon = Duration.seconds(1)

    /// Until the connection is over: fetches what there is, and waits for more.
    func fetchAll(_ camera: TetheredCamera) async throws {
        var listDue = time.now + session.settings.listAgain
        try await withThrowingDiscardingTaskGroup { group in
            // What has arrived is made durable also when the connection is lost meanwhile.
            while true {
                try Task.checkCancellation()
                if isConnectionOver {
                    try await camera.throwIfEnded()
                    throw CancellationError()
                }
                if !surveysWanted.isEmpty { answerSurveys(try await CardSurvey.of(camera)) }
                if cardsChanged { try await beginAnew(camera) }
                try await takeAnnounced(camera)
                if wantsList || time.now >= listDue {
                    wantsList = false
                    try await listAgain(camera)
                    try await deleteDelivered(camera)
                    listDue =
                        time.now + (undescribed.isEmpty ? session.settings.listAgain : Self.soon)
                    if !announced.isEmpty { continue }
                }
                if !deletionsWanted.isEmpty {
                    try await deleteDelivered(camera)
                    answerDeletions()
                }
                while finishing >= Self.mostFinishing, !isConnectionOver {
                    try Task.checkCancellation()
                    await bell.waitUnlessCancelled()
                }
                if isConnectionOver { continue }
                if let item = queue.next(at: time.now) {
                    isIdle(false)
                    hasListedSinceWork = false
                    inHand[item.capture.id] = item.offer.handle
                    if let whole = try await fetch(item, camera) {
                        finishing += 1
                        group.addTask { await self.finish(whole, camera) }
                    }
                    continue
                }
                let hasNothing =
                    queue.isEmpty && finishing == 0 && undescribed.isEmpty && announced.isEmpty
                // Some cameras do not tell of every shot: nothing is there when the list says so, too.
                if hasNothing, !hasListedSinceWork {
                    wantsList = true
                    continue
                }
                isIdle(hasNothing)
                await wait(until: min(listDue, queue.nextDue ?? listDue))
            }
        }
    }

    /// A photo all of whose bytes are here.
    struct Whole: Sendable {
        let item: FetchQueue.Item
        let incoming: Spool.Incoming
        let size: UInt64
        let sha256: String
    }

    /// Brings one photo into its partial file. What goes wrong with it is its own affair, unless the connection is
    /// over; nothing then, and it is in the queue again or given up.
    private func fetch(_ next: FetchQueue.Item, _ camera: TetheredCamera) async throws -> Whole? {
        var item = next
        do {
            if let whole = try await bring(&item, camera) { return whole }
        } catch let error as CameraError {
            switch error.consequence {
            case .connectionOver, .cancelled: throw error
            case .gone:
                await lose(item, "the camera does not have it any more")
            case .tryAgain:
                try await again(item, "\(error)")
            case .giveUp:
                await giveUp(item, "\(error)")
            case .ours:
                try await diskFailed(item, error.consumerFailure ?? error)
            }
        } catch let notReady as NotReady {
            try await again(item, notReady.description)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as CaptureMismatch {
            // It has come to its end another way, and is not in the queue any more.
            try await session.ledger.journal(
                JournalEntry(.warning, capture: item.capture.id, "\(error)"))
        } catch {
            try await diskFailed(item, error)
        }
        inHand[item.capture.id] = nil
        return nil
    }

    private struct NotReady: Error {
        let description: String
    }

    /// The camera's fault, perhaps only for a moment.
    func again(_ item: FetchQueue.Item, _ reason: String) async throws {
        inHand[item.capture.id] = nil
        if !queue.putBack(item, at: time.now) { await giveUp(item, reason) }
    }

    private func bring(_ item: inout FetchQueue.Item, _ camera: TetheredCamera) async throws -> Whole? {
        guard let known = try await settled(item, camera) else { return nil }
        inHand[item.capture.id] = nil
        item = known
        inHand[item.capture.id] = item.offer.handle
        let size = item.offer.hasFinalSize ? item.offer.identity.size : nil
        if let lack = try await spool.lack(ofRoomFor: size ?? 0, of: item.capture.id) {
            throw DiskError(.noRoom, lack)
        }
        released()
        let incoming = try await spool.open(
            item.capture, size: size, mayResume: camera.canResume(item.offer))
        try await session.ledger.beginReceiving(
            item.capture.id, kept: incoming.kept, boot: session.boot)
        // A second try in this connection goes on where this one ends.
        item.capture.boot = session.boot
        item.capture.verified = min(item.capture.verified, incoming.kept)
        let hasher = SHA256()
        if incoming.kept > 0 { try await spool.hash(incoming, into: hasher) }
        session.report(.began(path: item.offer.identity.path, size: size ?? 0, from: incoming.kept))
        let received = try await stream(item, incoming, hasher, camera)
        let total = incoming.kept + received
        if let size, total != size {
            guard let now = try await offerNow(of: total, item, camera) else {
                try await spool.discard(item.capture.id)
                throw camera.sizeDiffers(item.offer, expected: size, received: total)
            }
            item.offer = now
        }
        return Whole(item: item, incoming: incoming, size: total, sha256: "\(hasher.finish())")
    }

    /// A photo that is still being written has no size; the camera is asked again until it has.
    private func settled(_ item: FetchQueue.Item, _ camera: TetheredCamera) async throws -> FetchQueue.Item? {
        guard !item.offer.hasFinalSize, let cameraID else { return item }
        var item = item
        guard let offer = try await camera.offer(item.offer.handle, withRating: false) else { return item }
        item.offer = offer
        if offer.hasFinalSize {
            // It was wanted when it was announced; the camera's clock has no say in that any more.
            var filter = knownFilter ?? CaptureFilter()
            filter.since = nil
            let captures = try await session.ledger.record(
                [Sighting(offer: twins.told(offer), objection: filter.objection(to: offer))], of: cameraID,
                in: session.event, connection: connection)
            guard let capture = captures.first else { return item }
            item.capture = capture
            // It may be one that is here already, or that the rules pass over now that its size is known.
            return capture.state == .announced || capture.state == .receiving ? item : nil
        }
        // "0xFFFFFFFF" may be the truth about a large file; nothing never is one about a photo.
        guard offer.identity.size > 0, item.failures >= FetchQueue.mostFailures - 1 else {
            throw NotReady(description: "the camera says that it has no bytes yet")
        }
        return item
    }

    private func stream(
        _ item: FetchQueue.Item, _ incoming: Spool.Incoming, _ hasher: SHA256, _ camera: TetheredCamera
    ) async throws -> UInt64 {
        let notes = Mailbox<UInt64>()
        let sink = SpoolSink(incoming) { notes.post($0) }
        let (ledger, capture, boot) = (session.ledger, item.capture.id, session.boot)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while let lengths = await notes.next() {
                    if let last = lengths.last { try await ledger.note(capture, verified: last, boot: boot) }
                }
            }
            defer { notes.close() }
            return try await camera.fetch(
                item.offer, from: incoming.kept, into: sink, hasher: hasher, workers: workers,
                onMoved: { [moved] in moved.add($0) })
        }
    }

    /// What the camera says of the photo by now, if it says that it is as long as what came.
    private func offerNow(
        of total: UInt64, _ item: FetchQueue.Item, _ camera: TetheredCamera
    ) async throws -> Offer? {
        guard let now = try await camera.offer(item.offer.handle, withRating: false),
            now.identity.size == total
        else { return nil }
        let told = twins.told(now)
        try await session.ledger.identify(item.capture.id, as: told)
        return told
    }

    // MARK: Durable

    private func finish(_ whole: Whole, _ camera: TetheredCamera) async {
        defer {
            finishing -= 1
            bell.ring()
        }
        do {
            try await makeDurable(whole, camera)
        } catch is CancellationError {
            // The connection is over; what is in the spool is found at the next.
            inHand[whole.item.capture.id] = nil
        } catch {
            inHand[whole.item.capture.id] = nil
            held("\(error)")
        }
    }

    private func makeDurable(_ whole: Whole, _ camera: TetheredCamera) async throws {
        let offer = whole.item.offer
        do {
            let finish = try await spool.finish(
                whole.incoming, name: offer.identity.name, format: offer.identity.format, length: whole.size,
                modified: offer.identity.takenAt.map {
                    $0 - session.wall.localOffset(at: session.wall.wallNow)
                })
            switch finish {
            case .whole(let file): try await commit(whole, file, camera)
            case .wrongLength(let found):
                try await spool.discard(whole.item.capture.id)
                try await again(whole.item, "\(found) bytes are in its file, \(whole.size) came")
            case .wrongBeginning:
                try await spool.discard(whole.item.capture.id)
                try await again(
                    whole.item, "what came does not begin like a file of its kind; look at it on the camera")
            }
        } catch let error as DiskError {
            try await diskFailed(whole.item, error)
        }
    }

    private func commit(_ whole: Whole, _ file: String, _ camera: TetheredCamera) async throws {
        let photo = StagedPhoto(file: file, size: whole.size, sha256: whole.sha256)
        let path = whole.item.offer.identity.path
        let staging = try await untilWritten { [session] in
            try await session.ledger.stage(
                whole.item.capture.id, photo, skipsDuplicates: session.settings.skipsDuplicates)
        }
        switch staging {
        case .staged:
            if session.settings.deletesFromCard, inHand[whole.item.capture.id] == whole.item.offer.handle {
                onCard[whole.item.offer.handle] = (whole.item.capture.id, whole.item.offer)
            }
            session.report(.staged(path: path, whole.item.capture.id, photo))
        case .duplicate(let twin):
            session.report(.duplicate(path: path, of: twin))
            try await removeDuplicate(file)
        case nil: break
        }
        if staging != nil, whole.item.offer.isInMemory { await release(whole.item, camera) }
        inHand[whole.item.capture.id] = nil
    }

    /// The row says that it is not needed: what a disk refuses to let go of now, the next start looks at again.
    private func removeDuplicate(_ file: String) async throws {
        for _ in 0..<Self.removals {
            do throws(DiskError) {
                try await spool.remove(file)
                return released()
            } catch {
                held("\(error)")
            }
            try await time.sleep(until: time.now + Self.holdPause)
        }
    }

    private static let removals = 5

    /// The photo is whole and has its name: only the ledger has to be told, as often as it takes.
    private func untilWritten<Result: Sendable>(
        _ write: @Sendable () async throws -> Result
    ) async throws -> Result? {
        while true {
            do {
                let result = try await write()
                released()
                return result
            } catch let error as CaptureMismatch {
                held("\(error)")
                return nil
            } catch {
                held("\(error)")
                do {
                    try await time.sleep(until: time.now + Self.holdPause)
                } catch {
                    // Ending: the next start finds the file and tells the ledger.
                    return nil
                }
            }
        }
    }

    /// The body needs the memory for its next shot.
    private func release(_ item: FetchQueue.Item, _ camera: TetheredCamera) async {
        // Under its handle there may be the next one already.
        guard camera.canDelete, inHand[item.capture.id] == item.offer.handle else { return }
        do throws(CameraError) {
            try await camera.delete(item.offer.handle)
            forget(item.offer.handle)
        } catch {
            // Most bodies have let go of it by themselves when it was fetched. One that keeps it is not asked for it again.
            if error.consequence == .gone { forget(item.offer.handle) }
        }
    }
}
