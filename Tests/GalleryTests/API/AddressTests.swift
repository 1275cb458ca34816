import Basics
import HTTPServer
import TestSupport
import Testing
import Web

@testable import Gallery

/// Addresses as guests type them, and what a browser is shown where there is nothing.
@Suite struct GuestAddressTests {
    @Test(
        "a path with slashes too many or capital letters is led to the right one",
        arguments: [
            ("//", "/"), ("/e", "/"), ("/E/", "/"), ("/e//", "/"), ("/e/anna-ben/", "/e/anna-ben"),
            ("//e//anna-ben", "/e/anna-ben"), ("/E/Anna-Ben", "/e/anna-ben"), ("/HOST", "/host"),
            ("/host/", "/host"), ("/anna-ben/", "/anna-ben"), ("/Anna-Ben", "/anna-ben"),
            ("/e/Anna-Ben/photos/", "/e/anna-ben/photos"), ("/E/Ärzte", "/e/%C3%A4rzte"),
            ("/e/a b/", "/e/a%20b"), ("//evil.example", "/evil.example"),
            ("/events/", "/events"), ("/E/Anna/SHOW", "/e/anna/show"), ("/e/anna/P/ID", "/e/anna/p/ID"),
        ])
    func paths(typed: String, path: String) throws {
        let parts = typed.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        #expect(GuestAddress.path(of: parts) == path)
        // Once there it stays there.
        let again = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let decoded = try again.map { try PercentEncoding.decoded($0) }
        #expect(GuestAddress.path(of: decoded) == path || path == "/")
    }

    @Test("what is no address of guests is left alone", arguments: [["events", "", "x"], ["*", "a"], []])
    func others(parts: [String]) {
        #expect(GuestAddress.path(of: parts) == nil)
    }

    @Test(
        "a name is read as it was typed or pasted",
        arguments: [
            ("anna-ben-7k2", "anna-ben-7k2", nil), ("  Anna & Ben 7K2 ", "anna-ben-7k2", nil),
            ("https://photos.example/e/anna-ben-7k2", "anna-ben-7k2", nil),
            ("photos.example/e/Anna-Ben-7k2/?k=AbC_-9&x=1#p", "anna-ben-7k2", "AbC_-9"),
            ("https://photos.example/e/anna-ben-7k2?k=AbC_-9&x=1", "anna-ben-7k2", "AbC_-9"),
            ("Hochzeit Jürgen", "hochzeit-jurgen", nil), ("PHOTOS.EXAMPLE/E/ANNA-BEN", "anna-ben", nil),
            ("https://photos.example/anna-ben-7k2", "anna-ben-7k2", nil),
            ("https://photos.example/e/anna-ben/?x=1&k=AbC_-9", "anna-ben", "AbC_-9"),
        ] as [(String, String, String?)])
    func typed(text: String, slug: String, key: String?) throws {
        let address = try #require(TypedAddress(text))
        #expect(address.slug == slug && address.key == key)
    }

    @Test("what can be no event's name is none", arguments: ["", "a", "&&&&", "日本"])
    func nameless(text: String) { #expect(TypedAddress(text) == nil) }

    @Test("the entrance asks for a name, leads on where there is an event, and lists none")
    func entrance() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let page = try await gallery.call("GET", "/")
        #expect(
            page.status == 200 && page.text.contains("name=\"event\"") && page.text.contains("href=\"/host\"")
        )
        #expect(!page.text.contains(host.slug) && !page.text.contains("Wedding"))
        let found = try await gallery.call("GET", "/?event=%20\(host.slug.uppercased())")
        #expect(found.status == 303 && found.header("Location") == "/e/\(host.slug)")
        let pasted = try await gallery.call(
            "GET", "/?event=http%3A//gallery.example/e/\(host.slug)%3Fk%3Dabc")
        #expect(pasted.header("Location") == "/e/\(host.slug)?k=abc")
        #expect(
            pasted.header("Cache-Control") == "no-store" && pasted.header("Referrer-Policy") == "no-referrer")
        let unknown = try await gallery.call("GET", "/?event=%3Cb%3Enobody")
        #expect(unknown.status == 404 && unknown.text.contains("aria-invalid"))
        #expect(unknown.text.contains("&lt;b&gt;nobody") && !unknown.text.contains("<b>nobody"))
    }

    @Test("an address without its beginning, or in capital letters, leads to the page with all of its query")
    func names() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let browser = [HTTPHeader("Accept", "text/html,*/*;q=0.8")]
        func place(_ name: String, _ headers: [HTTPHeader]) -> String? {
            let query = Query([HTTPHeader("k", "a-b_c"), HTTPHeader("q", "&")])
            let request = Request(path: "/\(name)", query: query, headers: headers)
            return GuestAddress.elsewhere(request, [name])?.headers.first { $0.isNamed("Location") }?.value
        }
        #expect(place(host.slug, browser) == "/e/\(host.slug)?k=a-b_c&q=%26")
        #expect(place(host.slug.uppercased(), browser) == "/\(host.slug)?k=a-b_c&q=%26")
        #expect(place(host.slug, []) == nil, "a program is to say it right")
        for nothing in ["favicon.ico", "-", "a"] { #expect(place(nothing, browser) == nil, "\(nothing)") }
        for path in ["", "/show", "/qr.svg", "/look.css"] {
            let answer = try await gallery.call("GET", "/e/\(host.slug.uppercased())\(path)?k=abc")
            #expect(answer.status == 308 && answer.header("Location") == "/e/\(host.slug)\(path)?k=abc")
        }
    }

    @Test("a program that asks in capital letters is answered, and told where it asks wrong")
    func programs() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let loud = host.slug.uppercased()
        for path in [
            "/photos", "/timeline", "/albums", "/photos?limit=0", "/photos?rating=-1",
        ] {
            let answer = try await gallery.call("GET", "/e/\(loud)\(path)")
            let small = try await gallery.call("GET", "/e/\(host.slug)\(path)")
            #expect(answer.status == (path.contains("?") ? 422 : 200), "\(path): \(answer.text)")
            #expect(answer.status == small.status && answer.text == small.text, "\(path)")
        }
        // A name that no event can have is not written another way.
        for name in ["%C3%84%C3%96", "A%20B", "-A", "A--B"] {
            for path in ["", "/photos", "/photos?rating=-1"] {
                let answer = try await gallery.call("GET", "/e/\(name)\(path)")
                #expect([404, 422].contains(answer.status), "\(name)\(path): \(answer.status)")
            }
        }
    }
}

