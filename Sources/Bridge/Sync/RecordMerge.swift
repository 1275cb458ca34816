public import Basics

/// One record of a gallery and the edits of it that were made here: which of them are still to be sent, how they are dated,
/// and what has become of them. All of it by ``MergeRule``, without a network and without a clock of its own.
///
/// The gallery's record is never changed here; what the operator sees is the record with the waiting edits upon it. An edit
/// that was sent stays until the gallery's record shows what has become of it, so that a lost answer loses no edit: it is
/// sent again, dated the same, and the gallery takes it once.
public struct RecordMerge: Equatable, Sendable {
    public let kind: GalleryRecord.Kind
    public let id: String
    /// As the gallery told it last; nothing while it has not.
    public private(set) var record: GalleryRecord?
    /// In the order in which they were made.
    public private(set) var edits: [LocalEdit]

    public init(_ kind: GalleryRecord.Kind, _ id: String, record: GalleryRecord?, edits: [LocalEdit]) {
        precondition(edits.allSatisfy { $0.record == id && $0.kind == kind }, "edits of another record")
        self.kind = kind
        self.id = id
        self.record = record
        self.edits = edits
    }

    /// A photo returns never, because its files went with it.
    private var mayReturn: Bool { kind != .photo }

    /// Before anything was edited.
    private static let nothingSeen = Timestamp(milliseconds: 0)

    private var waiting: [Int] { edits.indices.filter { edits[$0].standing == .waiting } }

    // MARK: What is seen

    /// The record with the edits that wait; nothing where there is none, or where it is deleted.
    public var content: GalleryRecord.Content? {
        waiting.reduce(record?.content) { edits[$1].edit.applied(to: $0) }
    }

    /// One millisecond after all that an edit that is made now is made upon: the gallery's version, and our own edits that are
    /// dated already.
    public var floor: Timestamp? {
        let dated = waiting.compactMap { edits[$0].stamp } + [record?.version.updatedAt].compactMap { $0 }
        return dated.max().map { $0 + .milliseconds(1) }
    }

    // MARK: What the gallery says

    /// The record as the gallery has it now. `ahead`: how far its clock is ahead of ours, where that is known.
    public mutating func tell(_ told: GalleryRecord, clockAhead ahead: Duration?) {
        precondition(told.id == id && told.kind == kind, "another record")
        record = told
        for index in waiting { lift(index, over: told) }
        for index in waiting { judge(index, over: told, clockAhead: ahead) }
    }

    /// An edit of a photo that was made before its upload knows no version. It is newer than a record that nothing was edited
    /// in, however much later the gallery made that; over what others have edited, the clocks decide.
    private mutating func lift(_ index: Int, over told: GalleryRecord) {
        guard edits[index].floor == nil, edits[index].stamp == nil, edits[index].capture != nil else {
            return
        }
        edits[index].floor =
            told.photo?.isAsUploaded == true ? told.version.updatedAt + .milliseconds(1) : Self.nothingSeen
    }

    private mutating func judge(_ index: Int, over told: GalleryRecord, clockAhead ahead: Duration?) {
        switch verdict(on: index, over: told, clockAhead: ahead) {
        case .accepted: return
        // Without a clock nothing is ahead.
        case .ahead: return
        case .gone: edits[index].standing = .conflict(LocalEdit.Conflict(.deleted))
        case .older, .tie: edits[index].standing = standing(ofLoser: index, over: told, clockAhead: ahead)
        }
    }

    private func verdict(on index: Int, over told: GalleryRecord, clockAhead ahead: Duration?)
        -> MergeRule.Verdict
    {
        let change = RecordChange(edits[index].edit.action, updatedAt: stamp(of: index, clockAhead: ahead))
        return MergeRule.verdict(on: change, over: told.version, at: nil, mayReturn: mayReturn)
    }

