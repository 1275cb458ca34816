import Basics
import HTTPServer
import TestSupport
import Testing
import Web

@testable import Gallery

/// What a browser installs of the guests' page, and the script by which it keeps what pages are made of.
@Suite struct InstallTests {
    @Test(
        "the manifest has what browsers need for installing, with icons that are there and as large as it says"
    )
    func manifest() async throws {
        let gallery = try GalleryGround()
        let name = "Ann & \"Ben\" <3"
        let host = try await gallery.host(event: ["name": .string(name), "pin": "13579"])
        _ = try await gallery.upload("kiss", for: host)
        let path = "/e/\(host.slug)"
        // As browsers ask for it: without cookies.
        let answer = try await gallery.call("GET", "\(path)/manifest.webmanifest")
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/manifest+json")
        var limits = JSON5.Limits()
        limits.isStrict = true
        let manifest = try JSON5.parse(answer.text, limits: limits)
        #expect(manifest["name"]?.string == name && manifest["display"]?.string == "standalone")
        for member in ["id", "start_url", "scope"] { #expect(manifest[member]?.string == path, "\(member)") }
        // Every member of it is known: it says no more than the page that asks for the PIN.
        #expect(
            manifest.members?.map(\.key).sorted() == [
                "background_color", "dir", "display", "icons", "id", "name", "scope", "short_name",
                "start_url",
                "theme_color",
            ])
        let icons = try #require(manifest["icons"]?.array)
        #expect(Set(icons.compactMap { $0["purpose"]?.string }) == ["any", "maskable"])
        for icon in icons {
            let got = try await gallery.call("GET", try #require(icon["src"]?.string))
            #expect(got.status == 200 && got.header("Content-Type") == "image/png")
            #expect(got.header("Cache-Control")?.contains("immutable") == true)
            let size = try #require(Self.size(ofPNG: got.bytes))
            #expect(icon["sizes"]?.string == "\(size.width)x\(size.height)" && size.width >= 192)
        }
        let loud = try await gallery.call(
            "GET", "\(path.uppercased())/manifest.webmanifest".replacing("/E/", with: "/e/"))
        #expect(loud.status == 308 && loud.header("Location") == "\(path)/manifest.webmanifest")
        #expect(try await gallery.call("GET", "/e/nothing/manifest.webmanifest").status == 404)
    }

    /// "The first eight bytes of a PNG datastream always contain" its signature; IHDR comes first (PNG §5.2, §11.2.1).
    private static func size(ofPNG bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count > 24, Array(bytes[..<8]) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            Array(bytes[12..<16]) == Array("IHDR".utf8)
        else { return nil }
        func number(_ start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }

    @Test(
        "the guests' page names the manifest and an icon for iOS, and its policy lets the browser have them")
    func links() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let page = try await gallery.call("GET", "/e/\(host.slug)")
        #expect(page.text.contains("<link rel=\"manifest\" href=\"/e/\(host.slug)/manifest.webmanifest\">"))
        let icon = PageAssets.set.path("full-192.png")
        #expect(page.text.contains("<link rel=\"apple-touch-icon\" href=\"\(icon)\">"))
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.contains("manifest-src 'self'") && policy.contains("worker-src 'self'"))
    }

    @Test("an event that is over is not installed any more")
    func over() async throws {
        let gallery = try GalleryGround()
        let end = CivilTime.rfc3339(milliseconds: gallery.wall.wallNow.milliseconds + 60_000)
        let host = try await gallery.host(event: ["name": "Wedding", "expiresAt": .string(end)])
        let path = "/e/\(host.slug)/manifest.webmanifest"
        #expect(try await gallery.call("GET", path).status == 200)
        gallery.wall.go(.milliseconds(60_000))
        #expect(try await gallery.call("GET", path).status == 410)
    }

    @Test(
        "the icons are what the drawing makes them",
        .enabled(
            if: Tool.isThere("vipsthumbnail") && Tool.isThere("compare"),
            "vips or ImageMagick is not installed"))
    func icons() async throws {
        try await aside {
            let outcome = try #require(Tool("bash")).run(["tools/icons", "--check"])
            #expect(outcome.code == 0, "\(outcome.errors)")
        }
    }

    // MARK: The script

