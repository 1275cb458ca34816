import Basics
import Web

/// One of the pages that an event is exported as. It works from a disk, where browsers run neither modules nor requests:
/// links lead to files beside it, and the script only adds to what is there.
struct ExportPage: Sendable {
    let event: Event
    /// When the event began, by its clocks, read as if they showed UTC.
    let day: Timestamp?
    /// From one on.
    let number: Int
    let items: ArraySlice<ExportItem>
    let hours: [HourRun]
    /// Of all pages, in their order.
    let contents: [Entry]
    let total: Int

    /// A page as others lead to it.
    struct Entry: Sendable {
        let name: String
        /// The anchors of its first and its last photo.
        let first: String
        let last: String
        /// "21 November 2026, 23:10", where it begins.
        let begin: String?
    }

    static func pages(of plan: ExportPlan) -> [ExportPage] {
        let items = plan.items
        let size = ExportSite.photosOnPage
        let starts = items.isEmpty ? [0] : Array(stride(from: 0, to: items.count, by: size))
        let contents = starts.enumerated().map { index, start in
            let part = items[start..<min(start + size, items.count)]
            return Entry(
                name: index == 0 ? "index.html" : "page-\(index + 1).html", first: part.first?.anchor ?? "",
                last: part.last?.anchor ?? "", begin: part.first?.photo.shownAt.map(Self.words))
        }
        // Of the whole list, so that an hour that goes on is one.
        var hours = HourRuns()
        for item in items { hours.add(hour: item.photo.shownAt?.hours) }
        return starts.enumerated().map { index, start in
            let part = start..<min(start + size, items.count)
            let runs = hours.runs.filter { $0.photos.overlaps(part) }.map { run in
                HourRun(hour: run.hour, photos: run.photos.clamped(to: part))
            }
            return ExportPage(
                event: plan.event, day: plan.day, number: index + 1, items: items[part], hours: runs,
                contents: contents,
                total: items.count)
        }
    }

    var name: String { contents[number - 1].name }
    private var before: Entry? { number > 1 ? contents[number - 2] : nil }
    private var after: Entry? { number < contents.count ? contents[number] : nil }

    /// Scripts, styles and pictures from beside the page, and nothing else from anywhere. On a disk each file is a place of its
    /// own to some browsers, which "file:" is for; a page from a web server is kept from those all the same.
    private static let policy =
        "default-src 'none'; img-src 'self' file:; media-src 'self' file:; style-src 'self' file:; script-src 'self' file:; "
        + "base-uri 'none'; form-action 'none'"

