import Basics
import HTTPServer
import Testing

@testable import Gallery

extension GalleryGround {
    /// Where a browser that keeps cookies comes to when an answer gives it a pass; nothing where it is sent nowhere.
    func arrival(of answer: Answer) async throws -> String? {
        guard answer.status == 303, let place = answer.header("Location") else { return nil }
        let pass = answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init)
        let next = try await call("GET", place, headers: pass.map { [HTTPHeader("Cookie", $0)] } ?? [])
        return next.status == 303 ? next.header("Location") : place
    }
}

/// What a guest reads whose browser keeps no cookies, with scripts or without; and that the others notice nothing of it.
@Suite struct NoCookiesTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let key: String
    private let photo: String

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(event: ["name": "Wedding", "pin": "13579"])
        photo = try #require(try await gallery.upload("kiss", for: host)?["id"]?.string)
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        key = try #require(event["entryUrl"]?.string?.split(separator: "k=").last.map(String.init))
    }

    private var page: String { "/e/\(host.slug)" }

    private func get(_ target: String, cookie: String? = nil) async throws -> GalleryGround.Answer {
        try await gallery.call("GET", target, headers: cookie.map { [HTTPHeader("Cookie", $0)] } ?? [])
    }

    private func type(_ form: String, cookie: String? = nil) async throws -> GalleryGround.Answer {
        let headers =
            [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
            + (cookie.map { [HTTPHeader("Cookie", $0)] } ?? [])
        return try await gallery.call(
            "POST", "\(page)/access", bytes: Array(form.utf8), headers: headers)
    }

    private func cookie(of answer: GalleryGround.Answer) throws -> String {
        try #require(answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
    }

    private func says(_ answer: GalleryGround.Answer, _ language: Language = .english) -> Bool {
        answer.text.contains("role=\"alert\">\(Words.of(language)[.noCookies])</p>")
    }

    @Test("a right PIN that leads back to the door says why, and the form still leads to what was asked for")
    func byPIN() async throws {
        let album = TestIDs.id(7)
        for (field, value) in [("", ""), ("photo", photo), ("album", album), ("show", "12")] {
            let right = try await type(field.isEmpty ? "pin=13579" : "\(field)=\(value)&pin=13579")
            #expect(right.status == 303 && right.header("Cache-Control") == "no-store")
            let back = try await get(try #require(right.header("Location")))
            #expect(back.status == 200 && says(back), "\(field): \(back)")
            #expect(back.header("Cache-Control") == "private, no-cache")
            // What was typed was right.
            #expect(!back.text.contains("aria-invalid"))
            let seen = try HeadReader(back.text)
            if !field.isEmpty { #expect(seen.fields[field] == value, "\(seen.fields)") }
            #expect(seen.scripts == 0)
        }
        let wrong = try await type("pin=24680")
        #expect(wrong.status == 401 && !says(wrong))
    }

    @Test("so does the key of a QR code, which stays in no address")
    func byKey() async throws {
        for target in ["\(page)?k=\(key)", "\(page)/show?seconds=12&k=\(key)"] {
            let entered = try await get(target)
            let place = try #require(entered.header("Location"))
            #expect(entered.status == 303 && !place.contains(key))
            let back = try await get(place)
            #expect(back.status == 200 && says(back), "\(target): \(back)")
        }
        let old = try await get("\(page)?k=AAAAAAAAAAAAAAAAAAAAAA")
        #expect(old.status == 401 && !says(old) && old.text.contains(Words.of(.english)[.oldKey]))
    }

    @Test("another language says the same, by the menu of that page", arguments: Language.allCases)
    func inWords(language: Language) async throws {
        let place = try #require(try await type("photo=\(photo)&pin=13579").header("Location"))
        let links = try HeadReader(try await get(place).text).links
        let link = try #require(links.first { $0.hasSuffix("lang=\(language.code)") })
        #expect(link.hasPrefix("\(page)/p/\(photo)?"))
        let chosen = try await get(link)
        #expect(chosen.status == 200 && says(chosen, language))
        #expect(chosen.header("Content-Language") == language.tag)
    }

    @Test("a browser that brings the pass is sent on once, to the address that others may be sent")
    func kept() async throws {
        let entered = try await get("\(page)?k=\(key)")
        let pass = try cookie(of: entered)
        let place = try #require(entered.header("Location"))
        let sentOn = try await get(place, cookie: pass)
        #expect(sentOn.status == 303 && sentOn.header("Location") == page)
        #expect(sentOn.header("Cache-Control") == "no-store" && sentOn.header("Set-Cookie") == nil)
        let mark = try #require(place.split(separator: "?").last)
        let album = TestIDs.id(7)
        for (rest, more) in [
            ("", "album=\(album)"), ("", "q=the%20cake&cursor=7"), ("", "lang=de"), ("/show", "seconds=12"),
            ("/p/\(photo)", ""), ("/p/\(TestIDs.id(9))", ""),
        ] {
            let clean = more.isEmpty ? "\(page)\(rest)" : "\(page)\(rest)?\(more)"
            for target in ["\(page)\(rest)?\(mark)&\(more)", "\(page)\(rest)?\(more)&\(mark)"] {
                let answer = try await get(target, cookie: pass)
                #expect(answer.status == 303 && answer.header("Location") == clean, "\(target)")
            }
            // No round of redirects.
            #expect(try await get(clean, cookie: pass).status != 303, "\(clean)")
        }
    }

    @Test("a browser that has brought a cookie of this door is sent to the page at once")
    func known() async throws {
        let device = try cookie(of: try await get(page))
        let right = try await type("pin=13579", cookie: device)
        #expect(right.status == 303 && right.header("Location") == page)
        let section = TestIDs.id(7)
        let toSection = try await type("album=\(section)&pin=13579", cookie: device)
        #expect(toSection.header("Location") == "\(page)?album=\(section)")
        // A pass is one as well, also of a PIN that is not the event's any more.
        let pass = try cookie(of: right)
        let changed = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": "97531"], token: gallery.token(host))
        #expect(changed.status == 200)
        #expect(try await type("pin=97531", cookie: pass).header("Location") == page)
        #expect(try await get("\(page)?k=\(key)", cookie: pass).header("Location") == page)
        // One of another event, or of another page, tells nothing of that.
        for other in ["lang=de", "guest_0000=1.x", "device=made-up"] {
            let place = try #require(try await type("pin=97531", cookie: other).header("Location"))
            let back = try await get(place, cookie: other)
            #expect(says(back, other == "lang=de" ? .german : .english), "\(other)")
        }
    }

    @Test("the address that such a browser shows says nothing of another one, nor of the same one later")
    func sent() async throws {
        let place = try #require(try await type("pin=13579").header("Location"))
        let device = try cookie(of: try await get(page))
        let elsewhere = try await get(place, cookie: device)
        #expect(elsewhere.status == 200 && !says(elsewhere))
        gallery.wall.go(.seconds(30))
        let soon = try await get(place)
        #expect(says(soon))
        gallery.wall.go(.seconds(3600))
        let later = try await get(place)
        #expect(later.status == 200 && !says(later))
        for made in ["", "1", "-1", "x", "9223372036854775807", "99999999999999999999", "%3Cb%3E"] {
            let answer = try await get("\(page)?entered=\(made)")
            #expect(answer.status == 200 && !says(answer), "\(made)")
            #expect(!answer.text.contains("<b>"))
        }
    }

    @Test("an event without a PIN gives no pass, and takes the mark of one out of its address")
    func open() async throws {
        let opened = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": .null], token: gallery.token(host))
        #expect(opened.status == 200)
        let entered = try await get("\(page)?k=\(key)")
        #expect(entered.status == 303 && entered.header("Location") == page)
        #expect(entered.header("Set-Cookie") == nil)
        let marked = try await get("\(page)?entered=1")
        #expect(marked.status == 303 && marked.header("Location") == page)
    }
}
