import Bridge
import Camera
import Posix

/// Who it is that has been connected to.
extension TransferSession {
    /// What is known of the body that answers at this place, as far as the ledger tells: the learned of it is used while
    /// it is greeted.
    func recall(_ body: KnownBody, at place: String) async throws -> KnownBody? {
        let known = try await ledger.bodies(like: body, at: place)
        return BodyRecognition.likeliest(body, at: place, known: known)
    }

    /// A body that has been told from all others.
    struct Recognized: Sendable {
        let identity: CameraIdentity
        var tethering: ConnectedCamera
        let wireID: String?
        /// Photos that were known as another body's, until all on its card have their rows.
        var adoption: Adoption?
    }

    /// Finds out who it is, and has it in the ledger. Only one of a name at a time is looked at: the next has to find it.
    func recognize(
        _ camera: any CameraDriver, at place: String, expecting expected: ExpectedBody,
        _ connection: any LiveConnection, _ workers: PhotoWorkers
    ) async throws -> Recognized {
        let introduced = await introduction(of: camera)
        return try await bodies.one(named: introduced.identity) {
            let known = try await ledger.bodies(like: introduced, at: place)
            var recognition = BodyRecognition(
                of: introduced, at: place, known: known, live: bodies.live(among: known),
                lastHere: try await ledger.bodies(at: place).first?.identity)
            let identity: CameraIdentity
            var isNew = false
            finding: while true {
                switch recognition.next() {
                case .ask(let other):
                    recognition.answered(at: other, await bodies.answers(at: other))
                case .compare(let bodies):
                    recognition.compared(
                        try await compare(camera, introduced, with: bodies, at: place, workers))
                case .known(let found, let former):
                    if let former { try await bodies.end(at: former, for: place) }
                    identity = found
                    break finding
                case .new(let found):
                    try refuseNew(found, at: place, expected, beside: known)
                    (identity, isNew) = (found, !known.isEmpty)
                    break finding
                case .twice(let found, let other):
                    bodies.isTwice(found, at: place, showing: introduced.wireID)
                    throw BodyAtTwoPlaces(body: found, place: place, other: other)
                }
            }
            let body = await camera.body
            if identity != body.identity {
                await camera.bear(
                    identity, after: known.first { $0.identity == identity },
                    insteadOf: BodyRecognition.likeliest(introduced, at: place, known: known))
            }
            // Before the body is known: in the next connection it is not new any more.
            if isNew { try await ledger.note(pending: recognition.adoption, by: identity) }
            let id = try await ledger.meet(identity, at: place)
            try await ledger.learn(await camera.body)
            bodies.enter(place, identity, connection)
            let others = recognition.others.filter { bodies.isNews(place, $0.place) }
            if let remark = Self.remark(on: identity, beside: others, isNew: isNew) {
                report(CameraNews(place: place, camera: id, .remark(remark)))
                try await ledger.journal(JournalEntry(.warning, camera: id, "\(place): \(remark)"))
            }
            return Recognized(
                identity: identity, tethering: ConnectedCamera(camera: id, connection: ""),
                wireID: introduced.tellingWireID,
                adoption: try await ledger.pendingAdoption(by: identity))
        }
    }

    /// It bears the serial number of the one that was looked for, and is another.
    private func refuseNew(
        _ found: CameraIdentity, at place: String, _ expecting: ExpectedBody, beside known: [KnownBody]
    ) throws {
        guard case .body(let expected) = expecting, !known.isEmpty, !settings.acceptsNewBodies else { return }
        throw UnknownBody(place: place, expected: expected, found: found, advice: settings.adviceOnNewBodies)
    }

    private func compare(
        _ camera: any CameraDriver, _ introduced: KnownBody, with known: [CameraIdentity], at place: String,
        _ workers: PhotoWorkers
    ) async throws -> CardComparison {
        if let found = bodies.foundTwice(at: place, showing: introduced.wireID) {
            return CardComparison(same: [found])
        }
        guard bodies.mayCompare(at: place) else { return CardComparison() }
        do {
            let sample = CardComparer(camera: camera, ledger: ledger, workers: workers)
            let found = try await sample.compared(with: known)
            bodies.comparisonEnded(at: place, wasLost: false)
            return found
        } catch let failure as CameraFailure {
            bodies.comparisonEnded(at: place, wasLost: true)
            if failure.isEndOfConnection { throw failure }
            return CardComparison()
        }
    }

    /// One row for each photo, with what shows it. What was known as another body's is this one's first.
    func record(
        _ sightings: [Sighting], of recognized: Recognized?, _ tethering: ConnectedCamera
    ) async throws -> [Capture] {
        if let adoption = recognized?.adoption {
            try await ledger.adopt(sightings.map(\.offer), by: tethering.camera, adoption)
        }
        let shown = sightings.map { sighting in
            var shown = sighting
            shown.wireID = recognized?.wireID
            return shown
        }
        return try await ledger.record(
            shown, of: tethering.camera, in: event, connection: tethering.connection)
    }

    /// Every photo on its card has its row: what was known as another body's and is its own is known to be.
    func adopted(_ recognized: Recognized?) async throws -> Recognized? {
        guard var recognized, recognized.adoption != nil else { return recognized }
        try await ledger.note(pending: nil, by: recognized.identity)
        recognized.adoption = nil
        return recognized
    }

    /// What was learned before it was known who it is has another body's name on it, and is in the ledger already.
    func learn(_ body: KnownBody, of recognized: Recognized?) async throws {
        guard body.identity == recognized?.identity else { return }
        try await ledger.learn(body)
    }

    /// By its maker, model and serial number, whatever it was taken for so far.
    private func introduction(of camera: any CameraDriver) async -> KnownBody {
        var body = await camera.body
        if let serial = body.serial {
            body.identity = CameraIdentity(
                manufacturer: body.identity.manufacturer, model: body.identity.model, body: serial)
        }
        return body
    }

    private static func remark(
        on identity: CameraIdentity, beside others: [BodyRecognition.Live], isNew: Bool
    ) -> String? {
        guard !others.isEmpty else {
            return isNew
                ? "another body bears this one's serial number; this one is kept apart as \(identity)" : nil
        }
        let places = others.map { "\($0.identity) at \($0.place)" }.joined(separator: ", ")
        return
            "two cameras of one model and serial number: \(identity) here, \(places). Both are connected, and their photos are "
            + "kept apart"
    }
}

/// One body answers at two places: its address was given twice, or it has two.
struct BodyAtTwoPlaces: Error, CustomStringConvertible {
    let body: CameraIdentity
    let place: String
    let other: String

    var description: String {
        "\(body) answers at \(place) and at \(other): GUID, serial number and photos are the same. Its photos are taken at "
            + "\(other) and not here. Leave one of the two addresses out; if these are two cameras, put a card with other "
            + "photos into this one."
    }
}
