import Basics
import Web

/// `GET /e/{slug}`: what guests look at.
///
/// Without JavaScript it is a list of thumbs that lead to larger images, a link to older ones and a form for searching, so
/// the route takes `?cursor=…` and `?q=…` as `GET /e/{slug}/photos` does. With it the scripts go on from there:
/// - `GET /e/{slug}/photos?cursor&limit&q` → `{data: {photos: [PagePhoto.json], next}}`
/// - `GET /e/{slug}/timeline` has the hours and the shapes of all photos: the scripts hold only the tiles that are seen and some
///   around them, each where it would be if all were there. See ``GuestEndpoints``
/// - the list is in order of when photos were taken, and `cursor` is a photo's `position` in it; what arrives is shown on top
///   as new, and settles at its place when the list is read anew: when the page is opened again, after 300 of them, or when
///   something was missed
/// - `GET /e/{slug}/live?after=<id>`, server-sent events. `after` counts like `Last-Event-ID` where that is missing: the page
///   was made at `livePosition`, and what has happened since must not be lost. `photo` {PagePhoto.json} for what is new,
///   shown again or changed; `gone` {id} for what is hidden or deleted; `count` {photos}; `reset` when the server does not
///   remember that far back, or many photos have other times now; `reactions` {allowsHearts, allowsComments, photos} for how many
///   hearts and comments photos have
package struct GuestPage: Sendable {
    package var event: PageEvent
    /// Stands behind the event's name.
    package var cover: PagePhoto?
    /// The latest first, at most `photosAtOnce`.
    package let photos: [PagePhoto]
    /// Where the older ones begin; nil at the end.
    package var next: String?
    /// As the request gave it: this page shows what is older than that.
    package var cursor: String?
    /// What was searched for; empty for everything.
    package var search: String
    /// Albums in which guests see photos, in the host's order.
    package var sections: [Section]
    /// The one of them that is shown; nil for all photos.
    package var album: String?
    /// The id of the last live message before the photos were read; 0 when there was none.
    package var livePosition: UInt64
    /// The sequence of the last photo that had come before: what has a higher one is new, whenever it was taken.
    package var lastSequence: Int64
    package var language: Language
    /// The guest's browser has asked for less: tiles are the smaller pictures, whatever the screen.
    package var savesData = false
    let placeholders: PlaceholderSheet

    /// Fills two screens of a phone; the page stays below its 60 KB with it.
    package static let photosAtOnce = 36

    package init(
        event: PageEvent, cover: PagePhoto? = nil, photos: [PagePhoto], next: String? = nil,
        cursor: String? = nil, search: String = "", sections: [Section] = [], album: String? = nil,
        livePosition: UInt64 = 0, lastSequence: Int64 = 0,
        language: Language = .english
    ) {
        self.event = event
        self.cover = cover
        self.photos = photos
        placeholders = PlaceholderSheet(photos)
        self.next = next
        self.cursor = cursor
        self.search = search
        self.sections = sections
        self.album = album
        self.livePosition = livePosition
        self.lastSequence = lastSequence
        self.language = language
    }

    private var words: Words { .of(language) }
    private var section: Section? { album.flatMap { album in sections.first { $0.id == album } } }
    /// Of what is shown.
    private var count: Int { section?.photos ?? event.photos }
    private var row: HTMLText { SectionRow.html(sections, current: album, of: event, words) }
    /// A search is one of the section.
    private var asked: HTMLText {
        album.map { "<input type=\"hidden\" name=\"\(SectionRow.parameter)\" value=\"\($0)\">\n" } ?? .none
    }

    package var html: String {
        let count = words(.photos, self.count)
        let latest = isBeginning ? cover ?? photos.first(where: \.hasPicture) : nil
        let shell = PageShell(
            title: [event.name, section?.name, count].compactMap(\.self).joined(separator: " · "),
            preview: LinkPreview(of: event, latest: latest, in: language),
            extra: "\(EventManifest.links(of: event))\(event.look.link)",
            ownSheets: [PageAssets.guestSheet] + [placeholders.sheet].compactMap(\.self),
            styles: SectionRow.styles(sections)
                + event.look.styles(hasCover: isBeginning && cover != nil),
            // It loads the others when this page stands.
            scripts: event.takesUploads ? ["start.js", "uploads.js"] : ["start.js"],
            kind: "guest", language: language, hasOwnColours: event.look.sheet != nil)
        return shell.html(
            """
            <a class="skip" href="#photos">\(words[.skip])</a>
            \(header)
            \(tools)
            \(row)\(main)
            \(share)
            \(LanguageMenu.html(language, keeping: query(cursor: cursor)))
            \(Lightbox.template(words))
            """)
    }

    private var header: HTMLText {
        let day: HTMLText = event.day(in: words).map { "<span>\($0)</span> " } ?? .none
        let said: HTMLText = """
            \(event.look.picture)<h1 dir="auto">\(event.name)</h1>
            <p>\(day)<span id="count">\(words(.photos, count))</span></p>\(end)
            """
        guard isBeginning, let cover else { return "<header class=\"title\">\n\(said)\n</header>" }
        return """
            <header class="title has-cover">
            \(CoverPicture.html(cover))
            <div class="over">
            \(said)
            </div>
            </header>
            """
    }

    private var end: HTMLText {
        event.lastDay.map {
            "\n<p>\(words(.until, ["date": words.date(CivilTime(secondsSince1970: $0.seconds))]))</p>"
        }
            ?? .none
    }

    private var tools: HTMLText {
        """
        <nav class="tools" aria-label="\(words[.tools])">
        <form role="search" action="\(event.path)" method="get">
        \(asked)<input type="search" name="q" value="\(search)" placeholder="\(words[.searchHint])" \
        aria-label="\(words[.searchLabel])" maxlength="100" autocomplete="off" enterkeyhint="search">
        </form>
        \(bring)<button type="button" id="open-picks" aria-pressed="false">\(Icon.pick)<span>\(words[.pick])</span></button>
        <button type="button" id="open-download">\(Icon.download)<span>\(words[.download])</span></button>
        <a class="button" id="open-share" href="#share">\(Icon.share)<span>\(words[.share])</span></a>
        </nav>
        """
    }

    private var bring: HTMLText {
        guard event.takesUploads else { return .none }
        return """
            <button type="button" id="open-uploads">\(Icon.plus)<span>\(words[.addPhotos])</span></button>

            """
    }

    private var main: HTMLText {
        """
        <main id="photos" tabindex="-1" data-path="\(event.path)" data-name="\(event.name)" \
        data-count="\(count)" data-album="\(album ?? "")" data-cursor="\(cursor ?? "")" data-next="\(next ?? "")" data-last="\(lastSequence)" data-live="\(isNewest ? "\(livePosition)" : "")"\(likes)>
        \(newer)
        \(originals)<div class="wall">\(hours)</div>
        \(photos.isEmpty ? empty : .none)
        \(older)
        <p class="status" id="status" role="status"></p>
        </main>
        """
    }

    private var originals: HTMLText {
        guard photos.contains(where: { $0.originalURL != nil }) else { return .none }
        return "<span id=\"\(PhotoTile.originalWords)\" hidden>\(words[.getOriginal])</span>\n"
    }

    private var likes: HTMLText { event.takesReactions ? " data-likes" : .none }

    /// As `tiles.js` makes them.
    private var hours: [HTMLText] {
        var hours = HourRuns()
        for photo in photos { hours.add(hour: photo.shownAt?.hours) }
        return hours.runs.map { run in
            // What is seen at once is not to wait for the page's layout.
            let tiles = run.photos.map { index in
                PhotoTile.html(photos[index], words, number: index, savesData: savesData)
            }
            guard let text = run.text, let hour = run.hour else {
                return "<section class=\"hour\"><ul role=\"list\">\(tiles)</ul></section>"
            }
            let day = words.date(CivilTime(secondsSince1970: hour * 3600))
            return """
                <section class="hour" data-hour="\(text)"><h2><time datetime="\(text)">\(String(text.suffix(5)))</time> \
                <bdi>\(day)</bdi></h2><ul role="list">\(tiles)</ul></section>
                """
        }
    }

    /// Where guests come in.
    private var isBeginning: Bool { isNewest && search.isEmpty }

    /// Only there new photos appear by themselves.
    private var isNewest: Bool { cursor == nil }

    private var newer: HTMLText {
        isNewest
            ? .none
            : "<p class=\"more\"><a class=\"button\" href=\"\(link(cursor: nil))\">\(words[.newest])</a></p>"
    }

    private var older: HTMLText {
        guard let next else { return .none }
        return """
            <p class="more"><a class="button" id="older" rel="next" href="\(link(cursor: next))">\(words[.older])</a></p>
            """
    }

    private var empty: HTMLText {
        guard search.isEmpty else {
            return """
                <div class="empty"><h2>\(words.markup(.nothingFound, ["search": "<bdi>\(search)</bdi>"]))</h2>
                <p>\(words[.searched]) \
                <a href="\(SectionRow.address(event, album))">\(words[.showAll])</a></p></div>
                """
        }
        return """
            <div class="empty"><h2>\(words[.firstComing])</h2>
            <p>\(words[.firstHint])</p></div>
            """
    }

    private func link(cursor: String?) -> String {
        let asked = query(cursor: cursor)
        return asked.isEmpty ? event.path : "\(event.path)?\(asked)"
    }

    private func query(cursor: String?) -> String {
        var parts = album.map { ["\(SectionRow.parameter)=\($0)"] } ?? []
        if !search.isEmpty { parts.append("q=\(PercentEncoding.encoded(search))") }
        if let cursor { parts.append("cursor=\(PercentEncoding.encoded(cursor))") }
        return parts.joined(separator: "&")
    }

    /// At the end of the page; a script makes a panel of it.
    private var share: HTMLText {
        """
        <section class="share" id="share" aria-labelledby="share-title">
        <h2 id="share-title">\(words[.shareTitle])</h2>
        <p>\(words[.shareHint])</p>
        \(QRCode(event.guestURL)?.svg(label: words[.code]) ?? .none)
        <p class="link"><a href="\(event.guestURL)">\(event.guestURL)</a></p>
        <p><a href="\(event.path)/show">\(words[.onScreen])</a></p>
        </section>
        """
    }
}
