import Basics
import Web

/// One of the pages that an event is exported as. It works from a disk, where browsers run neither modules nor requests:
/// links lead to files beside it, and the script only adds to what is there.
struct ExportPage: Sendable {
    let plan: ExportPlan
    /// Whose photos these are; nothing where it is all of them.
    let section: String?
    /// From one on.
    let number: Int
    let items: ArraySlice<ExportItem>
    let hours: [HourRun]
    /// Of all pages of this list, in their order.
    let contents: [Entry]
    /// All photos, and each section; none where there are no sections.
    let sections: [Link]
    let total: Int
    let words: Words

    /// A page as others lead to it.
    struct Entry: Sendable {
        let name: String
        /// The anchors of its first and its last photo.
        let first: String
        let last: String
        /// When its first photo was taken, which is the latest of them: "21 November 2026, 23:10".
        let latest: String?
    }

    /// Where all photos or those of a section begin.
    struct Link: Sendable {
        let page: String
        let name: String
        let photos: Int
    }

    private var event: Event { plan.event }
    var name: String { contents[number - 1].name }
    var before: Entry? { number > 1 ? contents[number - 2] : nil }
    var after: Entry? { number < contents.count ? contents[number] : nil }

    /// Scripts, styles and pictures from beside the page, and nothing else from anywhere. On a disk each file is a place of its
    /// own to some browsers, which "file:" is for; a page from a web server is kept from those all the same.
    private static let policy =
        "default-src 'none'; img-src 'self' file:; media-src 'self' file:; style-src 'self' file:; script-src 'self' file:; "
        + "base-uri 'none'; form-action 'none'"

    var html: String {
        let title = [event.name, section, words(.photos, total), place].compactMap(\.self)
        let page: HTMLText = """
            <!doctype html>
            <html lang="\(words.language.tag)" dir="\(words.language.direction)">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="robots" content="noindex">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <title>\(title.joined(separator: " · "))</title>
            <link rel="icon" type="image/svg+xml" href="icon.svg">
            <link rel="stylesheet" href="gallery.css">
            <script src="gallery.js" defer></script>
            </head>
            <body>
            <a class="skip" href="#photos">\(words[.skip])</a>
            \(header)
            \(sectionRow)\(main)
            \(pager)
            <footer><p>\(facts)</p></footer>
            </body>
            </html>

            """
        return page.text
    }

    /// Which of the list's pages it is; nothing where it has no other.
    private var place: String? {
        guard contents.count > 1 else { return nil }
        let language = words.language
        let numbers = ["number": language.written(number), "total": language.written(contents.count)]
        return words(.exportPage, numbers)
    }

    private var facts: HTMLText {
        words.markup(
            .exportFacts,
            [
                "facts": "<a href=\"photos.json\">photos.json</a>",
                "sums": "<a href=\"SHA256SUMS\">SHA256SUMS</a>",
            ])
    }

    private var header: HTMLText {
        var facts: [HTMLText] = []
        if let day = plan.day { facts.append("<span>\(date(day))</span>") }
        if let section { facts.append("<bdi>\(section)</bdi>") }
        facts.append("<span>\(words(.photos, total))</span>")
        if let place { facts.append("<span>\(place)</span>") }
        if let zone = event.shownZone {
            facts.append("<span>\(words(.exportTimes, ["zone": zone.text]))</span>")
        }
        return """
            <header class="title">
            <h1 dir="auto">\(event.name)</h1>
            <p>\(facts.map { "\($0) " as HTMLText })</p>
            </header>
            """
    }

    private var sectionRow: HTMLText {
        guard !sections.isEmpty else { return .none }
        let links = sections.map { link -> HTMLText in
            let current: HTMLText =
                link.page == contents[0].name ? " aria-current=\"\(number == 1 ? "page" : "true")\"" : .none
            return """
                <li><a href="\(link.page)"\(current)><bdi>\(link.name)</bdi> \
                <small>\(words.language.written(link.photos))</small></a></li>

                """
        }
        return """
            <nav class="sections" aria-label="\(words[.sections])"><ul role="list">
            \(links)</ul></nav>

            """
    }

    // MARK: Other pages

    private var pager: HTMLText {
        guard contents.count > 1 else { return .none }
        let newer: HTMLText =
            before.map { "<a class=\"button\" rel=\"prev\" href=\"\($0.name)\">\(words[.exportNewer])</a>" }
            ?? .none
        let older: HTMLText =
            after.map { "<a class=\"button\" rel=\"next\" href=\"\($0.name)\">\(words[.exportOlder])</a>" }
            ?? .none
        let all = contents.enumerated().map { index, entry -> HTMLText in
            let current: HTMLText = index + 1 == number ? " aria-current=\"page\"" : .none
            let moment: HTMLText = entry.latest.map { " <span>\($0)</span>" } ?? .none
            let name = words(.exportPageNumber, ["number": words.language.written(index + 1)])
            return "<li><a href=\"\(entry.name)\"\(current)>\(name)\(moment)</a></li>\n"
        }
        let count = words(.exportAllPages, ["total": words.language.written(contents.count)])
        return """
            <nav class="pages" aria-label="\(words[.exportPages])"><p>\(newer) \(older)</p>
            <details><summary>\(count)</summary><ol role="list">
            \(all)</ol></details></nav>
            """
    }

    // MARK: Words

    private func date(_ moment: Timestamp) -> String {
        words.date(CivilTime(secondsSince1970: moment.seconds))
    }
}
