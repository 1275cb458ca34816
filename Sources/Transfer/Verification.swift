package import Bridge
package import Store

/// Each frame of an event and what became of it: the cameras' cards held against the ledger and the receipts.
///
/// A card may hold a hundred thousand frames and an event as many rows: they are given out some hundreds at a time, and what
/// is kept meanwhile is which rows a card has shown. Each card is looked at and read to its end, then the rest:
/// ``look(at:)``, ``next()`` until there are no more, and in the end ``lookAtRest()`` and ``next()`` again.
package struct Verification {
    package enum Verdict: Equatable, Sendable {
        /// Every destination has given its receipt.
        case delivered
        /// It is being fetched or delivered, or no destination has been named.
        case onItsWay(String)
        /// By which rule.
        case filtered(String)
        /// Shot before the event began: none of its photos.
        case older
        case missing(String)

        package var word: String {
            switch self {
            case .delivered: "delivered"
            case .onItsWay: "onItsWay"
            case .filtered: "filtered"
            case .older: "older"
            case .missing: "missing"
            }
        }

        package var reason: String? {
            switch self {
            case .delivered: nil
            case .older: FilterRule.older.sentence
            case .onItsWay(let reason), .filtered(let reason), .missing(let reason): reason
            }
        }
    }

    package struct Frame: Sendable {
        package let camera: CameraIdentity?
        package let path: String
        package let size: UInt64
        package let captureDate: String
        package let isOnCard: Bool
        package let verdict: Verdict
        package let sha256: String?
        package let receipts: [(url: String, receipt: String)]
        /// Why a person should look at it.
        package var doubts: Set<PhotoDoubt> = []
    }

    /// What could not be looked at.
    package private(set) var notVerifiable: [(camera: CameraIdentity, reason: String)] = []
    package private(set) var notReachable: [(address: String, reason: String)] = []

    private let reader: LedgerReader
    private let event: BridgeEvent
    /// The newest row before a card was looked at. What a looked-at card shows is told by its list; a row that comes
    /// meanwhile is a frame of that list, or was shot after it.
    private let newestBefore: CaptureID?
    private var onCards: Set<CaptureID> = []
    private var looked: Set<CameraIdentity> = []
    private var source = Source.nothing

    private enum Source {
        case nothing
        /// A card's photos from there on, and what is taken from that camera.
        case card(ListedCard, from: Int, TakingRule?)
        /// The rows of the event behind that one.
        case rows(after: CaptureID?)
    }

    package init(of event: BridgeEvent, in reader: LedgerReader) throws {
        self.event = event
        self.reader = reader
        newestBefore = try reader.newestCapture
    }

    /// A camera was asked what is on its card, whatever came of it.
    package var hasAskedCameras: Bool {
        !looked.isEmpty || !notReachable.isEmpty
    }

    /// So many frames are given out at once.
    private static let batch = 256

    package mutating func look(at survey: CardSurvey) throws {
        source = .nothing
        switch survey {
        case .notReachable(let address, let reason): notReachable.append((address, reason))
        case .notVerifiable(let camera, let reason):
            looked.insert(camera)
            notVerifiable.append((camera, reason))
        case .card(let card):
            looked.insert(card.camera)
            source = .card(card, from: 0, try reader.taking(from: card.camera, in: event.id))
        }
    }

    /// Every card has been looked at: what is left is in the ledger alone.
    package mutating func lookAtRest() throws {
        for (_, camera, address) in try reader.cameras(of: event.id) where !looked.contains(camera) {
            if notReachable.contains(where: { $0.address == address }) { continue }
            notReachable.append(
                (address, "\(camera) was last there for this event; it has not been looked at"))
        }
        source = .rows(after: nil)
    }

    /// The next frames of what is being looked at; nothing when there are no more.
    package mutating func next() throws -> [Frame]? {
        switch source {
        case .nothing: return nil
        case .card(let card, let from, let rule):
            let end = min(from + Self.batch, card.offers.count)
            var frames: [Frame] = []
            for offer in card.offers[from..<end] { frames.append(try frame(of: offer, on: card, rule)) }
            guard end == card.offers.count else {
                source = .card(card, from: end, rule)
                return frames
            }
            source = .nothing
            return frames
                + card.unreadable.sorted { $0.key < $1.key }.map {
                    Self.unreadable($0.key, $0.value, on: card)
                }
        case .rows(let after):
            let entries = try reader.captures(of: event.id, after: after, limit: Self.batch)
            source = entries.last.map { .rows(after: $0.id) } ?? .nothing
            return entries.isEmpty ? nil : try entries.compactMap { try frame(of: $0) }
        }
    }

    private mutating func frame(of offer: Offer, on card: ListedCard, _ rule: TakingRule?) throws -> Frame {
        // The list decides what is news, whatever has become of it by now: the bridge goes on while this is read.
        let isUnderWay = card.underWay.contains(offer.reference)
        let entry = try reader.capture(of: offer, in: event.id).flatMap {
            isUnderWay && isNews($0) ? nil : $0
        }
        if let entry { onCards.insert(entry.id) }
        let source = try entry.map { try twin(of: $0) ?? $0 }
        return Frame(
            camera: offer.identity.camera, path: offer.identity.path, size: offer.identity.size,
            captureDate: offer.identity.captureDate, isOnCard: true,
            verdict: try entry.map { try verdict(of: $0, isGone: false) }
                ?? verdict(ofUnknown: offer, on: card, rule),
            sha256: source?.sha256, receipts: source?.receipts ?? [], doubts: source?.doubts ?? [])
    }

    /// The ledger has no row of it.
    private func verdict(ofUnknown offer: Offer, on card: ListedCard, _ rule: TakingRule?) throws -> Verdict {
        if let other = try offer.key.flatMap({ try reader.event(havingTaken: $0, besides: event.id) }) {
            return .filtered("downloaded for the event '\(other)'")
        }
        if card.underWay.contains(offer.reference) { return .onItsWay("the bridge has only just seen it") }
        if let moment = offer.identity.takenAt, !offer.isInMemory,
            let objection = rule?.objection(to: moment)
        {
            return Self.verdict(of: objection)
        }
        return .missing("it is on the card and no bridge has taken note of it")
    }

    /// Nothing for what a card has shown, and for what was passed over and is not on a card any more: that was never ours
    /// to deliver.
    private func frame(of entry: LedgerReader.Entry) throws -> Frame? {
        guard !onCards.contains(entry.id), entry.state != .filtered else { return nil }
        let wasLookedAt = entry.camera.map { looked.contains($0) } ?? true
        if wasLookedAt, isNews(entry) { return nil }
        let source = try twin(of: entry) ?? entry
        return Frame(
            camera: entry.camera, path: entry.path, size: entry.size, captureDate: entry.captureDate,
            isOnCard: false,
            verdict: try verdict(of: entry, isGone: wasLookedAt && !entry.isInMemory),
            sha256: source.sha256, receipts: source.receipts, doubts: source.doubts)
    }

    /// Written since no card had been looked at.
    private func isNews(_ entry: LedgerReader.Entry) -> Bool {
        newestBefore.map { entry.id.number > $0.number } ?? true
    }

    private static func unreadable(_ object: PhotoReference, _ reason: String, on card: ListedCard) -> Frame {
        Frame(
            camera: card.camera, path: "object \(object)", size: 0, captureDate: "", isOnCard: true,
            verdict: card.underWay.contains(object)
                ? .onItsWay("the camera does not describe it yet: \(reason)")
                : .missing("the camera lists it and does not describe it: \(reason)"),
            sha256: nil, receipts: [])
    }

    // MARK: Verdicts

    /// The photo that was kept in the place of one with the same content.
    private func twin(of entry: LedgerReader.Entry) throws -> LedgerReader.Entry? {
        try entry.duplicateOf.flatMap { try reader.capture($0) }
    }

    /// What is inside the event's window and left out unasked is missing until the operator says otherwise.
    private static func verdict(of rule: FilterRule) -> Verdict {
        switch rule {
        case .older: .older
        case .unattended: .missing("\(rule.sentence)")
        case .outside, .declined, .kind, .format, .unprotected, .rating, .small, .empty:
            .filtered(rule.rawValue)
        }
    }

    private func verdict(of entry: LedgerReader.Entry, isGone: Bool) throws -> Verdict {
        switch entry.state {
        case .filtered:
            return entry.reason.flatMap { FilterRule(rawValue: $0) }.map { Self.verdict(of: $0) }
                ?? .filtered(entry.reason ?? "by a rule")
        case .lost, .abandoned: return .missing(entry.reason ?? "it could not be fetched")
        case .announced, .receiving:
            return isGone
                ? .missing("it was not fetched and is not on the card any more")
                : .onItsWay("it is being fetched")
        case .duplicate:
            // What counts is what became of the photo that has the same bytes.
            guard let twin = try twin(of: entry), twin.state == .staged else {
                return .missing("the photo with the same content is not there")
            }
            return try verdict(of: twin, isGone: isGone)
        case .staged:
            if !entry.problems.isEmpty {
                return .missing("not delivered: \(entry.problems.joined(separator: "; "))")
            }
            guard !entry.jobs.isEmpty else {
                return entry.isRemoved
                    ? .missing(
                        "its file was let go of when it had been delivered, and the destination that has it is none of the event's "
                            + "any more")
                    : .onItsWay("it is in the spool, and no destination is named")
            }
            return entry.jobs.keys.allSatisfy { $0 == .completed }
                ? .delivered : .onItsWay("it is being delivered")
        }
    }
}
