import Basics
import Web

/// `GET /e/{slug}` of an event with a PIN, for a guest who has not entered it yet (answered with 401), and what `POST
/// /e/{slug}/access` says to a form whose PIN was wrong (401) or came too often (429).
///
/// The form sends `pin=…` as application/x-www-form-urlencoded; a right one is answered with the guest's cookie and 303 to
/// /e/{slug}.
package struct PINPage: Sendable {
    package enum Problem: Equatable, Sendable {
        case wrong
        /// Too many tries; the next one is taken after that long.
        case tooMany(retryAfter: Duration)
        /// He came by a link whose key is not the event's any more.
        case oldKey
    }

    package var name: String
    package var slug: String
    package var problem: Problem?
    /// The id of the photo that a link named, as the link said it: the form leads there.
    package var photo: String?

    package init(name: String, slug: String, problem: Problem? = nil, photo: String? = nil) {
        self.name = name
        self.slug = slug
        self.problem = problem
        self.photo = photo
    }

    package var html: String {
        PageShell(title: name, summary: LinkPreview.closedSummary, kind: "plain").html(
            """
            <main class="card">
            <p class="over">Photos of</p>
            <h1 dir="auto">\(name)</h1>
            <form action="/e/\(PercentEncoding.encoded(slug))/access" method="post">
            <label for="pin">The PIN that the hosts gave you</label>
            <input id="pin" class="pin" name="pin" type="text" inputmode="numeric" pattern="[0-9]{4,12}" \
            minlength="4" maxlength="12" required autofocus autocomplete="off" title="4 to 12 digits"\(fault)>
            \(message)
            \(goal)<button class="main">Show the photos</button>
            </form>
            <p>If you scan the hosts’ QR code you need no PIN.</p>
            </main>
            """)
    }

    private var goal: HTMLText {
        photo.map { "<input type=\"hidden\" name=\"photo\" value=\"\($0)\">\n" } ?? .none
    }

    private var fault: HTMLText {
        problem == nil ? .none : " aria-invalid=\"true\" aria-describedby=\"problem\""
    }

    private var message: HTMLText {
        switch problem {
        case nil: .none
        case .wrong:
            """
            <p class="problem" id="problem" role="alert">That is not the PIN. Please look at it again.</p>
            """
        case .tooMany(let wait):
            """
            <p class="problem" id="problem" role="alert">Too many PINs came from this network. Scan the hosts’ QR code, \
            which lets you in at once, or wait \(Self.spoken(wait)) and try again.</p>
            """
        case .oldKey:
            """
            <p class="problem" id="problem" role="alert">This link or QR code has been replaced. \
            Scan the new one, or enter the PIN.</p>
            """
        }
    }

    /// "40 seconds", "2 minutes": rounded up, so that a guest who waits as long may try.
    static func spoken(_ wait: Duration) -> String {
        let seconds = max(1, (wait.wholeMilliseconds + 999) / 1000)
        if seconds <= 90 { return Int(seconds).counted("second", "seconds") }
        if seconds <= 5400 { return Int((seconds + 59) / 60).counted("minute", "minutes") }
        return Int((seconds + 3599) / 3600).counted("hour", "hours")
    }
}

/// Pages that only say something.
package enum PlainPage {
    /// 404: no such event, or nothing at this address.
    package static var notFound: String {
        page(
            "Not found", "There is nothing here",
            "Perhaps a letter of the address is missing. Scan the QR code again, or ask the hosts for the link."
        )
    }

    /// 404: guests see no such photo, or not any more.
    package static func noPhoto(of event: PageEvent) -> String {
        page(
            event.name, "That photo is not here", "Perhaps the hosts have taken it away.",
            """
            <p><a class="button" href="\(event.path)">All photos of <bdi>\(event.name)</bdi></a></p>
            """)
    }

    /// 410: the event's end has passed, and guests see its photos no more.
    package static func over(name: String) -> String {
        page(
            name, "\(name): this gallery is closed",
            "Its photos can no longer be viewed here. If you would like one, ask the hosts.")
    }

    /// The same of one whose name is not to be said here.
    package static var over: String {
        page(
            "Closed", "This gallery is closed",
            "Its photos can no longer be viewed here. If you would like one, ask the hosts.")
    }

    /// 413
    package static var tooLarge: String {
        page("Too large", "That was too much", "What was sent is larger than what is taken here.")
    }

    /// 429, where something else than a PIN came too often.
    package static func tooMany(retryAfter wait: Duration) -> String {
        page(
            "One moment", "Many ask at this moment",
            "Please wait \(PINPage.spoken(wait)), and reload this page then.")
    }

    /// What else is refused: the API's own sentence.
    package static func refused(_ message: String) -> String {
        page("Not here", "This cannot be shown", "\(message.prefix(1).uppercased())\(message.dropFirst()).")
    }

    /// Shown by a browser that has kept it, where the server cannot be reached.
    package static var offline: String {
        page(
            "No connection", "There is no connection",
            "The photos are here again as soon as this device is online, or the gallery answers.",
            "<p><a class=\"button\" href=\"\">Try again</a></p>")
    }

    /// 500, 503 and the like, for browsers.
    package static var trouble: String {
        page(
            "One moment", "The photos take a break",
            "Something went wrong here, and not with you. Please reload in a minute.")
    }

    private static func page(
        _ title: String, _ heading: String, _ words: String, _ link: HTMLText = .none
    ) -> String {
        PageShell(title: title, kind: "plain").html(
            "<main class=\"card\"><h1 dir=\"auto\">\(heading)</h1><p>\(words)</p>\(link)</main>")
    }
}
