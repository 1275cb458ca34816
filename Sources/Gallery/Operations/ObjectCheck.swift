/// Holds a gallery's rows against its objects, both in the order of their keys and a range of keys at a time: what is remembered,
/// and how long one question takes, does not grow with the gallery.
///
/// Photos come and go meanwhile, so that what seems wrong is looked at once more at the end of its range.
struct ObjectCheck {
    private(set) var report = GalleryCare.Report()
    private let database: GalleryObjects
    private let objects: any ObjectList
    /// So many rows, or objects, are asked for at a time.
    private let page: Int
    /// There are no more of them than events.
    private var logos: [String: (event: String, size: UInt64)] = [:]

    init(_ database: GalleryObjects, _ objects: any ObjectList, page: Int) {
        self.database = database
        self.objects = objects
        self.page = page
    }

    mutating func run() async throws {
        logos = try database.logos()
        var start: String?
        while true {
            // Before the objects: what a row refers to lay there when that was written.
            let range = try database.wanted(after: start ?? "", limit: page)
            report.photos += range.photos
            try await compare(range, after: start)
            guard let end = range.end else { break }
            start = end
        }
        for (key, logo) in logos.sorted(by: { $0.key < $1.key }) where try database.has(logo: key) {
            report.add(
                "event \(logo.event): its logo \(key) is missing; put it back from a backup, or send the logo again"
            )
        }
    }

    private mutating func compare(_ range: GalleryObjects.Range, after start: String?) async throws {
        var wanted = range.wanted
        var last = start
        while true {
            let listed = try await objects.list(after: last, limit: page)
            let inside = listed.prefix { object in range.end.map { object.key.isUp(to: $0) } ?? true }
            try await look(at: inside, after: last, &wanted)
            guard inside.count == listed.count, let end = inside.last?.key, end != range.end else { break }
            last = end
        }
        try tellMissing(wanted)
    }

    private mutating func look(
        at listed: ArraySlice<ListedObject>, after start: String?,
        _ wanted: inout [String: GalleryObjects.Wanted]
    ) async throws {
        var unknown: [String] = []
        for object in listed {
            report.objects += 1
            if let logo = logos.removeValue(forKey: object.key) {
                guard object.size != logo.size else { continue }
                report.add(
                    "event \(logo.event): its logo \(object.key) has \(object.size) bytes instead of \(logo.size)"
                )
            } else if let expected = wanted.removeValue(forKey: object.key) {
                guard object.size != expected.size else { continue }
                report.add(
                    "photo \(expected.photo): its object \(object.key) has \(object.size) bytes instead of \(expected.size)"
                )
            } else {
                unknown.append(object.key)
            }
        }
        report.strays += unknown.count
        try await tellStrays(unknown, after: start)
    }

    private mutating func tellStrays(_ keys: [String], after start: String?) async throws {
        let known = try database.referred(among: keys)
        let strays = keys.filter { !known.contains($0) }
        guard !strays.isEmpty else { return }
        // The same page once more; where others have come into it, it ends before the last of these.
        let again = try await objects.list(after: start, limit: page)
        let there = Set(again.map(\.key))
        for key in strays {
            var isThere = there.contains(key)
            if !isThere, again.count == page, let end = again.last?.key, !key.isUp(to: end) {
                // Sixteen keys at the most differ from it only at their end.
                isThere = try await objects.list(after: String(key.dropLast()), limit: 16)
                    .contains { $0.key == key }
            }
            if isThere {
                report.add(
                    "object \(key) belongs to nothing; it may be removed by hand, unless this database was put back from a "
                        + "backup, which lacks the photos that came after it, or another gallery keeps its photos here, too"
                )
            }
        }
    }

    private mutating func tellMissing(_ wanted: [String: GalleryObjects.Wanted]) throws {
        guard !wanted.isEmpty else { return }
        let living = try database.living(among: Set(wanted.values.map(\.photo)), atOnce: page)
        for (key, photo) in wanted.sorted(by: { $0.key < $1.key }) where living.contains(photo.photo) {
            report.add(
                photo.isTile
                    ? "photo \(photo.photo): its tile \(key) is missing; the page shows the thumb instead, but previews of links "
                        + "and browsers without JavaScript show no picture; put it back from a backup if there is one"
                    : "photo \(photo.photo): its object \(key) is missing; put it back from a backup, or delete the photo"
            )
        }
    }
}
