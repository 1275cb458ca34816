import Basics
import Bridge
import Store

/// One photo as a tile shows it: where it stands in a word, and what is the matter in a sentence.
struct HudPhoto: Equatable {
    /// As colours tell it.
    enum Standing: String {
        /// Bytes of it come from its camera, or are waited for.
        case arriving
        /// It is here, and goes to where it is wanted.
        case onItsWay
        case delivered
        /// It waits for the operator.
        case failed
        /// It is here, and nothing more is wanted of it.
        case kept
        /// It is not here, and nothing comes: lost, given up for now, left out by a rule, the same as another one.
        case aside
    }

    let entry: LedgerReader.Entry
    /// The gallery's id of it, where its receipt names one.
    let atGallery: String?
    var mark: HudTileMark?

    /// `gallery` is the destination that pictures may be had from.
    init(entry: LedgerReader.Entry, gallery: String?) {
        self.entry = entry
        let receipt = gallery.flatMap { url in entry.receipts.first { $0.url == url } }
        atGallery = receipt.flatMap { Receipt(noted: $0.receipt)?.photoID }
    }

    private var cancelled: Int {
        entry.problems.count {
            $0 == JobChange.cancelledByOperator || $0 == JobChange.cancelledWithDestination
        }
    }

    private var failed: Int { entry.jobs[.failedPermanent, default: 0] - cancelled }

    var standing: Standing {
        switch entry.state {
        case .announced, .receiving: return .arriving
        case .filtered, .duplicate: return .aside
        case .lost, .abandoned: return .failed
        case .staged: break
        }
        if failed > 0 { return .failed }
        let open = entry.jobs.filter { $0.key != .completed && $0.key != .failedPermanent }
        if !open.isEmpty { return .onItsWay }
        return entry.jobs[.completed, default: 0] > 0 ? .delivered : .kept
    }

    /// What a tile says under its picture.
    var word: String {
        switch standing {
        case .arriving: entry.state == .announced ? "on the camera" : "arriving"
        case .onItsWay:
            if entry.jobs[.failedRetryable, default: 0] > 0 {
                "tried again"
            } else {
                entry.jobs[.uploadedAwaitingProcessing, default: 0] > 0 ? "processing" : "on its way"
            }
        case .delivered: "delivered"
        case .failed: entry.state == .staged ? "failed" : entry.state.words
        case .kept: cancelled > 0 ? "cancelled" : "kept here"
        case .aside: entry.state == .filtered ? "left out" : entry.state.words
        }
    }

    private var problem: String? {
        entry.problems.first {
            $0 != JobChange.cancelledByOperator && $0 != JobChange.cancelledWithDestination
        }
            ?? entry.reason.flatMap { FilterRule(rawValue: $0)?.sentence ?? $0 } ?? entry.doubts.sentence
    }

    /// The local file's name, while it is there.
    var file: String? { entry.state == .staged && !entry.isRemoved ? entry.file : nil }

    /// Under which its pictures are asked for: other bytes have another one. Nothing while there are none.
    var pictureKey: String? {
        guard file != nil || entry.state == .staged && atGallery != nil else { return nil }
        return entry.sha256.map { String($0.prefix(16)) }
    }

    var json: JSONValue {
        let name = entry.path.split(separator: "/").last.map(String.init) ?? entry.path
        return [
            "id": .integer(entry.id.number), "name": .string(name), "path": .string(entry.path),
            "camera": .optional(entry.camera) { .string("\($0)") },
            // What the camera's clock showed.
            "shot": .optional(CivilTime(ptp: entry.captureDate)) {
                .string(CivilTime.rfc3339(milliseconds: $0.secondsSince1970 * 1000).replacing("Z", with: ""))
            },
            "size": .unsigned(entry.stagedSize ?? entry.size), "standing": .string(standing.rawValue),
            "word": .string(word), "problem": .optional(problem, JSONValue.string),
            "picture": .optional(pictureKey, JSONValue.string),
            "rating": .integer(Int64(mark?.rating ?? 0)), "hidden": .bool(mark?.isHidden ?? false),
            // The camera's own picture is in the local file only.
            "isHere": .bool(file != nil),
        ]
    }
}
