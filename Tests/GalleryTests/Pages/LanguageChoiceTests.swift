import Basics
import HTTPServer
import TestSupport
import Testing
import Web

@testable import Gallery

/// Which language a page is in: what the guest has chosen, or else what the browser asks for.
@Suite struct LanguageChoiceTests {
    @Test(
        "the best language that a browser asks for is spoken, and English where there is none",
        arguments: [
            ("", "en"), ("de", "de"), ("de-AT", "de"), ("DE-at", "de"), ("pt-BR,pt;q=0.9,en;q=0.8", "pt"),
            ("nl,sv;q=0.9", "en"), ("nl,sv;q=0.9,ja;q=0.1", "ja"), ("en;q=0.8,fr", "fr"),
            // Of the same weight the first is preferred.
            ("fr;q=0.5,it;q=0.5", "fr"), ("it;q=0.5 , fr;q=0.5", "it"), ("fr;q=0.501,it;q=0.502", "it"),
            ("th;Q=1.000", "th"), ("ja ;\tq=0.3, es; q=0.2", "ja"), (",,de,", "de"),
            // Zero is no.
            ("de;q=0", "en"), ("de;q=0,fr;q=0.001", "fr"), ("de;q=0.000,fr;q=0.0", "en"),
            // Any but those that are refused.
            ("*", "en"), ("en;q=0,*", "de"), ("nl,*;q=0.5", "en"), ("*;q=0.1,es;q=0.2", "es"),
            // What is written as none can be is passed over.
            ("de;q=2", "en"), ("de;q=0.5555,it", "it"), ("de;q=1.1", "en"), ("de;q=-1", "en"),
            ("de;q", "en"), ("de;q=", "en"), ("de;level=1", "en"), ("de;q=1;q=1", "en"), ("de;q=.5", "en"),
            ("de_AT", "en"), ("d€", "en"), ("deutsch-und-mehr-davon", "en"), ("-de", "en"), ("de-", "en"),
            ("<script>", "en"), ("\u{0}", "en"), ("zh-Hant-TW,zh;q=0.9", "en"),
        ])
    func accepted(header: String, code: String) {
        #expect(Language(accepting: header).code == code)
    }

    @Test("a header longer than any that browsers send is not looked at")
    func long() {
        #expect(Language(accepting: String(repeating: "nl,", count: 300) + "de").code == "de")
        #expect(Language(accepting: String(repeating: "nl,", count: 400) + "de").code == "en")
        #expect(Language(accepting: String(repeating: "n", count: 100_000)).code == "en")
    }

