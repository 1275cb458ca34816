package import Bridge
package import Store

/// Each frame of an event and what became of it: the cameras' cards held against the ledger and the receipts.
package struct Verification: Sendable {
    package enum Verdict: Equatable, Sendable {
        /// Every destination has given its receipt.
        case delivered
        /// It is being fetched or delivered, or no destination has been named.
        case onItsWay(String)
        case filtered(FilterRule?)
        case missing(String)

        package var word: String {
            switch self {
            case .delivered: "delivered"
            case .onItsWay: "onItsWay"
            case .filtered: "filtered"
            case .missing: "missing"
            }
        }

        package var reason: String? {
            switch self {
            case .delivered: nil
            case .onItsWay(let reason), .missing(let reason): reason
            case .filtered(let rule): rule?.rawValue ?? "by a rule"
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
    }

    package private(set) var frames: [Frame] = []
    package private(set) var notVerifiable: [(camera: CameraIdentity, reason: String)] = []
    package private(set) var notReachable: [(address: String, reason: String)] = []

    package init() {}

    package func count(_ word: String) -> Int { frames.count { $0.verdict.word == word } }

    /// Holds every card against the ledger's rows, and every row against the cards.
    package static func compare(
        _ surveys: [CardSurvey], with reader: LedgerReader, event: BridgeEvent
    ) throws -> Verification {
        var result = Verification()
        var entries: [LedgerReader.Entry] = []
        try reader.captures(of: event.id) { entries.append($0) }
        let byID = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
        let byKey = Dictionary(
            entries.compactMap { entry in entry.key.map { ($0, entry) } },
            uniquingKeysWith: { first, _ in first })
        var onCards: Set<CaptureID> = []
        for survey in surveys {
            switch survey {
            case .notReachable(let address, let reason): result.notReachable.append((address, reason))
            case .notVerifiable(let camera, let reason): result.notVerifiable.append((camera, reason))
            case .card(let camera, let offers, let unreadable):
                for offer in offers {
                    let entry = offer.key.flatMap { byKey[$0] }
                    if let entry { onCards.insert(entry.id) }
                    result.frames.append(frame(of: offer, entry, byID))
                }
                for (handle, reason) in unreadable.sorted(by: { $0.key < $1.key }) {
                    result.frames.append(unreadableFrame(camera, handle, reason))
                }
            }
        }
        for entry in entries where !onCards.contains(entry.id) {
            // What was passed over and is not on a card any more was never ours to deliver.
            if entry.state == .filtered { continue }
            result.frames.append(frame(of: entry, byID))
        }
        return result
    }

    private static func frame(
        of offer: Offer, _ entry: LedgerReader.Entry?, _ byID: [CaptureID: LedgerReader.Entry]
    ) -> Frame {
        Frame(
            camera: offer.identity.camera, path: offer.identity.path, size: offer.identity.size,
            captureDate: offer.identity.captureDate, isOnCard: true,
            verdict: entry.map { verdict(of: $0, isOnCard: true, byID) }
                ?? .missing("it is on the card and no bridge has taken note of it"),
            sha256: entry?.sha256, receipts: entry?.receipts ?? [])
    }

    private static func frame(
        of entry: LedgerReader.Entry, _ byID: [CaptureID: LedgerReader.Entry]
    ) -> Frame {
        Frame(
            camera: entry.camera, path: entry.path, size: entry.size, captureDate: entry.captureDate,
            isOnCard: false, verdict: verdict(of: entry, isOnCard: false, byID), sha256: entry.sha256,
            receipts: entry.receipts)
    }

    private static func unreadableFrame(_ camera: CameraIdentity, _ handle: UInt32, _ reason: String) -> Frame
    {
        Frame(
            camera: camera, path: "object \(handle)", size: 0, captureDate: "", isOnCard: true,
            verdict: .missing("the camera lists it and does not describe it: \(reason)"), sha256: nil,
            receipts: [])
    }

    private static func verdict(
        of entry: LedgerReader.Entry, isOnCard: Bool, _ byID: [CaptureID: LedgerReader.Entry]
    ) -> Verdict {
        switch entry.state {
        case .filtered: return .filtered(entry.reason.flatMap { FilterRule(rawValue: $0) })
        case .lost, .abandoned: return .missing(entry.reason ?? "it could not be fetched")
        case .announced, .receiving:
            return isOnCard
                ? .onItsWay("it is being fetched")
                : .missing("it was not fetched and is not on the card any more")
        case .duplicate:
            // What counts is what became of the photo that has the same bytes.
            guard let twin = entry.duplicateOf.flatMap({ byID[$0] }), twin.state == .staged else {
                return .missing("the photo with the same content is not there")
            }
            return verdict(of: twin, isOnCard: isOnCard, byID)
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
