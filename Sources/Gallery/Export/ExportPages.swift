import Basics

/// All pages of an export: of all photos, and of those of each section that has any.
struct ExportPages: Sendable {
    private let plan: ExportPlan
    private let words: Words
    private var lists: [List] = []

    /// Some photos of the event, by as many pages as they take.
    private struct List {
        /// Nothing for all photos.
        let section: String?
        let items: [ExportItem]
        let contents: [ExportPage.Entry]
    }

    /// Sections behind so many pages have none of their own: a folder's names stay few enough to be read at once.
    static let most = 5000

    static func of(_ plan: ExportPlan, in language: Language) -> [ExportPage] {
        ExportPages(plan, Words.of(language)).pages
    }

    private init(_ plan: ExportPlan, _ words: Words) {
        self.plan = plan
        self.words = words
        var inAlbums: [String: [ExportItem]] = [:]
        for item in plan.items {
            for album in item.albums { inAlbums[album.id, default: []].append(item) }
        }
        lists.append(list(plan.items, nil, firstPage: "index", others: "page"))
        var count = lists[0].contents.count
        for album in plan.albums {
            guard let items = inAlbums[album.id] else { continue }
            let name = "section-\(lists.count)"
            let list = list(items, album.name, firstPage: name, others: "\(name)-page")
            count += list.contents.count
            guard count <= Self.most else { break }
            lists.append(list)
        }
    }

    private func list(
        _ items: [ExportItem], _ section: String?, firstPage: String, others: String
    ) -> List {
        let size = ExportSite.photosOnPage
        let starts = items.isEmpty ? [0] : Array(stride(from: 0, to: items.count, by: size))
        let contents = starts.enumerated().map { index, start in
            let part = items[start..<min(start + size, items.count)]
            return ExportPage.Entry(
                name: "\(index == 0 ? firstPage : "\(others)-\(index + 1)").html",
                first: part.first?.anchor ?? "", last: part.last?.anchor ?? "",
                begin: part.first?.photo.shownAt)
        }
        return List(section: section, items: items, contents: contents)
    }

    private var pages: [ExportPage] {
        let sections = lists.map { list in
            ExportPage.Link(
                page: list.contents[0].name, name: list.section ?? words[.all], photos: list.items.count)
        }
        return lists.flatMap { pages(of: $0, sections: sections.count > 1 ? sections : []) }
    }

    private func pages(of list: List, sections: [ExportPage.Link]) -> [ExportPage] {
        let size = ExportSite.photosOnPage
        // Of the whole list, so that an hour that goes on is one.
        var hours = HourRuns()
        for item in list.items { hours.add(hour: item.photo.shownAt?.hours) }
        return list.contents.indices.map { index in
            let part = index * size..<min((index + 1) * size, list.items.count)
            let runs = hours.runs.filter { $0.photos.overlaps(part) }.map { run in
                HourRun(hour: run.hour, photos: run.photos.clamped(to: part))
            }
            return ExportPage(
                event: plan.event, day: plan.day, section: list.section, number: index + 1,
                items: list.items[part], hours: runs, contents: list.contents, sections: sections,
                total: list.items.count, words: words)
        }
    }
}