    @Test("the script is asked for anew each time, names the version of the pages, and asks this server only")
    func worker() async throws {
        let gallery = try GalleryGround()
        let answer = try await gallery.call("GET", "/e/sw.js")
        #expect(answer.status == 200 && answer.header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(answer.header("Cache-Control") == "no-cache")
        #expect(
            answer.header("Content-Security-Policy") == "default-src 'none'; connect-src 'self'")
        #expect(answer.text.contains("const VERSION = \"\(PageAssets.set.version)\";"))
        // Without `Service-Worker-Allowed` browsers let it see what is below its own place, and no page of a host's.
        #expect(answer.header("Service-Worker-Allowed") == nil)
    }

    /// `tools/pages.py` sees the same in a browser, as far as a browser shows it.
    @Test(
        "the script keeps styles and scripts of its own version, forgets older ones, and answers nothing else",
        .enabled(if: Tool.isThere("node"), "node is not installed"))
    func keeping() async throws {
        let node = try #require(Tool("node"))
        let seen = try await aside { () throws -> JSONValue in
            let run = try node.run(["-e", Self.stage], input: Array(ServiceWorker.script.utf8))
            #expect(run.code == 0, "\(run.errors)")
            return try JSON5.parse(run.text)
        }
        let style = PageAssets.set.path("page.css")
        let icon = PageAssets.set.path("icon.svg")
        let script = PageAssets.set.path("guest.js")
        // The other one is not of this script.
        #expect(Self.texts(seen["caches"]) == ["other", "shell \(PageAssets.set.version)"])
        #expect(Self.texts(seen["kept"]).sorted() == [icon, style, script, "/e/language"].sorted())
        #expect(
            Self.texts(seen["passed"]) == [
                "/e/a/photos", "/e/a/live", "/e/a/zip", "/images/x", "/assets/old/guest.js", "/host",
                "/e/a/access",
            ])
        #expect(seen["online"]?.string == "page of now")
        // Of two requests one reached the server.
        #expect(seen["asked"]?.integer == 1)
        #expect(seen["offline"]?["status"]?.integer == 503)
        #expect(seen["offline"]?["text"]?.string == PlainPage(.portuguese).offline)
        #expect(seen["offline"]?["policy"]?.string == PageAnswers().policy)
        #expect(PlainPage(.portuguese).offline.contains(Words.of(.portuguese)[.offlineWords]))
        // Before a page has gone through it, and where that one spoke none of its languages, as the browser does.
        #expect(seen["first"]?.string == PlainPage(.japanese).offline)
        #expect(seen["other"]?.string == PlainPage(.japanese).offline)
    }

    private static func texts(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }

    /// What a browser gives a service worker, as far as this one needs it. The script comes by standard input.
    private static let stage = """
        const text = require('fs').readFileSync(0, 'utf8');
        const stores = new Map([['shell old', new Map()], ['other', new Map()]]);
        const path = (url) => new URL(url, 'https://g.example').pathname;
        let isOnline = true, asked = [], said;
        const fetched = async (request) => {
          if (!isOnline) throw new TypeError('offline');
          asked.push(path(request.url ?? request));
          return new Response('page of now', { headers: said ? { 'Content-Language': said } : {} });
        };
        const open = async (name) => {
          if (!stores.has(name)) stores.set(name, new Map());
          const store = stores.get(name);
          return { put: async (url, answer) => store.set(path(url), answer),
            addAll: async (urls) => { for (const url of urls) store.set(path(url), await fetched(url)); } };
        };
        const caches = { open, keys: async () => [...stores.keys()], delete: async (name) => stores.delete(name),
          match: async (url, { cacheName }) => stores.get(cacheName)?.get(path(url))?.clone() };
        const handlers = {};
        const location = new URL('https://g.example/e/sw.js');
        new Function('addEventListener', 'clients', 'caches', 'fetch', 'location', 'navigator', text)(
          (name, handler) => { handlers[name] = handler; }, { claim: async () => {} }, caches, fetched, location,
          { languages: ['nl-NL', 'ja-JP', 'de'] });
        const tell = async (name, request) => {
          const waits = [];
          let answer;
          handlers[name]({ request, waitUntil: (wait) => waits.push(wait), respondWith: (given) => { answer = given; } });
          const given = await answer;
          await Promise.all(waits);
          return given;
        };
        const ask = (place, mode = 'navigate', method = 'GET') =>
          tell('fetch', { url: new URL(place, 'https://g.example').href, mode, method });
        (async () => {
          await tell('install');
          await tell('activate');
          asked = [];
          const version = text.match(/VERSION = "([0-9a-f]+)"/)[1];
          for (let time = 0; time < 2; time += 1) await ask(`/assets/${version}/guest.js`, 'cors');
          const count = asked.length;
          const passed = [];
          for (const [place, mode, method] of [['/e/a/photos', 'cors'], ['/e/a/live', 'cors'], ['/e/a/zip?pass=1', 'navigate'],
            ['/images/x', 'no-cors'], ['/assets/old/guest.js', 'cors'], ['/host', 'navigate'], ['/e/a/access', 'navigate', 'POST']]) {
            if (!await ask(place, mode, method)) passed.push(path(place));
          }
          const page = async (language, isThere) => {
            [said, isOnline] = [language, isThere];
            return ask('/e/a?q=x');
          };
          const words = async (language, isThere) => (await page(language, isThere)).text();
          const first = await words('', false);
          await page('nl', true);
          const other = await words('', false);
          const online = await words('pt-BR', true);
          isOnline = false;
          const offline = await ask('/e/a/p/11111111-1111-4111-8111-111111111111');
          const name = `shell ${version}`;
          console.log(JSON.stringify({ caches: [...stores.keys()], kept: [...stores.get(name).keys()], passed, online,
            first, other, asked: count, offline: { status: offline.status, text: await offline.text(),
              policy: offline.headers.get('Content-Security-Policy') } }));
        })();
        """
}
