import Basics
import Web

/// `GET /e/{slug}/show`: the photos one after the other, on a screen in the hall. New ones come first, seconds after they
/// were taken; between them the evening goes round.
///
/// Without JavaScript it shows the latest photo.
package struct ShowPage: Sendable {
    package var event: PageEvent
    /// The latest; nothing where there is none yet.
    package var photo: PagePhoto?
    /// How long one photo is shown.
    package var seconds: Int
    /// As in ``GuestPage``.
    package var livePosition: UInt64
    package var language: Language

    package static let seconds = 3...120
    package static let usualSeconds = 8

    package init(
        event: PageEvent, photo: PagePhoto?, seconds: Int = usualSeconds, livePosition: UInt64 = 0,
        language: Language = .english
    ) {
        self.event = event
        self.photo = photo
        self.seconds = seconds
        self.livePosition = livePosition
        self.language = language
    }

    private var words: Words { .of(language) }

    package var html: String {
        PageShell(
            title: event.name, summary: words[.showSummary], extra: event.look.link,
            styles: ["page.css", "show.css"] + event.look.styles(),
            scripts: [
                "show.js", "rounds.js", "live.js", "element.js", "text.js", "within.js",
                ScriptWords.show.name(language),
            ],
            kind: "show", language: language, hasOwnColours: event.look.sheet != nil
        ).html(
            """
            <main id="show" data-path="\(event.path)" data-seconds="\(seconds)" data-live="\(livePosition)">
            <h1 class="unseen" dir="auto">\(event.name)</h1>
            <div class="screen" id="screen">\(picture)</div>
            <p class="words" id="words" dir="auto"></p>
            <p class="wait" id="wait"\(photo == nil ? .none : " hidden")>\(words[.firstComing])</p>
            <aside class="door" aria-label="\(words[.showDoor])">
            \(QRCode(event.guestURL)?.svg(label: words[.code]) ?? .none)
            \(event.look.picture)<p class="name" dir="auto">\(event.name)</p>
            <p>\(words[.showPhone])</p>
            </aside>
            <div class="deeds" id="deeds">
            <button type="button" id="back" aria-label="\(words[.showBack])">\(Icon.left)</button>
            <button type="button" id="pause" aria-pressed="false">\(words[.pause])</button>
            <button type="button" id="next" aria-label="\(words[.showNext])">\(Icon.right)</button>
            <button type="button" id="whole">\(words[.whole])</button>
            <a class="button" href="\(event.path)">\(words[.all])</a>
            </div>
            <p class="unseen" id="said" role="status"></p>
            </main>
            <noscript><p class="wait">\(words[.showPlain])</p></noscript>
            """)
    }

    private var picture: HTMLText {
        guard let photo else { return .none }
        return """
            <img src="\(photo.screenURL)" width="\(photo.width)" height="\(photo.height)" \
            alt="\(photo.called(words))">
            """
    }
}
