import Web

/// `GET /`: asks for the name of an event, and leads hosts to their page. It lists no events: who has the name of one may
/// look, and who has not may not.
package struct EntrancePage: Sendable {
    /// What was typed, where there is no such event.
    package var unknown: String?
    package var language: Language

    package init(unknown: String? = nil, language: Language = .english) {
        self.unknown = unknown
        self.language = language
    }

    private static let longest = 300

    private var words: Words { .of(language) }

    package var html: String {
        PageShell(title: words[.entranceTitle], kind: "plain", language: language).html(
            """
            <main class="card">
            <h1>\(words[.entranceHeading])</h1>
            <p>\(words[.entranceWords])</p>
            <form action="/" method="get">
            <label for="event">\(words[.entranceLabel])</label>
            <input id="event" name="event" type="text" required maxlength="\(Self.longest)" autocomplete="off" \
            autocapitalize="none" spellcheck="false" enterkeyhint="go"\(typed)>
            \(message)
            <button class="main">\(words[.showPhotos])</button>
            </form>
            <p>\(words.markup(.hosts, ["link": "<a href=\"/host\">\(words[.yourEvents])</a>"]))</p>
            </main>
            \(LanguageMenu.html(language))
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
            <p class="problem" id="problem" role="alert">\(words[.entranceUnknown])</p>
            """
    }
}
