import Basics
import Web

/// `GET /e/{slug}` of an event with a PIN, for a guest who has not entered it yet, and what `POST /e/{slug}/access` says to a
/// form whose PIN was wrong (401) or came too often (429). It also says where a browser keeps no cookies (``EntryMark``).
///
/// A page that only asks is answered with 200: messengers show nothing of any other answer, and the event's name is what they
/// are to show of its link. What programs ask for without the PIN is refused with 403.
///
/// The form sends `pin=…` as application/x-www-form-urlencoded; a right one is answered with the guest's cookie and 303 to
/// /e/{slug}, or to the photo, section or show that it names.
package struct PINPage: Sendable {
    package enum Problem: Equatable, Sendable {
        case wrong
        /// Too many tries; the next one is taken after that long.
        case tooMany(retryAfter: Duration)
        /// He came by a link whose key is not the event's any more.
        case oldKey
        /// He was let in, and the browser has not brought the pass. `mark` is what its address says of that.
        case noCookies(mark: String)
    }

    /// What a link named: the form leads there.
    package enum Goal: Equatable, Sendable {
        /// By its id.
        case photo(String)
        /// By its id.
        case section(String)
        /// The screen in the hall, with that many seconds for a photo.
        case show(seconds: Int)

        /// Behind the event's address.
        var path: String {
            switch self {
            case .photo(let id): PhotoPage.path(of: id)
            case .section: ""
            case .show: "/show"
            }
        }

        var query: String {
            switch self {
            case .photo: ""
            case .section(let id): "album=\(id)"
            case .show(let seconds): "seconds=\(seconds)"
            }
        }

        fileprivate var field: (name: String, value: String) {
            switch self {
            case .photo(let id): ("photo", id)
            case .section(let id): ("album", id)
            case .show(let seconds): ("show", "\(seconds)")
            }
        }
    }

    /// What the address of a goal says behind the question mark, beside a mark of its own.
    static func query(_ goal: Goal?, _ mark: String?) -> String {
        [goal?.query ?? "", mark ?? ""].filter { !$0.isEmpty }.joined(separator: "&")
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
            \(LanguageMenu.html(language, at: path + (goal?.path ?? ""), keeping: Self.query(goal, mark)))
            """)
    }

    private var path: String { "/e/\(PercentEncoding.encoded(slug))" }

    private var field: HTMLText {
        goal.map { "<input type=\"hidden\" name=\"\($0.field.name)\" value=\"\($0.field.value)\">\n" }
            ?? .none
    }

    /// In another language it says the same.
    private var mark: String? {
        if case .noCookies(let mark) = problem { return mark }
        return nil
    }

    private var fault: HTMLText {
        if problem == nil { return .none }
        // The PIN was right where the cookie is what is missing.
        return mark == nil
            ? " aria-invalid=\"true\" aria-describedby=\"problem\"" : " aria-describedby=\"problem\""
    }

    private var message: HTMLText {
        let message: String
        switch problem {
        case nil: return .none
        case .wrong: message = words[.pinWrong]
        case .tooMany(let wait): message = words(.pinTooMany, ["wait": words.wait(wait)])
        case .oldKey: message = words[.oldKey]
        case .noCookies: message = words[.noCookies]
        }
        return "<p class=\"problem\" id=\"problem\" role=\"alert\">\(message)</p>"
    }
}
