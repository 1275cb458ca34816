package import Bridge
package import Store

/// Each frame of an event and what became of it: the cameras' cards held against the ledger and the receipts.
package struct Verification: Sendable {
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

    package private(set) var frames: [Frame] = []
    package private(set) var notVerifiable: [(camera: CameraIdentity, reason: String)] = []
    package private(set) var notReachable: [(address: String, reason: String)] = []

    package init() {}

    package func count(_ word: String) -> Int { frames.count { $0.verdict.word == word } }

    /// The ledger's rows before the cards are looked at: what comes meanwhile is nobody's fault.
    package static func known(to reader: LedgerReader, _ event: BridgeEvent) throws -> Set<CaptureID> {
        var known: Set<CaptureID> = []
        try reader.captures(of: event.id) { known.insert($0.id) }
        return known
    }

    /// Holds every card against the ledger's rows, and every row against the cards.
    package static func compare(
        _ surveys: [CardSurvey], with reader: LedgerReader, event: BridgeEvent, known: Set<CaptureID>
    ) throws -> Verification {
        var result = Verification()
        let rows = try Rows(reader, event)
        var onCards: Set<CaptureID> = []
        for survey in surveys {
            switch survey {
            case .notReachable(let address, let reason): result.notReachable.append((address, reason))
            case .notVerifiable(let camera, let reason): result.notVerifiable.append((camera, reason))
            case .card(let camera, let offers, let unreadable):
                let rule = try reader.taking(from: camera, in: event.id)
                for offer in offers {
                    let entry = rows.entry(of: offer)
                    if let entry { onCards.insert(entry.id) }
                    result.frames.append(try frame(of: offer, entry, rows, rule))
                }
                for (handle, reason) in unreadable.sorted(by: { $0.key < $1.key }) {
                    result.frames.append(unreadableFrame(camera, handle, reason))
                }
            }
        }
        let looked = Set(surveys.compactMap(\.camera))
        for (_, camera, address) in try reader.cameras(of: event.id) where !looked.contains(camera) {
            if result.notReachable.contains(where: { $0.address == address }) { continue }
            result.notReachable.append(
                (address, "\(camera) gave photos to this event and was last there; it has not been looked at")
            )
        }
        for entry in rows.entries where !onCards.contains(entry.id) {
            // What was passed over and is not on a card any more was never ours to deliver.
            if entry.state == .filtered { continue }
            let wasLookedAt = entry.camera.map { looked.contains($0) } ?? true
            result.frames.append(
                frame(of: entry, isGone: wasLookedAt && known.contains(entry.id) && !entry.isInMemory, rows))
        }
        return result
    }

    /// The rows of an event, by what a camera says of a photo.
    private struct Rows {
        let entries: [LedgerReader.Entry]
        let byID: [CaptureID: LedgerReader.Entry]
        private let byKey: [String: LedgerReader.Entry]
        /// Those whose size was not known when they were written.
        private let byLook: [String: LedgerReader.Entry]
        let reader: LedgerReader

        init(_ reader: LedgerReader, _ event: BridgeEvent) throws {
            var entries: [LedgerReader.Entry] = []
            try reader.captures(of: event.id) { entries.append($0) }
            self.entries = entries
            self.reader = reader
            byID = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
            byKey = Dictionary(
                entries.compactMap { entry in entry.key.map { ($0, entry) } },
                uniquingKeysWith: { first, _ in first })
            byLook = Dictionary(
                entries.filter { $0.key == nil && !$0.isInMemory }.map {
                    (Self.look($0.camera, $0.path, $0.captureDate), $0)
                }, uniquingKeysWith: { first, _ in first })
        }

        private static func look(_ camera: CameraIdentity?, _ path: String, _ date: String) -> String {
            [camera?.key ?? "", path, date].joined(separator: "\u{1F}")
        }

        func entry(of offer: Offer) -> LedgerReader.Entry? {
            let identity = offer.identity
            return offer.key.flatMap { byKey[$0] }
                ?? byLook[Self.look(identity.camera, identity.path, identity.captureDate)]
        }
    }

    private static func frame(
        of offer: Offer, _ entry: LedgerReader.Entry?, _ rows: Rows, _ rule: TakingRule?
    ) throws -> Frame {
        var verdict = entry.map { Self.verdict(of: $0, isGone: false, rows.byID) }
        if verdict == nil, let other = try offer.key.flatMap({ try rows.reader.event(havingTaken: $0) }) {
            verdict = .filtered("taken for the event '\(other)'")
        }
        if verdict == nil, let moment = offer.identity.takenAt, !offer.isInMemory {
            verdict = rule?.objection(to: moment).map { Self.verdict(of: $0) }
        }
        let source = entry.flatMap { $0.duplicateOf }.flatMap { rows.byID[$0] } ?? entry
        return Frame(
            camera: offer.identity.camera, path: offer.identity.path, size: offer.identity.size,
            captureDate: offer.identity.captureDate, isOnCard: true,
            verdict: verdict ?? .missing("it is on the card and no bridge has taken note of it"),
            sha256: source?.sha256, receipts: source?.receipts ?? [], doubts: source?.doubts ?? [])
    }

    private static func frame(of entry: LedgerReader.Entry, isGone: Bool, _ rows: Rows) -> Frame {
        let source = entry.duplicateOf.flatMap { rows.byID[$0] } ?? entry
        return Frame(
            camera: entry.camera, path: entry.path, size: entry.size, captureDate: entry.captureDate,
            isOnCard: false, verdict: verdict(of: entry, isGone: isGone, rows.byID), sha256: source.sha256,
            receipts: source.receipts, doubts: source.doubts)
    }

    private static func unreadableFrame(_ camera: CameraIdentity, _ handle: PhotoReference, _ reason: String)
        -> Frame
    {
        Frame(
            camera: camera, path: "object \(handle)", size: 0, captureDate: "", isOnCard: true,
            verdict: .missing("the camera lists it and does not describe it: \(reason)"), sha256: nil,
            receipts: [])
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

    private static func verdict(
        of entry: LedgerReader.Entry, isGone: Bool, _ byID: [CaptureID: LedgerReader.Entry]
    ) -> Verdict {
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
            guard let twin = entry.duplicateOf.flatMap({ byID[$0] }), twin.state == .staged else {
                return .missing("the photo with the same content is not there")
            }
            return verdict(of: twin, isGone: isGone, byID)
        case .staged:
            if !entry.problems.isEmpty {
                return .missing("not delivered: \(entry.problems.joined(separator: "; "))")
            }
            guard !entry.jobs.isEmpty else {
                return .onItsWay("it is in the spool, and no destination is named")
            }
            return entry.jobs.keys.allSatisfy { $0 == .completed }
                ? .delivered : .onItsWay("it is being delivered")
        }
    }
}
