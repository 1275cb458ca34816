import Web

/// `GET /`: asks for the name of an event, and leads hosts to their page. It lists no events: who has the name of one may
/// look, and who has not may not.
package struct EntrancePage: Sendable {
    /// What was typed, where there is no such event.
    package var unknown: String?

    package init(unknown: String? = nil) {
        self.unknown = unknown
    }

    private static let longest = 300

    package var html: String {
        PageShell(title: "Photos", kind: "plain").html(
            """
            <main class="card">
            <h1>Looking for photos?</h1>
            <p>Scan the hosts’ QR code, or type the name that stands below it or on the invitation.</p>
            <form action="/" method="get">
            <label for="event">The name, or the link that you were sent</label>
            <input id="event" name="event" type="text" required maxlength="\(Self.longest)" autocomplete="off" \
            autocapitalize="none" spellcheck="false" enterkeyhint="go"\(typed)>
            \(message)
            <button class="main">Show the photos</button>
            </form>
            <p>Hosts: <a href="/host">your events</a></p>
            </main>
            """)
    }

    private var typed: HTMLText {
        guard let unknown else { return .none }
        return
            " value=\"\(String(unknown.prefix(Self.longest)))\" aria-invalid=\"true\" aria-describedby=\"problem\""
    }

    private var message: HTMLText {
        unknown == nil
            ? .none
            : """
            <p class="problem" id="problem" role="alert">There is no event of this name. Perhaps a letter is missing: \
            names end with some letters and digits.</p>
            """
    }
}