    @Test(
        "an address chooses before a cookie, a cookie before the browser, and what is no language chooses nothing",
        arguments: [
            ("?lang=ja", "lang=de", "fr", "ja", true), ("", "lang=de", "fr", "de", false),
            ("?lang=TH", "", "", "th", true), ("?lang=xx", "lang=de", "fr", "de", false),
            ("", "lang=xx", "fr", "fr", false), ("", "lang=", "fr", "fr", false),
            ("", "other=it; lang=es", "fr", "es", false), ("?lang=", "", "it", "it", false),
            ("?lang=de-AT", "", "", "en", false), ("?lang=de%0d%0aX:1", "", "", "en", false),
        ])
    func chosen(query: String, cookie: String, accepted: String, code: String, isKept: Bool) async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let headers = [("Cookie", cookie), ("Accept-Language", accepted)].filter { !$0.1.isEmpty }
            .map { HTTPHeader($0.0, $0.1) }
        let page = try await gallery.call("GET", "/e/\(host.slug)\(query)", headers: headers)
        #expect(page.status == 200 && page.header("Content-Language") == code)
        #expect(page.text.contains("<html lang=\"\(code)\" dir=\"ltr\">"))
        let kept = page.header("Set-Cookie")
        #expect((kept != nil) == isKept)
        if isKept {
            #expect(kept?.hasPrefix("lang=\(code); Path=/; Max-Age=31536000") == true)
            let next = try await gallery.call(
                "GET", "/e/\(host.slug)", headers: [HTTPHeader("Cookie", "lang=\(code)")])
            #expect(next.header("Content-Language") == code && next.header("Set-Cookie") == nil)
        }
    }

    @Test("several headers count as one")
    func several() async throws {
        let gallery = try GalleryGround()
        let headers = [HTTPHeader("Accept-Language", "nl"), HTTPHeader("accept-language", "it;q=0.4")]
        let page = try await gallery.call("GET", "/", headers: headers)
        #expect(page.header("Content-Language") == "it")
    }

    /// Over the network, where answers are compressed.
    @Test("every page that guests see says its language, and that no cache may give it to others")
    func pages() async throws {
        let gallery = try GalleryGround(isServed: true)
        let host = try await gallery.host(event: ["name": "Hochzeit"])
        let photo = try #require(try await gallery.upload("kiss", for: host)?["id"]?.string)
        let closed = try await gallery.call(
            "POST", "/events", ["name": "Closed", "pin": "13579"], token: gallery.token(host))
        let slug = try #require(closed["slug"]?.string)
        let browser = [HTTPHeader("Accept", "text/html"), HTTPHeader("Accept-Language", "de")]
        let words = Words.of(.german)
        let asked: [(String, Int, String)] = [
            ("/", 200, words[.entranceHeading]), ("/?event=x", 404, words[.entranceUnknown]),
            ("/e/\(host.slug)", 200, words[.skip]), ("/e/\(host.slug)?q=zebra", 200, words[.searched]),
            ("/e/\(host.slug)/show", 200, words[.showPhone]), ("/e/\(slug)", 200, words[.pinLabel]),
            ("/e/\(host.slug)/p/\(photo)", 200, words[.getPhoto]),
            ("/e/\(slug)/p/\(photo)", 200, words[.pinLabel]), ("/e/nothing", 404, words[.notFound]),
            ("/e/\(host.slug)/p/x", 404, words[.noPhoto]),
            // What the API refuses, as a browser shows it.
            ("/e/\(slug)/photos", 403, words[.refusedForbidden]),
            ("/e/nothing/photos", 404, words[.notFound]),
            // Hosts are told in the API's own words.
            ("/events/\(host.event)", 401, "<p>Log in"),
            ("/e/\(host.slug)/photos?cursor=x", 422, words[.refusedRequest]),
        ]
        for (target, status, text) in asked {
            let answer = try await gallery.call("GET", target, headers: browser)
            #expect(answer.status == status && answer.text.contains(text), "\(target): \(answer)")
            #expect(answer.text.contains("<html lang=\"de\" dir=\"ltr\">"), "\(target)")
            #expect(answer.header("Content-Language") == "de", "\(target)")
            let vary = answer.headers.filter { $0.isNamed("Vary") }.map(\.value).joined(separator: ", ")
            #expect(vary.contains("Accept-Language") && vary.contains("Cookie"), "\(target): \(vary)")
            #expect(answer.header("Cache-Control") == "private, no-cache" && answer.header("ETag") == nil)
        }
        // A program gets the API's own words.
        let refused = try await gallery.call(
            "GET", "/e/\(slug)/photos", headers: [HTTPHeader("Accept-Language", "de")])
        #expect(refused.status == 403 && refused.json["error"]?["message"]?.string?.contains("PIN") == true)
    }

    @Test("a wrong PIN is said in the language of its form")
    func pin() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(event: ["name": "Wedding", "pin": "13579"])
        let form = [
            HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("Cookie", "lang=ja"),
        ]
        let wrong = try await gallery.call(
            "POST", "/e/\(host.slug)/access", bytes: Array("pin=24680".utf8), headers: form)
        #expect(wrong.status == 401 && wrong.header("Content-Language") == "ja")
        #expect(wrong.text.contains(Words.of(.japanese)[.pinWrong]))
        // The page has the form's address by now, which is none to come back to.
        #expect(wrong.text.contains("href=\"/e/\(host.slug)?lang=de\""))
    }

    @Test("hosts' pages stay English, and scripts, lists and manifests know no language")
    func others() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let german = [HTTPHeader("Accept-Language", "de")]
        let page = try await gallery.call("GET", "/host", headers: german)
        #expect(
            page.text.contains("<html lang=\"en\" dir=\"ltr\">") && page.header("Content-Language") == nil)
        for rest in ["/manifest.webmanifest", "/photos", "/timeline"] {
            let plain = try await gallery.call("GET", "/e/\(host.slug)\(rest)")
            let other = try await gallery.call("GET", "/e/\(host.slug)\(rest)?lang=ja", headers: german)
            #expect(plain.text == other.text && other.header("Set-Cookie") == nil, "\(rest)")
        }
    }

    @Test("the script for browsers without a connection is the same in every language")
    func worker() async throws {
        let gallery = try GalleryGround()
        for query in ["", "?lang=de", "?lang=xx"] {
            let answer = try await gallery.call(
                "GET", "/e/sw.js\(query)", headers: [HTTPHeader("Accept-Language", "it")])
            #expect(answer.status == 200 && answer.header("Set-Cookie") == nil)
            #expect(answer.text == ServiceWorker.script)
        }
        for language in Language.allCases {
            #expect(ServiceWorker.script.contains(Words.of(language)[.offlineWords]), "\(language)")
        }
    }
}
