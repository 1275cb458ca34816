import Basics
import Web

/// `GET /e/{slug}` of an event with a PIN, for a guest who has not entered it yet (answered with 401), and what `POST
/// /e/{slug}/access` says to a form whose PIN was wrong (401) or came too often (429).
///
/// The form sends `pin=…` as application/x-www-form-urlencoded; a right one is answered with the guest's cookie and 303 to
/// /e/{slug}, or to the photo or section that it names.
package struct PINPage: Sendable {
    package enum Problem: Equatable, Sendable {
        case wrong
        /// Too many tries; the next one is taken after that long.
        case tooMany(retryAfter: Duration)
        /// He came by a link whose key is not the event's any more.
        case oldKey
    }

    /// What a link named, by its id: the form leads there.
    package enum Goal: Equatable, Sendable {
        case photo(String)
        case section(String)

        /// Behind the event's address.
        var path: String { if case .photo(let id) = self { PhotoPage.path(of: id) } else { "" } }

        var query: String { if case .section(let id) = self { "album=\(id)" } else { "" } }

        var address: String { query.isEmpty ? path : "\(path)?\(query)" }

        fileprivate var field: (name: String, id: String) {
            switch self {
            case .photo(let id): ("photo", id)
            case .section(let id): ("album", id)
            }
        }
    }

    package var name: String
    package var slug: String
    package var problem: Problem?
    /// Nothing where that is the event as a whole.
    package var goal: Goal?
    package var look: PageLook
    package var language: Language

    package init(
        name: String, slug: String, problem: Problem? = nil, goal: Goal? = nil,
        look: PageLook = PageLook(),
        language: Language = .english
    ) {
        self.name = name
        self.slug = slug
        self.problem = problem
        self.goal = goal
        self.look = look
        self.language = language
    }

    private var words: Words { .of(language) }

    package var html: String {
        PageShell(
            title: name, summary: words[.closedSummary], extra: look.link,
            styles: ["page.css"] + look.styles(),
            kind: "plain", language: language, hasOwnColours: look.sheet != nil
        ).html(
            """
            <main class="card">
            \(look.picture)<p class="over">\(words[.photosOf])</p>
            <h1 dir="auto">\(name)</h1>
            <form action="\(path)/access" method="post">
            <label for="pin">\(words[.pinLabel])</label>
            <input id="pin" class="pin" name="pin" type="text" inputmode="numeric" pattern="[0-9]{4,12}" \
            minlength="4" maxlength="12" required autofocus autocomplete="off" title="\(words[.pinTitle])"\(fault)>
            \(message)
            \(field)<button class="main">\(words[.showPhotos])</button>
            </form>
            <p>\(words[.pinByCode])</p>
            </main>
            \(LanguageMenu.html(language, at: path + (goal?.path ?? ""), keeping: goal?.query ?? ""))
            """)
    }

    private var path: String { "/e/\(PercentEncoding.encoded(slug))" }

    private var field: HTMLText {
        goal.map { "<input type=\"hidden\" name=\"\($0.field.name)\" value=\"\($0.field.id)\">\n" } ?? .none
    }

    private var fault: HTMLText {
        problem == nil ? .none : " aria-invalid=\"true\" aria-describedby=\"problem\""
    }

    private var message: HTMLText {
        let message: String
        switch problem {
        case nil: return .none
        case .wrong: message = words[.pinWrong]
        case .tooMany(let wait): message = words(.pinTooMany, ["wait": words.wait(wait)])
        case .oldKey: message = words[.oldKey]
        }
        return "<p class=\"problem\" id=\"problem\" role=\"alert\">\(message)</p>"
    }
}
