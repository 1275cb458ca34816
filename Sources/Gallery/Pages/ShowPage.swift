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

    package static let seconds = 3...120
    package static let usualSeconds = 8

    package init(event: PageEvent, photo: PagePhoto?, seconds: Int = usualSeconds, livePosition: UInt64 = 0) {
        self.event = event
        self.photo = photo
        self.seconds = seconds
        self.livePosition = livePosition
    }

    package var html: String {
        PageShell(
            title: event.name, summary: "Photos as they are taken", styles: ["page.css", "show.css"],
            scripts: ["show.js", "rounds.js", "live.js", "element.js"], kind: "show"
        ).html(
            """
            <main id="show" data-path="\(event.path)" data-seconds="\(seconds)" data-live="\(livePosition)">
            <h1 class="unseen" dir="auto">\(event.name)</h1>
            <div class="screen" id="screen">\(picture)</div>
            <p class="words" id="words" dir="auto"></p>
            <p class="wait" id="wait"\(photo == nil ? .none : " hidden")>The first photos are on their way</p>
            <aside class="door" aria-label="Where guests find these photos">
            \(QRCode(event.guestURL)?.svg ?? .none)
            <p class="name" dir="auto">\(event.name)</p>
            <p>All photos, on your phone</p>
            </aside>
            <div class="deeds" id="deeds">
            <button type="button" id="back" aria-label="The photo before">\(Icon.left)</button>
            <button type="button" id="pause" aria-pressed="false">Pause</button>
            <button type="button" id="next" aria-label="The next photo">\(Icon.right)</button>
            <button type="button" id="whole">Whole screen</button>
            <a class="button" href="\(event.path)">All photos</a>
            </div>
            <p class="unseen" id="said" role="status"></p>
            </main>
            <noscript><p class="wait">Reload this page for the latest photo, or turn JavaScript on.</p></noscript>
            """)
    }

    private var picture: HTMLText {
        guard let photo else { return .none }
        return """
            <img src="\(photo.screenURL)" width="\(photo.width)" height="\(photo.height)" \
            alt="\(photo.caption.isEmpty ? "Photo" : photo.caption)">
            """
    }
}
