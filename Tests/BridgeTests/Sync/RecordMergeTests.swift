import Basics
import Bridge
import Testing

/// What becomes of the edits of one record, without a network and without a disk.
@Suite struct RecordMergeTests {
    private let start = Timestamp(milliseconds: 1_795_000_000_000)
    private let photo = "photo-1"

    private func at(_ milliseconds: Int64) -> Timestamp { start + .milliseconds(milliseconds) }

    private func told(_ moment: Int64, _ change: (inout GalleryRecord.Photo) -> Void = { _ in })
        -> GalleryRecord
    {
        var content = GalleryRecord.Photo(event: "event-1")
        change(&content)
        return GalleryRecord(
            .photo, photo, version: RecordVersion(updatedAt: at(moment)), content: .photo(content))
    }

    private func deleted(_ moment: Int64) -> GalleryRecord {
        GalleryRecord(
            .photo, photo, version: RecordVersion(updatedAt: at(moment), deletedAt: at(moment)), content: nil)
    }

    private func edit(
        _ number: Int64, at moment: Int64, floor: Int64? = nil, capture: Int64? = nil,
        _ change: (inout PhotoEdit) -> Void
    ) -> LocalEdit {
        var edit = PhotoEdit()
        change(&edit)
        return LocalEdit(
            id: EditID(number), kind: .photo, record: photo, capture: capture.map { CaptureID($0) },
            edit: .photo(edit), madeAt: at(moment), floor: floor.map(at))
    }

    private func merge(_ record: GalleryRecord?, _ edits: LocalEdit...) -> RecordMerge {
        RecordMerge(.photo, photo, record: record, edits: edits)
    }

    @Test("what is seen is the gallery's record with what waits upon it")
    func view() {
        let merge = merge(
            told(0) {
                $0.caption = "Theirs"
                $0.tags = ["dance"]
            }, edit(1, at: 10) { $0.rating = 4 },
            edit(2, at: 20) {
                $0.addedTags = ["cake"]
                $0.removedTags = ["dance"]
            })
        guard case .photo(let seen) = merge.content else {
            Issue.record("\(String(describing: merge.content))")
            return
        }
        #expect(seen.caption == "Theirs" && seen.rating == 4 && seen.tags == ["cake"])
    }

