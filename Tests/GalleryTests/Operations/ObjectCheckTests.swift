import Database
import TestSupport
import Testing

@testable import Gallery

/// `gallery check` of more rows and objects than it holds at a time.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ObjectCheckTests {
    /// Few, so that a few photos are many pages.
    private static let page = 4
    private static let photos = 9

    private let gallery: GalleryGround

    init() throws { gallery = try GalleryGround() }

    /// A store as it says itself, which counts what it is asked.
    private struct Listed: ObjectList {
        var objects: [ListedObject]
        let calls = Shared(0)

        func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
            calls.change { $0 += 1 }
            return Array(objects.filter { $0.key > after ?? "" }.prefix(limit))
        }
    }

    private func store() async throws -> Listed {
        Listed(objects: try await FolderObjects(path: gallery.objects).list(after: nil, limit: 1000))
    }

    private func check(_ objects: Listed) async throws -> GalleryCare.Report {
        try await GalleryCare.check(gallery.ground.database, objects, page: Self.page)
    }

    private func fill() async throws {
        let host = try await gallery.host()
        for number in 0..<Self.photos { _ = try await gallery.upload("photo-\(number)", for: host) }
    }

    @Test(
        "what is well has no problems, however many pages it is, and every photo and object is counted once")
    func well() async throws {
        try await fill()
        let store = try await store()
        let report = try await check(store)
        #expect(
            report.problems == [] && report.photos == Self.photos && report.objects == 3 * Self.photos
                && report.strays == 0, "\(report)")
        #expect(try await GalleryCare.check(gallery.ground.database, store) == report)
    }

    @Test("an object that has another size, is missing, or belongs to nothing is told, wherever it lies")
    func ill() async throws {
        try await fill()
        let store = try await store()
        for (index, object) in store.objects.enumerated() {
            var ill = store
            ill.objects[index] = ListedObject(key: object.key, size: 1)
            let short = try await check(ill)
            #expect(short.problems.count == 1, "\(short)")
            #expect(short.problems.first?.contains("\(object.key) has 1 bytes") == true, "\(short)")
            let stray = String(object.key.dropLast()) + (object.key.hasSuffix("0") ? "1" : "0")
            ill.objects[index] = ListedObject(key: stray, size: 1)
            let both = try await check(ill)
            #expect(both.problems.count == 2 && both.strays == 1, "\(both)")
            #expect(
                both.problems.contains {
                    $0.hasPrefix(
                        "object \(stray) belongs to nothing; it may be removed by hand, unless this database")
                }, "\(both)")
            #expect(both.problems.contains { $0.contains("\(object.key) is missing") }, "\(both)")
        }
    }

    @Test(
        "where all is lost, or nothing is referred to, the store is asked by the page and not by the object")
    func lost() async throws {
        try await fill()
        let pages = 3 * Self.photos / Self.page + 1
        let all = try await store()
        let nothing = Listed(objects: [])
        let report = try await check(nothing)
        #expect(report.problems.count == 3 * Self.photos && report.photos == Self.photos, "\(report)")
        #expect(nothing.calls.value <= pages, "\(nothing.calls.value)")
        try await gallery.store.forget()
        let strays = try await check(all)
        #expect(strays.problems.count == 3 * Self.photos && strays.strays == 3 * Self.photos, "\(strays)")
        // Each page twice, and once more for the end.
        #expect(all.calls.value <= 2 * pages + 1, "\(all.calls.value)")
    }

    @Test("bytes that wait to be worked on are no stray, also where their place has been swept meanwhile")
    func waiting() async throws {
        try await fill()
        let all = try await store()
        try await gallery.store.workAgain()
        try await gallery.store.forget()
        let report = try await check(all)
        // What was made of them belongs to nothing.
        #expect(report.problems.count == 2 * Self.photos && report.strays == 3 * Self.photos, "\(report)")
    }
}

extension GalleryStore {
    fileprivate func forget() throws {
        for table in ["photos", "removals", "places"] { try database.run("DELETE FROM \(table)") }
    }

    fileprivate func workAgain() throws {
        try database.run(
            """
            UPDATE uploads SET status = 'processing', photo_id = NULL, completed_at = NULL,
                object_key = (SELECT original_key FROM photos WHERE photos.id = uploads.photo_id)
            """)
    }
}