    /// What is there already, or was edited here once more, is not lost. A delete that will lose as well covers nothing: the
    /// record stays, and what was said of it before would be gone without a word.
    private func standing(
        ofLoser index: Int, over told: GalleryRecord, clockAhead ahead: Duration?
    ) -> LocalEdit.Standing {
        let later = waiting.filter { later in
            later > index
                && (edits[later].edit.action != .delete
                    || verdict(on: later, over: told, clockAhead: ahead) == .accepted)
        }
        let without = later.reduce(told.content) { edits[$1].edit.applied(to: $0) }
        let with = ([index] + later).reduce(told.content) { edits[$1].edit.applied(to: $0) }
        if with == without { return .settled }
        return .conflict(LocalEdit.Conflict(told.content == nil ? .deleted : .newer))
    }

    /// What the gallery would not take. Dated ahead, it takes it later.
    public mutating func refuse(_ id: EditID, _ refusal: SyncRejection) {
        guard let index = edits.firstIndex(where: { $0.id == id && $0.standing == .waiting }) else { return }
        switch refusal.code {
        case SyncRejection.clockAhead: edits[index].isAhead = true
        case SyncRejection.gone:
            edits[index].standing = .conflict(LocalEdit.Conflict(.deleted, refusal.message))
        default: edits[index].standing = .conflict(LocalEdit.Conflict(.refused, refusal.message))
        }
    }

    // MARK: What is sent

    /// When the edit is dated: by the gallery's clock, after what it edits, and after our own edits before it.
    private func stamp(of index: Int, clockAhead ahead: Duration?) -> Timestamp {
        if let stamp = edits[index].stamp { return stamp }
        var stamp = edits[index].madeAt + EditClock.correction(ahead)
        if let floor = edits[index].floor { stamp = max(stamp, floor) }
        if let own = waiting.last(where: { $0 < index }) {
            stamp = max(stamp, self.stamp(of: own, clockAhead: ahead) + .milliseconds(1))
        }
        return stamp
    }

    /// The edit that is sent next, dated from now on as it is. One of a record at a time: what is refused is told by the
    /// record's id alone. Nothing where nothing waits, or where it is dated ahead of the gallery's clock.
    ///
    /// `now`: the gallery's clock, where it is known.
    public mutating func next(at now: Timestamp?, clockAhead ahead: Duration?) -> OutgoingChange? {
        guard let index = waiting.first else { return nil }
        // A photo comes by its upload: until the gallery tells of it nothing is known of it.
        guard record != nil || kind == .album else { return nil }
        let stamp = stamp(of: index, clockAhead: ahead)
        if let now, stamp > now + MergeRule.mostAhead {
            edits[index].isAhead = true
            return nil
        }
        edits[index].stamp = stamp
        edits[index].isAhead = false
        // Once it is settled it is not there to be looked at.
        for later in waiting where later > index {
            edits[later].floor = max(edits[later].floor ?? stamp, stamp + .milliseconds(1))
        }
        let edit = edits[index].edit
        return OutgoingChange(
            edit: edits[index].id, kind: kind, record: id,
            change: RecordChange(edit.action, updatedAt: stamp),
            data: edit.data(of: edit.applied(to: record?.content)))
    }
}

/// One change on its way to a gallery.
public struct OutgoingChange: Equatable, Sendable {
    public let edit: EditID
    public let kind: GalleryRecord.Kind
    public let record: String
    public let change: RecordChange
    /// Nothing for a delete.
    public let data: JSONValue?

    public init(
        edit: EditID, kind: GalleryRecord.Kind, record: String, change: RecordChange, data: JSONValue?
    ) {
        self.edit = edit
        self.kind = kind
        self.record = record
        self.change = change
        self.data = data
    }

    /// As the gallery reads it.
    public var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("type", .string(kind.rawValue)), ("action", .string(change.action.rawValue)),
            ("id", .string(record)),
            ("updatedAt", .string(CivilTime.rfc3339(milliseconds: change.updatedAt.milliseconds))),
        ]
        if change.action == .upsert { members.append(("data", data ?? .object([]))) }
        return .object(members)
    }
}

/// What a gallery would not take, by its own words.
public struct SyncRejection: Equatable, Sendable {
    public static let clockAhead = "CLOCK_AHEAD"
    public static let gone = "GONE"

    /// Nothing where not even that could be read.
    public let record: String?
    public let code: String
    public let message: String

    public init(record: String?, code: String, message: String) {
        self.record = record
        self.code = code
        self.message = message
    }
}