    @Test("an edit goes with what it changes alone, and lists as a whole")
    func outgoing() {
        var merge = merge(
            told(0) {
                $0.caption = "Theirs"
                $0.tags = ["dance"]
            },
            edit(7, at: 10) {
                $0.rating = 4
                $0.addedTags = ["cake"]
            })
        let change = merge.next(at: at(10), clockAhead: .zero)
        #expect(change?.edit == EditID(7) && change?.change.updatedAt == at(10))
        #expect(change?.data == ["rating": .integer(4), "tags": ["dance", "cake"]])
        #expect(
            change?.json.compact
                == #"{"type":"photo","action":"upsert","id":"photo-1","updatedAt":"2026-11-18T11:06:40.010Z","data":{"rating":4,"tags":["dance","cake"]}}"#
        )
    }

    @Test("an edit that was sent stays until the record shows it, and is sent again dated the same")
    func lostAnswer() {
        var merge = merge(told(0), edit(1, at: 10) { $0.caption = "Ours" })
        let first = merge.next(at: at(10), clockAhead: .zero)
        // The clock is set meanwhile, by hours.
        let second = merge.next(at: at(20), clockAhead: .seconds(7200))
        #expect(first != nil && first == second)
        merge.tell(told(10) { $0.caption = "Ours" }, clockAhead: .zero)
        #expect(merge.edits[0].standing == .settled)
    }

    @Test("a newer change elsewhere wins, and the edit is kept as a conflict; what it shows already is none")
    func newer() {
        for (caption, standing) in [
            ("Theirs", LocalEdit.Standing.conflict(.init(.newer))), ("Ours", .settled),
        ] {
            var merge = merge(told(0), edit(1, at: 10, floor: 1) { $0.caption = "Ours" })
            merge.tell(told(11) { $0.caption = caption }, clockAhead: .zero)
            #expect(merge.edits[0].standing == standing)
            #expect(merge.next(at: at(20), clockAhead: .zero) == nil)
        }
    }

    @Test("made in the same millisecond, the gallery's stays")
    func tie() {
        var merge = merge(told(0), edit(1, at: 10, floor: 1) { $0.caption = "Ours" })
        merge.tell(told(10) { $0.caption = "Theirs" }, clockAhead: .zero)
        #expect(merge.edits[0].standing == .conflict(LocalEdit.Conflict(.newer)))
    }

    @Test("an older change elsewhere is seen below the edit, which goes on waiting")
    func older() {
        var merge = merge(told(0), edit(1, at: 10, floor: 1) { $0.caption = "Ours" })
        merge.tell(
            told(9) {
                $0.caption = "Theirs"
                $0.rating = 2
            }, clockAhead: .zero)
        #expect(merge.edits[0].standing == .waiting)
        #expect(
            merge.content
                == told(9) {
                    $0.caption = "Ours"
                    $0.rating = 2
                }.content)
    }

    @Test("what was edited here once more is not told as lost")
    func superseded() {
        var merge = merge(
            told(0), edit(1, at: 10, floor: 1) { $0.caption = "First" },
            edit(2, at: 20, floor: 1) { $0.caption = "Second" })
        merge.tell(told(15) { $0.caption = "Theirs" }, clockAhead: .zero)
        #expect(merge.edits.map(\.standing) == [.settled, .waiting])
    }

    @Test(
        "what was edited before a delete is told as lost where the delete is lost as well",
        arguments: [(50, true), (15, false)] as [(Int64, Bool)])
    func beforeDelete(theirs: Int64, isLost: Bool) {
        let delete = LocalEdit(
            id: EditID(2), kind: .photo, record: photo, edit: .delete, madeAt: at(20), floor: at(1))
        var merge = merge(told(0), edit(1, at: 10, floor: 1) { $0.caption = "Ours" }, delete)
        merge.tell(told(theirs) { $0.caption = "Theirs" }, clockAhead: .zero)
        #expect(
            merge.edits.map(\.standing)
                == (isLost
                    ? [.conflict(.init(.newer)), .conflict(.init(.newer))] : [.settled, .waiting]))
    }

    @Test("an edit is newer than what it edits, however far behind our clock is")
    func floor() {
        var merge = merge(told(60_000), edit(1, at: 10, floor: 60_001) { $0.caption = "Ours" })
        #expect(merge.floor == at(60_001))
        #expect(merge.next(at: at(0), clockAhead: .zero)?.change.updatedAt == at(60_001))
    }

    @Test("two edits in a row stay in their order where the clock is set back between them")
    func ownOrder() {
        var merge = merge(
            told(0), edit(1, at: 5000, floor: 1) { $0.rating = 1 },
            edit(2, at: 20, floor: 1) { $0.rating = 2 })
        #expect(merge.next(at: at(5000), clockAhead: .zero)?.change.updatedAt == at(5000))
        merge.tell(told(5000) { $0.rating = 1 }, clockAhead: .zero)
        #expect(merge.edits.map(\.standing) == [.settled, .waiting])
        #expect(merge.next(at: at(5000), clockAhead: .zero)?.change.updatedAt == at(5001))
    }

    @Test(
        "a clock that is an hour wrong is corrected by the gallery's, a second is not",
        arguments: [-3600, 1, 3600])
    func correction(seconds: Int64) {
        var merge = merge(told(0), edit(1, at: 10_000_000) { $0.rating = 3 })
        let ahead = Duration.seconds(seconds)
        let change = merge.next(at: at(10_000_000) + ahead, clockAhead: ahead)
        let wanted = at(10_000_000) + (seconds == 1 ? .zero : ahead)
        #expect(change?.change.updatedAt == wanted)
    }

    @Test("dated more than five minutes ahead of the gallery, it waits for its time and is not sent")
    func ahead() {
        var merge = merge(told(0), edit(1, at: 600_000) { $0.rating = 3 })
        #expect(merge.next(at: at(299_999), clockAhead: .zero) == nil)
        #expect(merge.edits[0].isAhead && merge.edits[0].standing == .waiting && merge.edits[0].stamp == nil)
        #expect(merge.next(at: at(300_000), clockAhead: .zero)?.change.updatedAt == at(600_000))
        #expect(!merge.edits[0].isAhead)
    }

    @Test("refused for its date it waits, refused otherwise it is a conflict with the gallery's words")
    func refused() {
        for (code, standing) in [
            ("CLOCK_AHEAD", LocalEdit.Standing.waiting), ("GONE", .conflict(.init(.deleted, "words"))),
            ("NOT_FOUND", .conflict(.init(.refused, "words"))), ("", .conflict(.init(.refused, "words"))),
        ] {
            var merge = merge(told(0), edit(1, at: 10) { $0.rating = 3 })
            _ = merge.next(at: at(10), clockAhead: .zero)
            merge.refuse(EditID(1), SyncRejection(record: photo, code: code, message: "words"))
            #expect(merge.edits[0].standing == standing, "\(code)")
            #expect(merge.edits[0].isAhead == (code == "CLOCK_AHEAD"))
        }
    }

    @Test("a photo that was deleted does not come back, and the edit of it is a conflict")
    func gone() {
        var merge = merge(told(0), edit(1, at: 10) { $0.rating = 3 })
        merge.tell(deleted(5), clockAhead: .zero)
        #expect(merge.edits[0].standing == .conflict(LocalEdit.Conflict(.deleted)))
        #expect(merge.content == nil)
    }

    @Test("a delete that was made elsewhere as well is settled")
    func bothDeleted() {
        let edit = LocalEdit(id: EditID(1), kind: .photo, record: photo, edit: .delete, madeAt: at(10))
        var merge = merge(told(0), edit)
        #expect(merge.content == nil)
        merge.tell(deleted(20), clockAhead: .zero)
        #expect(merge.edits[0].standing == .settled)
    }

    @Test(
        "an edit made before the upload wins over the gallery's empty record, and not over what others edited"
    )
    func beforeUpload() {
        var first = merge(nil, edit(1, at: 10, capture: 4) { $0.rating = 5 })
        #expect(first.next(at: at(50_000), clockAhead: .zero) == nil, "the gallery has not told of the photo")
        first.tell(told(50_000), clockAhead: .zero)
        #expect(first.next(at: at(50_000), clockAhead: .zero)?.change.updatedAt == at(50_001))
        var second = merge(nil, edit(1, at: 10, capture: 4) { $0.rating = 5 })
        second.tell(told(50_000) { $0.caption = "Theirs" }, clockAhead: .zero)
        #expect(second.edits[0].standing == .conflict(LocalEdit.Conflict(.newer)))
        // What was made later than theirs is newer by the clocks.
        var third = merge(nil, edit(1, at: 60_000, capture: 4) { $0.rating = 5 })
        third.tell(told(50_000) { $0.caption = "Theirs" }, clockAhead: .zero)
        #expect(third.edits[0].standing == .waiting)
    }

    @Test("an edit that is empty, or that no gallery takes, is refused when it is made")
    func objections() {
        func objection(_ change: (inout PhotoEdit) -> Void) -> String? {
            var edit = PhotoEdit()
            change(&edit)
            return RecordEdit.photo(edit).objection
        }
        #expect(objection { _ in } != nil)
        #expect(objection { $0.rating = 6 } != nil && objection { $0.rating = -1 } != nil)
        #expect(objection { $0.caption = String(repeating: "é", count: 2001) } != nil)
        #expect(objection { $0.caption = String(repeating: "é", count: 2000) } == nil)
        #expect(
            objection { $0.caption = "two\nlines" } == nil && objection { $0.caption = "\u{1B}[2J" } != nil)
        #expect(
            objection { $0.addedTags = ["two\nlines"] } != nil && objection { $0.addedTags = [""] } != nil)
        #expect(objection { $0.addedTags = (0..<51).map { "\($0)" } } != nil)
        #expect(objection { $0.caption = "" } == nil, "a caption is taken away with an empty one")
        #expect(RecordEdit.album(.init(event: "e", name: "")).objection != nil)
    }

    @Test("what is kept of an edit and of a record is read as it was written")
    func roundTrip() throws {
        var edit = PhotoEdit()
        edit.caption = "“Ann” \\ Ben\n"
        edit.rating = 0
        edit.isHidden = false
        edit.addedTags = ["a,b"]
        edit.removedTags = ["c"]
        edit.addedAlbums = ["x"]
        edit.removedAlbums = ["y"]
        for edit: RecordEdit in [.photo(edit), .delete, .album(.init(event: "e", name: "N", order: -3))] {
            #expect(try RecordEdit(try JSON5.parse(edit.json.compact)) == edit)
        }
        let record = told(0) {
            $0.tags = ["t"]
            $0.fileName = "A.JPG"
            $0.sequence = 9
            $0.thumbKey = "k"
        }
        let content = try #require(record.content)
        #expect(try GalleryRecord.Content(.photo, try JSON5.parse(content.json.compact)) == content)
    }

    @Test(
        "an answer that no gallery gives is refused, and the reason named",
        arguments: [
            (#"{}"#, "type"), (#"{"type":"guest","action":"upsert"}"#, "type"),
            (
                #"{"type":"photo","action":"upsert","id":"../x","updatedAt":"2026-11-18T13:20:00.010Z","data":{}}"#,
                "id"
            ),
            (#"{"type":"photo","action":"upsert","id":"x","updatedAt":"yesterday","data":{}}"#, "updatedAt"),
            (
                #"{"type":"photo","action":"upsert","id":"x","updatedAt":"9999-12-31T23:59:59.999Z","data":{}}"#,
                "updatedAt"
            ),
            (#"{"type":"photo","action":"sell","id":"x","updatedAt":"2026-11-18T13:20:00.010Z"}"#, "action"),
            (#"{"type":"photo","action":"upsert","id":"x","updatedAt":"2026-11-18T13:20:00.010Z"}"#, "data"),
            (
                #"{"type":"photo","action":"upsert","id":"x","updatedAt":"2026-11-18T13:20:00.010Z","data":{"eventId":"e","rating":9}}"#,
                "rating"
            ),
            (
                #"{"type":"photo","action":"upsert","id":"x","updatedAt":"2026-11-18T13:20:00.010Z","data":{"eventId":"e","tags":"all"}}"#,
                "tags"
            ),
            (
                #"{"type":"photo","action":"upsert","id":"x","updatedAt":"2026-11-18T13:20:00.010Z","data":{"eventId":"e","hidden":1}}"#,
                "hidden"
            ),
        ])
    func hostile(text: String, field: String) throws {
        let json = try JSON5.parse(text)
        do throws(GalleryRecord.Unreadable) {
            _ = try GalleryRecord(told: json)
            Issue.record("it was read")
        } catch {
            #expect(error.description.contains("'\(field)'"))
        }
    }
}
