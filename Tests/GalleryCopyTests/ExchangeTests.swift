import Basics
import Bridge
import GalleryCopy
import TestSupport
import Testing

/// A copy and a gallery that says what the test has laid out.
@Suite struct ExchangeTests {
    private let ground: CopyGround

    init() throws {
        ground = try CopyGround()
    }

    private func wish(
        _ record: String? = CopyGround.photo, capture: Int64? = nil, _ change: (inout PhotoEdit) -> Void
    ) -> EditWish {
        var edit = PhotoEdit()
        change(&edit)
        return EditWish(.photo, record: record, capture: capture.map { CaptureID($0) }, .photo(edit))
    }

    private func exchange(
        _ copy: GalleryCopy, _ place: CopyPlaceID, _ gallery: ScriptedGallery,
        confirmed: [Int64: String] = [:]
    ) async throws(SyncFailure) {
        do {
            _ = try await copy.exchange(at: place, with: gallery) { confirmed[$0.number] }
        } catch let failure as SyncFailure {
            throw failure
        } catch {
            Issue.record(error)
        }
    }

    private func rating(_ copy: GalleryCopy, _ place: CopyPlaceID, _ id: String = CopyGround.photo)
        async throws
        -> Int?
    {
        guard case .photo(let photo) = try await copy.content(.photo, id, at: place) else { return nil }
        return photo.rating
    }

