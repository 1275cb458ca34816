import Basics

/// All pages of an export: of all photos, and of those of each section that has any. They are made a list at a time: a photo
/// may be in hundreds of sections.
struct ExportPages: Sendable {
    /// Some photos of the event, by as many pages as they take.
    struct List: Sendable {
        /// Nothing for all photos.
        let section: String?
        /// Where they are among the plan's items.
        let items: [Int]
        let contents: [ExportPage.Entry]
    }

    private(set) var lists: [List] = []
    /// Sections without pages of their own, because there would be too many pages.
    private(set) var left: [String] = []
    private let plan: ExportPlan
    private let words: Words

    /// A folder's names stay few enough to be read at once.
    static let most = 5000

    init(_ plan: ExportPlan, in language: Language, most: Int = ExportPages.most) {
        self.plan = plan
        words = Words.of(language)
        var inSections: [[Int]] = plan.sections.map { _ in [] }
        for (place, item) in plan.items.enumerated() {
            for section in item.sections { inSections[section].append(place) }
        }
        lists.append(list(Array(plan.items.indices), nil, firstPage: "index", others: "page"))
        var count = lists[0].contents.count
        // One whose photos were all hidden since has none.
        for (section, items) in zip(plan.sections, inSections) where !items.isEmpty {
            // By its id: a link to a section leads to that one, whatever becomes of the others.
            let name = "section-\(section.id)"
            let list = list(items, section.name, firstPage: name, others: "\(name)-page")
            guard count + list.contents.count <= most else {
                left.append(section.name)
                continue
            }
            count += list.contents.count
            lists.append(list)
        }
    }

    private func list(_ items: [Int], _ section: String?, firstPage: String, others: String) -> List {
        let size = ExportSite.photosOnPage
        let starts = items.isEmpty ? [0] : Array(stride(from: 0, to: items.count, by: size))
        let contents = starts.enumerated().map { index, start in
            let part = items[start..<min(start + size, items.count)]
            let (first, last) = (part.first.map { plan.items[$0] }, part.last.map { plan.items[$0] })
            return ExportPage.Entry(
                name: "\(index == 0 ? firstPage : "\(others)-\(index + 1)").html",
                first: first?.anchor ?? "", last: last?.anchor ?? "",
                latest: first?.photo.shownAt.map { words.moment(CivilTime(secondsSince1970: $0.seconds)) })
        }
        return List(section: section, items: items, contents: contents)
    }

    func pages(of list: List) -> [ExportPage] {
        let sections = lists.map { list in
            ExportPage.Link(
                page: list.contents[0].name, name: list.section ?? words[.all], photos: list.items.count)
        }
        let size = ExportSite.photosOnPage
        let items = list.items.map { plan.items[$0] }
        // Of the whole list, so that an hour that goes on is one.
        var hours = HourRuns()
        for item in items { hours.add(hour: item.photo.shownAt?.hours) }
        return list.contents.indices.map { index in
            let part = index * size..<min((index + 1) * size, items.count)
            let runs = hours.runs.filter { $0.photos.overlaps(part) }.map { run in
                HourRun(hour: run.hour, photos: run.photos.clamped(to: part))
            }
            return ExportPage(
                plan: plan, section: list.section, number: index + 1, items: items[part], hours: runs,
                contents: list.contents, sections: sections.count > 1 ? sections : [], total: items.count,
                words: words)
        }
    }
}
