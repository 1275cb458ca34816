import Basics
import Web

/// The photos of a page, hour by hour.
extension ExportPage {
    var main: HTMLText {
        """
        <main id="photos" tabindex="-1" data-before="\(items.startIndex)" data-count="\(total)" \
        data-newer="\(before.map { "\($0.name)#\($0.last)" } ?? "")" \
        data-older="\(after.map { "\($0.name)#\($0.first)" } ?? "")" data-words="\(wordsOfScript)">
        \(hours.map(hour))\(items.isEmpty ? "<p class=\"empty\">\(words[.exportNone])</p>" : .none)
        </main>
        """
    }

    private func hour(_ run: HourRun) -> HTMLText {
        let tiles = run.photos.map { tile(items[$0], isSeenFirst: $0 - items.startIndex < 8) }
        guard let text = run.text, let hour = run.hour else {
            return "<section class=\"hour\"><ul role=\"list\">\n\(tiles)</ul></section>\n"
        }
        let day = words.date(CivilTime(secondsSince1970: hour * 3600))
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
                <li class="a\(shape) bare" id="\(item.anchor)"><p>\(noPicture(photo))</p>\
                \(original(item))</li>

                """
        }
        let loading: HTMLText = isSeenFirst ? .none : " loading=\"lazy\""
        return """
            <li class="a\(shape)" id="\(item.anchor)"><a href="\(Self.link(shown))"\(poster(item))>\
            <img src="\(Self.link(small))"\(sources(item, shape: shape)) width="\(photo.thumbWidth)" height="\(photo.thumbHeight)" \
            alt="\(photo.caption.isEmpty ? kind(photo) : photo.caption)"\(loading) decoding="async">\
            \(facts(item))</a>\(original(item))</li>

            """
    }

    private func sources(_ item: ExportItem, shape: Int) -> HTMLText {
        guard let tile = item.photo.tile, let thumb = item.files[.thumb], let file = item.files[.tile] else {
            return .none
        }
        return PhotoTile.sources(
            (Self.link(thumb), item.photo.thumbWidth), (Self.link(file), tile.width), shape: shape)
    }

    private func kind(_ photo: Photo) -> String { words[photo.video == nil ? .photo : .video] }

    private func noPicture(_ photo: Photo) -> HTMLText {
        words.markup(.exportNoPicture, ["name": "<bdi>\(photo.name)</bdi>"])
    }

    /// By this the script knows a video, and what is seen before it plays.
    private func poster(_ item: ExportItem) -> HTMLText {
        guard item.files[.video] != nil else { return .none }
        return " data-poster=\"\(item.large.map(Self.link) ?? "")\""
    }

    /// What is known of it; the script shows the same beside the large picture.
    private func facts(_ item: ExportItem) -> HTMLText {
        let photo = item.photo
        var parts: [HTMLText] = []
        if let time = photo.shownAt.map({ CivilTime(secondsSince1970: $0.seconds) }) {
            parts.append(
                "<time datetime=\"\(time.date)T\(time.clock)\">\(time.clock)</time>")
        }
        if let video = photo.video {
            parts.append("<span class=\"film\">\(PageVideo(video).mark(photo.name))</span>")
        }
        if photo.rating > 0 {
            let stars = String(repeating: "★", count: photo.rating)
            let said = words(.exportStars, ["stars": "\(photo.rating)"])
            parts.append(
                "<span class=\"stars\" role=\"img\" aria-label=\"\(said)\">\(stars)</span>"
            )
        }
        // The picture's own text says it to readers of screens.
        if !photo.caption.isEmpty {
            parts.append("<span class=\"caption\" dir=\"auto\" aria-hidden=\"true\">\(photo.caption)</span>")
        }
        if let name = photo.guestName, !name.isEmpty {
            let credit = words(photo.video == nil ? .photoBy : .videoBy, ["name": name])
            parts.append("<span class=\"credit\" dir=\"auto\">\(credit)</span>")
        }
        for word in plan.albums(of: item) + photo.tags {
            parts.append("<span class=\"tag\" dir=\"auto\">\(word)</span>")
        }
        guard !parts.isEmpty else { return .none }
        return "<span class=\"words\">\(parts.map { "\($0) " as HTMLText })</span>"
    }

    private func original(_ item: ExportItem) -> HTMLText {
        guard let file = item.files[.original] else { return .none }
        let label = words(.exportOriginal, ["name": file.name])
        return """
            <a class="get" href="\(Self.link(file))" download="\(file.name)" aria-label="\(label)">↓</a>
            """
    }

    /// What the script says, which asks nothing of any server.
    private var wordsOfScript: String {
        let texts: [(key: String, word: Word)] = [
            ("photo", .photo), ("photoOf", .photoAmong), ("getPhoto", .getPhoto), ("getVideo", .getVideo),
            ("close", .close), ("newer", .newerPhoto), ("older", .olderPhoto), ("unplayable", .unplayable),
        ]
        return JSONValue.object(texts.map { (key: $0.key, value: .string(words[$0.word])) }).compact
    }

    /// Each part of a path by itself: a name may have whatever a file may.
    private static func link(_ file: ExportFile) -> String {
        PercentEncoding.encoded(file.path, keeping: "/")
    }
}