    @Test("what the gallery told is there without it, after a restart too, and is asked for from there on")
    func pulled() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let gallery = ScriptedGallery(
            SyncAnswer.told([ground.told { $0.rating = 3 }], stamp: 5, isMore: true),
            SyncAnswer.told(stamp: 6))
        try await exchange(copy, place, gallery)
        #expect(gallery.asked.map(\.since) == [nil, CopyWall.start + .milliseconds(5)])
        try await copy.end()
        let again = ground.open()
        #expect(try await rating(again, place) == 3)
        #expect(try await again.places().first?.stamp == CopyWall.start + .milliseconds(6))
        #expect(try await again.counts(of: place) == CopyCounts(photos: 1))
    }

    @Test("of an account's events the copy keeps its own")
    func otherEvents() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let foreign = GalleryRecord(
            .photo, "other", version: RecordVersion(updatedAt: CopyWall.start),
            content: .photo(GalleryRecord.Photo(event: "another")))
        let gone = GalleryRecord(
            .photo, "gone", version: RecordVersion(updatedAt: CopyWall.start, deletedAt: CopyWall.start),
            content: nil)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([foreign, gone, ground.told()])))
        #expect(try await copy.counts(of: place).photos == 1)
        #expect(try await copy.content(.photo, "other", at: place) == nil)
    }

    @Test(
        "edits made without an uplink are seen at once, wait through failures and restarts, and go when there is one"
    )
    func waits() async throws {
        var copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()])))
        ground.wall.go(.seconds(60))
        let made = try await copy.edit([wish { $0.rating = 4 }], at: place)
        #expect(try await rating(copy, place) == 4)
        let down = ScriptedGallery(.failure(.passing("no route")), .failure(.operatorNeeded("log in again")))
        for sentence in ["no route", "log in again"] {
            await #expect(throws: SyncFailure.self) { try await exchange(copy, place, down) }
            let state = try #require(try await copy.places().first)
            #expect(state.problem == sentence && state.problemAt == CopyWall.start + .seconds(60))
        }
        try await copy.end()
        copy = ground.open()
        #expect(try await copy.entries(at: place, limit: 10).map(\.edit.id) == made)
        let stamp = CopyWall.start + .seconds(60)
        let up = ScriptedGallery(
            SyncAnswer.told(stamp: 1), SyncAnswer.told([ground.told(at: stamp) { $0.rating = 4 }], stamp: 9))
        try await exchange(copy, place, up)
        #expect(up.asked.last?.changes.map(\.change.updatedAt) == [stamp])
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1))
        let state = try #require(try await copy.places().first)
        #expect(state.problem == nil && state.problemAt == nil && state.syncedAt == stamp)
    }

    @Test("an answer that is lost after the gallery took the edit makes no second edit, and no conflict")
    func lostAnswer() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()])))
        ground.wall.go(.seconds(60))
        _ = try await copy.edit([wish { $0.rating = 4 }], at: place)
        let cut = ScriptedGallery(SyncAnswer.told(), .failure(.passing("cut")))
        await #expect(throws: SyncFailure.self) { try await exchange(copy, place, cut) }
        let stamp = try #require(cut.asked.last?.changes.first?.change.updatedAt)
        // The gallery has it, and tells so with the next pull: nothing is left to be sent.
        let up = ScriptedGallery(SyncAnswer.told([ground.told(at: stamp) { $0.rating = 4 }], stamp: 9))
        try await exchange(copy, place, up)
        #expect(up.asked.count == 1)
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1))
    }

    @Test("what lost stays as a conflict; made again it is newer than what it lost to; dropped it is gone")
    func conflicts() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()])))
        _ = try await copy.edit([wish { $0.rating = 4 }, wish { $0.caption = "Ours" }], at: place)
        let newer = CopyWall.start + .seconds(30)
        try await exchange(
            copy, place,
            ScriptedGallery(SyncAnswer.told([ground.told(at: newer) { $0.rating = 1 }], stamp: 9)))
        let conflicts = try await copy.entries(at: place, conflicts: true, limit: 10).map(\.edit)
        #expect(conflicts.map(\.standing) == Array(repeating: .conflict(.init(.newer)), count: 2))
        #expect(try await rating(copy, place) == 1)
        let again = try #require(try await copy.makeAgain(conflicts[0].id))
        #expect(try await rating(copy, place) == 4 && again != conflicts[0].id)
        let gallery = ScriptedGallery(
            SyncAnswer.told(stamp: 9),
            SyncAnswer.told([ground.told(at: newer + .milliseconds(1)) { $0.rating = 4 }], stamp: 10))
        try await exchange(copy, place, gallery)
        #expect(gallery.asked.last?.changes.first?.change.updatedAt == newer + .milliseconds(1))
        #expect(try await copy.drop(conflicts[1].id))
        #expect(try await copy.drop(conflicts[1].id) == false)
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1))
    }

    @Test("an edit of a photo that is not uploaded yet waits for its receipt, and wins over the new record")
    func beforeUpload() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        _ = try await copy.edit([wish(nil, capture: 17) { $0.rating = 5 }], at: place)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told()))
        #expect(try await copy.counts(of: place) == CopyCounts(waiting: 1, withoutUpload: 1))
        ground.wall.go(.seconds(3600))
        let born = ground.wall.wallNow
        let gallery = ScriptedGallery(
            SyncAnswer.told([ground.told(at: born)], stamp: 9),
            SyncAnswer.told([ground.told(at: born + .milliseconds(1)) { $0.rating = 5 }], stamp: 10))
        try await exchange(copy, place, gallery, confirmed: [17: CopyGround.photo])
        #expect(gallery.asked.last?.changes.first?.change.updatedAt == born + .milliseconds(1))
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1))
    }

    @Test(
        "what is said of every photo is said once, and gives way to the operator and to a host who was quicker"
    )
    func saidOfEvery() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let (capture, other) = (CaptureID(7), CaptureID(8))
        var said = PhotoEdit()
        said.caption = "by the settings"
        said.addedTags = ["football", "dance"]
        var rated = PhotoEdit()
        rated.caption = "by the operator"
        rated.removedTags = ["dance"]
        _ = try await copy.edit([EditWish(.photo, record: nil, capture: capture, .photo(rated))], at: place)
        for _ in 0..<2 {
            try await copy.say(said, of: capture, at: place)
            try await copy.say(said, of: other, at: place)
        }
        let edits = try await copy.entries(at: place, limit: 10).map(\.edit)
        var tag = PhotoEdit()
        tag.addedTags = ["football"]
        #expect(edits.map(\.capture) == [capture, capture, other])
        #expect(edits.map(\.edit) == [.photo(rated), .photo(tag), .photo(said)])

        // A host has captioned the photo between its upload and our next exchange.
        ground.wall.go(.seconds(60))
        let record = "00000000-0000-4000-8000-0000000000bb"
        let host = ground.told(record, at: CopyWall.start + .seconds(30)) { $0.caption = "by the host" }
        let gallery = ScriptedGallery(SyncAnswer.told([host]))
        _ = try await copy.exchange(at: place, with: gallery) { $0 == other ? record : nil }
        guard case .photo(let photo) = try await copy.content(.photo, record, at: place) else {
            Issue.record("there is no such photo")
            return
        }
        #expect(photo.caption == "by the host")
        #expect(gallery.asked.count == 1, "nothing was sent over the host's")
        #expect(try await copy.entries(at: place, conflicts: true, limit: 10).map(\.edit.capture) == [other])
    }

    @Test("a photo goes into an album that is made here once the gallery has the album")
    func albumFirst() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()])))
        ground.wall.go(.seconds(1))
        let album = try await copy.album(named: "Church", at: place)
        #expect(try await copy.album(named: "Church", at: place) == album)
        _ = try await copy.edit([wish { $0.addedAlbums = [album] }], at: place)
        let now = RecordVersion(updatedAt: ground.wall.wallNow)
        let made = GalleryRecord(
            .album, album, version: now, content: .album(.init(event: CopyGround.event, name: "Church")))
        let gallery = ScriptedGallery(
            SyncAnswer.told(), SyncAnswer.told([made], stamp: 9),
            SyncAnswer.told([ground.told(at: now.updatedAt) { $0.albums = [album] }], stamp: 10))
        try await exchange(copy, place, gallery)
        #expect(gallery.asked.map { $0.changes.map(\.kind) } == [[], [.album], [.photo]])
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1, albums: 1))
    }

    @Test("another account's records go with the first account, and the edits stay")
    func otherAccount() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()], stamp: 9)))
        _ = try await copy.edit([wish { $0.rating = 4 }], at: place)
        let gallery = ScriptedGallery(SyncAnswer.told(stamp: 2))
        gallery.use("ben")
        try await exchange(copy, place, gallery)
        #expect(gallery.asked.map(\.since) == [nil])
        #expect(try await copy.counts(of: place) == CopyCounts(waiting: 1))
    }

    @Test(
        "a gallery that was put back from a backup tells everything anew, and what it does not tell is gone")
    func backup() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(
            copy, place, ScriptedGallery(SyncAnswer.told([ground.told(), ground.told("late")], stamp: 9)))
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()], stamp: 5)))
        #expect(try await copy.counts(of: place) == CopyCounts(photos: 1))
        #expect(try await copy.content(.photo, "late", at: place) == nil)
    }

    @Test(
        "a gallery that says 'more' and tells none, or that answers nothing about an edit, does not keep us in a loop"
    )
    func endless() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let liar = ScriptedGallery(
            SyncAnswer.told([ground.told()], stamp: 5, isMore: true), SyncAnswer.told(stamp: 5, isMore: true),
            SyncAnswer.told(stamp: 5, isMore: true))
        await #expect(throws: SyncFailure.self) { try await exchange(copy, place, liar) }
        #expect(liar.asked.count == 2)
        ground.wall.go(.seconds(1))
        _ = try await copy.edit([wish { $0.rating = 4 }], at: place)
        let mute = ScriptedGallery(
            SyncAnswer.told(stamp: 6), SyncAnswer.told(stamp: 6), SyncAnswer.told(stamp: 6))
        await #expect(throws: SyncFailure.self) { try await exchange(copy, place, mute) }
        #expect(mute.asked.count == 2)
        #expect(try await copy.counts(of: place).waiting == 1)
    }

    @Test("a refusal concerns its own edit, and the others go on")
    func refusal() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told(), ground.told("b")])))
        ground.wall.go(.seconds(1))
        _ = try await copy.edit([wish { $0.rating = 4 }, wish("b") { $0.rating = 2 }], at: place)
        let now = ground.wall.wallNow
        let refused = SyncRejection(record: "b", code: "UNPROCESSABLE", message: "not so")
        let gallery = ScriptedGallery(
            SyncAnswer.told(stamp: 6),
            SyncAnswer.told(
                [ground.told(at: now) { $0.rating = 4 }, ground.told("b")], stamp: 7, rejections: [refused]))
        try await exchange(copy, place, gallery)
        let left = try await copy.entries(at: place, limit: 10).map(\.edit)
        #expect(left.map(\.record) == ["b"])
        #expect(left.first?.standing == .conflict(LocalEdit.Conflict(.refused, "not so")))
    }

    @Test("a deleted photo is edited no more, and the sentence says so")
    func deleted() async throws {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let gone = GalleryRecord(
            .photo, CopyGround.photo,
            version: RecordVersion(updatedAt: CopyWall.start, deletedAt: CopyWall.start), content: nil)
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([ground.told()], stamp: 2)))
        try await exchange(copy, place, ScriptedGallery(SyncAnswer.told([gone], stamp: 3)))
        await #expect(throws: CopyObjection.self) {
            try await copy.edit([wish { $0.rating = 4 }], at: place)
        }
        #expect(try await copy.counts(of: place) == CopyCounts())
    }
}