    var html: String {
        let count = total.counted("photo", "photos")
        let part = contents.count > 1 ? " · page \(number) of \(contents.count)" : ""
        let page: HTMLText = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="robots" content="noindex">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <title>\(event.name) · \(count)\(part)</title>
            <link rel="icon" type="image/svg+xml" href="icon.svg">
            <link rel="stylesheet" href="gallery.css">
            <script src="gallery.js" defer></script>
            </head>
            <body>
            <a class="skip" href="#photos">Skip to the photos</a>
            \(header(count))
            \(main)
            \(pager)
            <footer><p>Facts of every photo are in <a href="photos.json">photos.json</a>; \
            <a href="SHA256SUMS">SHA256SUMS</a> tells whether every file is whole.</p></footer>
            </body>
            </html>

            """
        return page.text
    }

    private func header(_ count: String) -> HTMLText {
        var facts: [HTMLText] = []
        if let day { facts.append("<span>\(Self.day(day))</span>") }
        facts.append("<span>\(count)</span>")
        if contents.count > 1 { facts.append("<span>page \(number) of \(contents.count)</span>") }
        if let zone = event.shownZone { facts.append("<span>times of \(zone.text)</span>") }
        return """
            <header class="title">
            <h1 dir="auto">\(event.name)</h1>
            <p>\(facts.map { "\($0) " as HTMLText })</p>
            </header>
            """
    }

    // MARK: The list

    private var main: HTMLText {
        """
        <main id="photos" tabindex="-1" data-before="\(items.startIndex)" data-count="\(total)" \
        data-newer="\(before.map { "\($0.name)#\($0.last)" } ?? "")" \
        data-older="\(after.map { "\($0.name)#\($0.first)" } ?? "")">
        \(hours.map(hour))\(items.isEmpty ? "<p class=\"empty\">There are no photos.</p>" : .none)
        </main>
        """
    }

    private func hour(_ run: HourRun) -> HTMLText {
        let tiles = run.photos.map { tile(items[$0], isSeenFirst: $0 - items.startIndex < 8) }
        guard let text = run.text, let hour = run.hour else {
            return "<section class=\"hour\"><ul role=\"list\">\n\(tiles)</ul></section>\n"
        }
        let day = Words.of(.english).date(CivilTime(secondsSince1970: hour * 3600))
        return """
            <section class="hour"><h2><time datetime="\(text)">\(String(text.suffix(5)))</time> <bdi>\(day)</bdi></h2>\
            <ul role="list">
            \(tiles)</ul></section>

            """
    }

    private func tile(_ item: ExportItem, isSeenFirst: Bool) -> HTMLText {
        let photo = item.photo
        let shape = PagePhoto.shape(width: photo.thumbWidth, height: photo.thumbHeight)
        guard let small = item.small, let shown = item.shown else {
            return """
                <li class="a\(shape) bare" id="\(item.anchor)"><p><bdi>\(photo.name)</bdi> has no picture here.</p>\
                \(original(item))</li>

                """
        }
        let loading: HTMLText = isSeenFirst ? .none : " loading=\"lazy\""
        return """
            <li class="a\(shape)" id="\(item.anchor)"><a href="\(Self.link(shown))"\(poster(item))>\
            <img src="\(Self.link(small))"\(sources(item, shape: shape)) width="\(photo.thumbWidth)" height="\(photo.thumbHeight)" \
            alt="\(photo.caption.isEmpty ? kind(photo) : photo.caption)"\(loading) decoding="async">\
            \(words(item))</a>\(original(item))</li>

            """
    }

    private func sources(_ item: ExportItem, shape: Int) -> HTMLText {
        guard let tile = item.photo.tile, let thumb = item.files[.thumb], let file = item.files[.tile] else {
            return .none
        }
        return PhotoTile.sources(
            (Self.link(thumb), item.photo.thumbWidth), (Self.link(file), tile.width), shape: shape)
    }

    private func kind(_ photo: Photo) -> String { photo.video == nil ? "Photo" : "Video" }

    /// By this the script knows a video, and what is seen before it plays.
    private func poster(_ item: ExportItem) -> HTMLText {
        guard item.files[.video] != nil else { return .none }
        return " data-poster=\"\(item.large.map(Self.link) ?? "")\""
    }

    /// What is known of it; the script shows the same beside the large picture.
    private func words(_ item: ExportItem) -> HTMLText {
        let photo = item.photo
        var parts: [HTMLText] = []
        if let moment = photo.shownAt {
            parts.append(
                "<time datetime=\"\(CivilTime(secondsSince1970: moment.seconds).date)T\(Self.clock(moment))\">"
                    + "\(Self.clock(moment))</time>")
        }
        if let video = photo.video {
            parts.append("<span class=\"film\">\(PageVideo(video).mark(photo.name))</span>")
        }
        if photo.rating > 0 {
            let stars = String(repeating: "★", count: photo.rating)
            parts.append(
                "<span class=\"stars\" role=\"img\" aria-label=\"\(photo.rating) of 5 stars\">\(stars)</span>"
            )
        }
        // The picture's own text says it to readers of screens.
        if !photo.caption.isEmpty {
            parts.append("<span class=\"caption\" dir=\"auto\" aria-hidden=\"true\">\(photo.caption)</span>")
        }
        if let name = photo.guestName, !name.isEmpty {
            parts.append("<span class=\"credit\" dir=\"auto\">Photo by \(name)</span>")
        }
        for word in item.albums + photo.tags {
            parts.append("<span class=\"tag\" dir=\"auto\">\(word)</span>")
        }
        guard !parts.isEmpty else { return .none }
        return "<span class=\"words\">\(parts.map { "\($0) " as HTMLText })</span>"
    }

    private func original(_ item: ExportItem) -> HTMLText {
        guard let file = item.files[.original] else { return .none }
        return """
            <a class="get" href="\(Self.link(file))" download="\(file.name)" aria-label="Original of \(file.name)">↓</a>
            """
    }

    // MARK: Other pages

    private var pager: HTMLText {
        guard contents.count > 1 else { return .none }
        let newer: HTMLText =
            before.map { "<a class=\"button\" rel=\"prev\" href=\"\($0.name)\">Newer photos</a>" } ?? .none
        let older: HTMLText =
            after.map { "<a class=\"button\" rel=\"next\" href=\"\($0.name)\">Older photos</a>" } ?? .none
        let all = contents.enumerated().map { index, entry -> HTMLText in
            let current: HTMLText = index + 1 == number ? " aria-current=\"page\"" : .none
            let begin: HTMLText = entry.begin.map { " <span>from \($0)</span>" } ?? .none
            return "<li><a href=\"\(entry.name)\"\(current)>Page \(index + 1)\(begin)</a></li>\n"
        }
        return """
            <nav class="pages" aria-label="Pages"><p>\(newer) \(older)</p>
            <details><summary>All \(contents.count) pages</summary><ol role="list">
            \(all)</ol></details></nav>
            """
    }

    // MARK: Words

    /// Each part of a path by itself: a name may have whatever a file may.
    private static func link(_ file: ExportFile) -> String {
        PercentEncoding.encoded(file.path, keeping: "/")
    }

    private static func words(_ moment: Timestamp) -> String { "\(day(moment)), \(clock(moment))" }

    private static func day(_ moment: Timestamp) -> String {
        Words.of(.english).date(CivilTime(secondsSince1970: moment.seconds))
    }

    private static func clock(_ moment: Timestamp) -> String {
        let text = CivilTime.rfc3339(milliseconds: moment.milliseconds)
        return String(text.drop { $0 != "T" }.dropFirst().prefix(5))
    }
}
