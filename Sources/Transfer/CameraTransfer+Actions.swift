import Bridge
import Camera
import Posix
import Store

/// What each action of the machine's means to the world.
extension CameraTransfer {
    /// The one switch. There is a camera but for what is done at the desk.
    func carryOut(_ action: TransferMachine.Action, _ camera: (any CameraDriver)?) async {
        switch action {
        case .endConnection(let loss): leave(because: loss)
        case .answerSurveyWanted(let underWay): answerSurveys(surveyed.with(underWay: underWay))
        case .answerDeletionWanted: answerDeletions()
        case .report(let event): tell(event)
        case .survey(let wish): await ask(.survey, camera) { .surveyed(try await self.survey(wish, $0)) }
        case .surveyForOthers(let wish):
            await ask(.surveyForOthers, camera) { camera in
                try await self.serveLoans(camera)
                guard !self.surveysWanted.isEmpty else { return .done(.surveyForOthers) }
                self.surveyed = try await CardSurvey.of(camera, wish)
                return .listedForOthers(self.surveyed.references)
            }
        case .list: await ask(.list, camera) { .listed(try await $0.references()) }
        case .describe(let reference, let withRating):
            await ask(.describe(reference), camera) {
                .described(reference, try await $0.describe(reference, withRating: withRating))
            }
        case .fetch(let order): await fetch(order, camera)
        case .release(let capture, let offer):
            await ask(.release(capture, offer), camera) { camera in
                try await camera.release(offer)
                return .done(.release(capture, offer))
            }
        case .delete(let capture, let offer):
            await ask(.delete(capture, offer), camera) { try await self.delete(capture, offer, $0) }
        case .keepAlive:
            await ask(.keepAlive, camera) { camera in
                try await camera.keepAlive()
                return .done(.keepAlive)
            }
        case .beginAnew: await beginAnew(camera)
        case .discard(let capture): await tidy { try await self.shelf.discard(capture) }
        case .distrust(let capture):
            // First what says that it is to be trusted, then the file itself, which may refuse to go.
            await tidy { try await self.session.ledger.distrust(capture) }
        case .finish(let order): await finish(order)
        case .record(let sightings, let tethering, let isLive):
            await record(sightings, tethering, isLive: isLive)
        case .settleMissing(let tethering): await tidy { try await self.settleMissing(tethering) }
        case .settle(let capture, let state, _, let reason):
            await tidy { try await self.session.ledger.settle(capture, as: state, because: reason) }
        case .charge(let capture, let cost):
            await tidy { try await self.session.ledger.charge(capture, cost) }
        case .detach(let capture): await tidy { try await self.session.ledger.detach(capture) }
        case .askForDeletable(let tethering): await askForDeletable(tethering)
        case .learn(let body): await tidy { try await self.session.learn(body, of: self.recognized) }
        case .journal(let level, let capture, let text):
            let entry = JournalEntry(level, camera: cameraID, capture: capture, text)
            await tidy { try await self.session.ledger.journal(entry) }
        }
    }

    // MARK: The camera

    /// Asks the camera, and tells the machine what came of it.
    private func ask(
        _ errand: TransferMachine.Errand, _ camera: (any CameraDriver)?,
        _ question: (any CameraDriver) async throws -> TransferMachine.Happening
    ) async {
        guard let camera else { return }
        do {
            let answer = try await question(camera)
            heard.add(1)
            feed(answer)
        } catch let failure as CameraFailure {
            feed(
                .failed(errand, failure.trouble, reason: failure.sentenceBesideObject, about: failure.object))
        } catch {
            feed(.failed(errand, .cancelled, reason: "\(error)", about: nil))
        }
    }

    private func survey(_ wish: SurveyOptions, _ camera: any CameraDriver) async throws -> Survey {
        let counted = Tally()
        let (most, described, heard) = (mostDescribed, described, heard)
        defer { mostDescribed = max(most, counted.value) }
        var survey = try await camera.survey(wish) {
            counted.add(1)
            heard.add(1)
            if counted.value > most { described.add(1) }
        }
        survey.taking = try await session.taking(survey, of: tethering)
        return survey
    }

    /// A reference may have been given to another photo since: what is deleted is looked at first.
    private func delete(
        _ capture: CaptureID, _ offer: Offer, _ camera: any CameraDriver
    ) async throws -> TransferMachine.Happening {
        let now = try await camera.describe(offer.reference, withRating: false)
        guard now?.identity == offer.identity else {
            return .failed(
                .delete(capture, offer), .never, reason: "something else has its place on the card by now",
                about: nil)
        }
        try await camera.delete(offer.reference)
        try await session.ledger.deleted(capture)
        return .done(.delete(capture, offer))
    }

    private func beginAnew(_ camera: (any CameraDriver)?) async {
        guard let camera else { return }
        do {
            feed(.connected(try await greetAgain(camera)))
        } catch let failure as CameraFailure {
            leave(because: failure.loss)
        } catch {
            leave(because: .lost("\(error)"))
        }
    }

    private func fetch(_ order: FetchOrder, _ camera: (any CameraDriver)?) async {
        guard let camera else { return }
        let fetch = PhotoFetch(
            order: order, camera: camera, session: session, place: place, shelf: shelf, workers: workers,
            time: time,
            moved: moved, heard: heard)
        let (end, effort, file) = await fetch.run { position in
            note(receiving: order, from: position)
            self.feed(.began(order.capture.id, from: position))
        }
        note(receiving: nil)
        fetched[order.capture.id] = file
        feed(.fetched(order.capture.id, end, effort))
    }

    // MARK: The disk and the ledger

    private func finish(_ order: FinishOrder) async {
        guard let file = fetched.removeValue(forKey: order.capture) else {
            preconditionFailure("what is made durable has been fetched")
        }
        let finish = PhotoFinish(order: order, file: file, session: session, shelf: shelf, time: time)
        let end = await finish.run { self.feed(.stuck($0)) }
        feed(.finished(order.capture, end))
    }

    private func record(_ sightings: [Sighting], _ tethering: ConnectedCamera, isLive: Bool) async {
        do {
            let captures = try await session.record(sightings, of: recognized, tethering)
            feed(.recorded(sightings, captures, tethering, isLive: isLive))
        } catch {
            feed(.notRecorded(sightings, tethering, isLive: isLive, reason: "\(error)"))
        }
    }

    /// What is wanted and was not listed: a card may come back, so those of a card are only said to be lost; the row is
    /// taken up again when they are seen again.
    private func settleMissing(_ tethering: ConnectedCamera) async throws {
        recognized = try await session.adopted(recognized)
        let missing = try await session.ledger.missing(
            of: tethering.camera, in: session.event, notSeenBy: tethering.connection)
        for photo in missing {
            // Nothing of what was in memory can be gone on with: it will never be known again.
            if photo.isInMemory { try await shelf.discard(photo.id) }
            try await session.ledger.settle(photo.id, as: .lost, because: photo.reason)
            try await session.ledger.journal(
                JournalEntry(.error, camera: cameraID, capture: photo.id, "\(photo.path): \(photo.reason)"))
            tell(.lost(photo.id, path: photo.path, photo.reason))
        }
    }

    private func askForDeletable(_ tethering: ConnectedCamera) async {
        do {
            feed(.deletable(try await session.ledger.deletable(of: tethering.camera, in: session.event)))
        } catch {
            feed(.deletable([]))
            feed(.stuck("\(error)"))
        }
    }

    /// What can be done again at the next start, if it cannot be done now.
    private func tidy(_ step: () async throws -> Void) async {
        do {
            try await step()
        } catch {
            feed(.stuck("\(error)"))
        }
    }
}
