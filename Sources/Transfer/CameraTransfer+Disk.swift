import Bridge
import Camera
import Store

extension CameraTransfer {
    /// How soon a full or failing disk is looked at again.
    static let holdPause = Duration.seconds(2)
    /// How long other photos go before one that the disk had no room for.
    private static let othersFirst = Duration.seconds(10)

    // MARK: The disk

    /// By what the failure means: whether the file is still to be trusted, and whether waiting helps.
    func diskFailed(_ item: FetchQueue.Item, _ error: any Error) async throws {
        // Before it goes back into the queue: from there on it is somebody else's to take in hand.
        inHand[item.capture.id] = nil
        let failure = error as? DiskError
        switch failure?.meaning {
        case .tooLarge:
            try await spool.discard(item.capture.id)
            return await giveUp(item, "\(error)")
        case .failing:
            // Nobody knows what is on the disk after that: written again from its first byte, never trusted.
            var item = item
            (item.capture.boot, item.capture.verified) = (nil, 0)
            await discarding(item)
            if !queue.putBack(item, at: time.now) { return await giveUp(item, "\(error)") }
        case .noRoom, .notWritable, .missing, .tooManyOpen, .other, nil:
            // Behind the others for a while: a smaller one may still find room.
            queue.putBack(item, notBefore: time.now + Self.othersFirst)
        }
        held("\(error)")
        // Not at the bell: a photo that is being finished comes here while whoever fetches waits there, and it has
        // room for one.
        try await time.sleep(until: time.now + Self.holdPause)
    }

    private func discarding(_ item: FetchQueue.Item) async {
        do {
            // First what says that it is to be trusted, then the file itself, which may refuse to go.
            try await session.ledger.distrust(item.capture.id)
            try await spool.discard(item.capture.id)
        } catch {
            held("\(error)")
        }
    }

    func held(_ reason: String) {
        guard hold != reason else { return }
        hold = reason
        session.report(.held(address: address, reason))
    }

    func released() {
        guard hold != nil else { return }
        hold = nil
        session.report(.released(address: address))
    }

    // MARK: Deleting from the card

    /// Only when told to, and only what every destination has given its receipt for.
    func deleteDelivered(_ camera: TetheredCamera) async throws {
        guard session.settings.deletesFromCard, camera.canDelete, let cameraID else { return }
        let delivered = Set(try await session.ledger.deletable(of: cameraID, in: session.event))
        for (handle, (capture, offer)) in onCard where delivered.contains(capture) {
            onCard[handle] = nil
            do throws(CameraError) {
                // A handle may have been given to another photo since: what is deleted is looked at first.
                guard let now = try await camera.offer(handle, withRating: false),
                    now.identity == offer.identity
                else { continue }
                try await camera.delete(handle)
                session.report(.deleted(path: offer.identity.path))
            } catch {
                switch error.consequence {
                case .connectionOver, .cancelled: throw error
                case .gone: break
                case .tryAgain, .giveUp, .ours:
                    session.report(.notDeleted(path: offer.identity.path, "\(error)"))
                    continue
                }
            }
            try await session.ledger.deleted(capture)
        }
    }
}
