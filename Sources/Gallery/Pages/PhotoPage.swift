import Basics
import Web

/// `GET /e/{slug}/p/{id}`: one photo, for a link that is sent to others. Messengers read its head (``LinkPreview``); a browser
/// that runs scripts goes on to the page of all photos, with this one before the others. Where none runs it shows the photo.
///
/// An address with a fragment, as the page of all photos has it, is nothing that a server hears of.
package struct PhotoPage: Sendable {
    package var event: PageEvent
    package var photo: PagePhoto
    package var language: Language

    package init(event: PageEvent, photo: PagePhoto, language: Language = .english) {
        self.event = event
        self.photo = photo
        self.language = language
    }

    private var words: Words { .of(language) }

    /// Behind the address of its event.
    static func path(of id: String) -> String { "/p/\(PercentEncoding.encoded(id))" }

    package var html: String {
        let preview = LinkPreview(of: photo, in: event, language)
        return PageShell(
            title: preview.title, preview: preview, extra: event.look.link,
            styles: ["page.css", "photo.css"],
            scripts: ["photo.js"], kind: "one", language: language,
            hasOwnColours: event.look.sheet != nil
        ).html(
            """
            <main id="photo" data-path="\(event.path)" data-photo="\(photo.id)">
            <p><a class="button" href="\(event.path)">\(words.markup(.allOf, ["event": "<bdi>\(event.name)</bdi>"]))</a></p>
            <figure>
            \(picture)
            <figcaption>\(heading)\(moment)</figcaption>
            </figure>
            <p><a class="button" href="\(event.path)/photos/\(photo.id)/download" download>\
            \(words[photo.originalURL != nil ? .getOriginal : photo.video == nil ? .getPhoto : .getVideo])</a></p>
            </main>
            \(LanguageMenu.html(language))
            """)
    }

    private var picture: HTMLText {
        let size: HTMLText = "width=\"\(photo.width)\" height=\"\(photo.height)\""
        guard let stream = photo.streamURL else {
            return "<img src=\"\(photo.screenURL)\" \(size) alt=\"\(photo.called(words))\">"
        }
        return """
            <video src="\(stream)" poster="\(photo.screenURL)" \(size) controls playsinline preload="metadata" \
            aria-label="\(photo.called(words))"></video>
            """
    }

    private var heading: HTMLText {
        let text = photo.caption.isEmpty ? words(.photoOf, ["event": event.name]) : photo.caption
        return "<h1 dir=\"auto\">\(text)</h1>"
    }

    private var moment: HTMLText {
        guard let shownAt = photo.shownAt, let clock = photo.clock, let moment = photo.moment(in: words)
        else {
            return .none
        }
        let date = CivilTime(secondsSince1970: shownAt.seconds).date
        return "<p><time datetime=\"\(date)T\(clock)\">\(moment)</time></p>"
    }
}
