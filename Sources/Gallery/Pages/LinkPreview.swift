import Basics
import Rendering
import Web

/// What messengers show of a link to a page. They ask for the page as any client does, without a pass, and read these tags of
/// its head: those of the Open Graph protocol, and the one of X that makes the picture large.
///
/// Of an event with a PIN it is the name alone, on every page and also for a guest who is in: a phone may make a preview of
/// the page that it has on show.
package struct LinkPreview: Equatable, Sendable {
    package struct Picture: Equatable, Sendable {
        package var url: String
        package var width: Int
        package var height: Int
        /// What is said to those who do not see it.
        package var words: String
    }

    package var title: String
    package var summary: String
    package var url: String
    package var picture: Picture?

    private static let longestTitle = 120
    private static let longestWords = 400

    /// Of an event's page. `latest` is its newest photo, which is shown where all may see it.
    package init(of event: PageEvent, latest: PagePhoto? = nil, in language: Language = .english) {
        let words = Words.of(language)
        title = event.name
        url = event.guestURL
        guard event.isOpen else {
            // As the page says it that asks for the PIN.
            summary = words[.closedSummary]
            return
        }
        summary = [event.day(in: words), words(.photos, event.photos)].compactMap(\.self)
            .joined(separator: " · ")
        // A sign that stands for a video says nothing in a message.
        picture = latest.flatMap { $0.hasPicture ? Picture(of: $0, in: event, words) : nil }
    }

    /// Of the page of one photo.
    package init(of photo: PagePhoto, in event: PageEvent, _ language: Language = .english) {
        self.init(of: event, latest: photo, in: language)
        let words = Words.of(language)
        guard event.isOpen else { return }
        title = Self.shortened(photo.caption, Self.longestTitle)
        if title.isEmpty { title = words(.photoOf, ["event": event.name]) }
        summary = [event.name, photo.moment(in: words)].compactMap(\.self).joined(separator: " · ")
        url = event.guestURL + PhotoPage.path(of: photo.id)
    }

    var tags: HTMLText {
        """
        <meta property="og:type" content="website">
        <meta property="og:title" content="\(title)">
        <meta property="og:description" content="\(summary)">
        <meta property="og:url" content="\(url)">
        \(picture?.tags ?? .none)<meta name="twitter:card" content="\(picture == nil ? "summary" : "summary_large_image")">
        """
    }

    /// In one line.
    fileprivate static func shortened(_ text: String, _ length: Int) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= length ? line : "\(line.prefix(length - 1))…"
    }

    fileprivate static func words(
        for photo: PagePhoto, in event: PageEvent, _ words: Words
    ) -> String {
        let caption = shortened(photo.caption, longestWords)
        return caption.isEmpty ? words(.photoOf, ["event": event.name]) : caption
    }
}

extension LinkPreview.Picture {
    private static let leastSide = 200

    /// By its address at this server, wherever guests have their images from: a signed one would have ended before it is asked
    /// for, and this one is decided anew each time. A photo that was taken back is not given any more.
    ///
    /// The tile where there is one: WhatsApp is known to show no picture at all where its file is larger than 300 to 600 KB, and
    /// says so nowhere. One that fills a screen may be. But a panorama's tile is too low for those that want 200 pixels.
    fileprivate init(of photo: PagePhoto, in event: PageEvent, _ words: Words) {
        let small = photo.size(within: RenderJob.tileEdge)
        let tile = min(small.width, small.height) < Self.leastSide ? nil : photo.tile
        url = event.serverURL + ImageAddresses.path(tile?.key ?? photo.screenKey)
        (width, height) = tile == nil ? photo.size(within: RenderJob.screenEdge) : small
        self.words = LinkPreview.words(for: photo, in: event, words)
    }

    /// Every rendition is a JPEG.
    fileprivate var tags: HTMLText {
        """
        <meta property="og:image" content="\(url)">
        <meta property="og:image:type" content="image/jpeg">
        <meta property="og:image:width" content="\(width)">
        <meta property="og:image:height" content="\(height)">
        <meta property="og:image:alt" content="\(words)">

        """
    }
}

extension PageEvent {
    /// Where the gallery itself is: "https://photos.example.org".
    fileprivate var serverURL: String {
        guestURL.hasSuffix(path) ? String(guestURL.dropLast(path.count)) : guestURL
    }
}

extension PagePhoto {
    /// How large the rendition of so many pixels at the longer side is, which is never larger than its photo.
    func size(within edge: Int) -> (width: Int, height: Int) {
        let longest = max(width, height)
        guard longest > edge else { return (width, height) }
        func fitted(_ side: Int) -> Int { max(1, (side * edge + longest / 2) / longest) }
        return (fitted(width), fitted(height))
    }

    /// "21 November 2026, 21:45".
    func moment(in words: Words) -> String? {
        shownAt.map { words.moment(CivilTime(secondsSince1970: $0.seconds)) }
    }
}