/// What the server says where no route answers, and last about every answer.
@Suite struct FinishingTests {
    private static let browser = [
        HTTPHeader("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
    ]

    private func finish(_ refusal: APIError, _ headers: [HTTPHeader]) throws -> Response {
        let gallery = try GalleryGround()
        return gallery.server.finish(Request(path: "/", headers: headers), refusal.response)
    }

    private func text(_ response: Response) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func header(_ name: String, _ response: Response) -> [String] {
        response.headers.filter { $0.isNamed(name) }.map(\.value)
    }

    @Test(
        "a browser is told in words, a client of the API in the API's",
        arguments: [
            (APIError.Code.notFound, "There is nothing here"), (.gone, "This gallery is closed"),
            (.payloadTooLarge, "That was too much"), (.rateLimited, "wait 7 seconds"),
            (.internalError, "take a break"), (.serviceUnavailable, "take a break"),
            (.forbidden, "The &lt;reason&gt;."),
        ] as [(APIError.Code, String)])
    func words(code: APIError.Code, words: String) throws {
        let refusal = APIError(code, "the <reason>", retryAfter: code == .rateLimited ? .seconds(7) : nil)
        let page = try finish(refusal, Self.browser)
        #expect(page.status == code.status && text(page).contains(words), "\(text(page))")
        #expect(header("Content-Type", page) == ["text/html; charset=utf-8"])
        #expect(header("Content-Security-Policy", page).count == 1)
        #expect(header("Cache-Control", page).count == 1)
        let wait = code == .rateLimited ? ["7"] : code == .serviceUnavailable ? ["2"] : []
        #expect(header("Retry-After", page) == wait)
        for accept in ["*/*", "application/json", "application/json, text/html", "image/avif,*/*"] {
            let answer = try finish(refusal, [HTTPHeader("Accept", accept)])
            #expect(text(answer).hasPrefix("{\"error\"") && answer.status == code.status)
        }
        #expect(text(try finish(refusal, [])).hasPrefix("{\"error\""))
    }

    @Test(
        "https is asked for in every answer where guests come by it only, and never where a proxy says http")
    func transport() throws {
        let name = "Strict-Transport-Security"
        let open = try GalleryGround()
        let closed = try GalleryGround { $0.publicURL = "https://photos.example" }
        let answers = [
            Response(status: 200, body: .bytes([1])), Response(status: 304),
            APIError(.conflict, "no").response,
        ]
        for answer in answers {
            let request = Request(path: "/")
            #expect(header(name, open.server.finish(request, answer)) == [])
            #expect(header(name, closed.server.finish(request, answer)) == ["max-age=31536000"])
            let plain = Request(path: "/", headers: [HTTPHeader("X-Forwarded-Proto", "http")])
            #expect(header(name, closed.server.finish(plain, answer)) == [])
            let secure = Request(path: "/", headers: [HTTPHeader("X-Forwarded-Proto", "https")])
            #expect(header(name, closed.server.finish(secure, answer)).count == 1)
        }
    }

    @Test("figures are for this machine and for whom the operator names")
    func metrics() async throws {
        let gallery = try GalleryGround { settings in
            do throws(AddressNetwork.Unreadable) {
                settings.metricsFrom = [
                    try AddressNetwork("192.0.2.0/24"), try AddressNetwork("2001:db8::7"),
                ]
            } catch {
                Issue.record("\(error)")
            }
        }
        for peer in ["127.0.0.1", "::1", "192.0.2.9", "2001:db8::7"] {
            #expect(try await gallery.call("GET", "/metrics", peer: peer).status == 200, "\(peer)")
        }
        for peer in ["192.0.3.1", "2001:db8::8", "10.0.0.1"] {
            let answer = try await gallery.call("GET", "/metrics", peer: peer)
            #expect(answer.status == 403 && answer.text.contains("--metrics-from \(peer)"), "\(answer)")
            #expect(!answer.text.contains("gallery_http"))
        }
        // What came through a proxy that is not named is from all the world.
        let passed = [HTTPHeader("X-Forwarded-For", "127.0.0.1")]
        for proxy in ["127.0.0.1", "192.0.2.9"] {
            let answer = try await gallery.call("GET", "/metrics", headers: passed, peer: proxy)
            #expect(answer.status == 403, "\(proxy)")
        }
    }
}
