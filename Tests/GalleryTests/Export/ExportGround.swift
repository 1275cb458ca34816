import Basics
import Digest
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// A gallery with one event, and a folder that it is exported to.
struct ExportGround {
    let gallery: GalleryGround
    let host: GalleryGround.Host
    let folder: TemporaryFolder

    static let judges = Tool.isThere("sha256sum") && Tool.isThere("python3")

    init(_ event: JSONValue = ["name": "Wedding", "timeZone": "Europe/Vienna"]) async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(event: event)
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    var out: String { folder.file("out") }
    var token: String { gallery.token(host) }
    var source: FolderObjects { FolderObjects(path: gallery.objects) }

    /// A text that stands for a picture, under any name; its id.
    @discardableResult
    func bring(_ text: String, name: String, at moment: String = "2026-11-21T20:15:00.000Z") async throws
        -> String
    {
        let bytes = Array(text.utf8)
        let place = try await gallery.place(
            "\(SHA256.of(bytes))", bytes, for: host, name: name, capturedAt: moment)
        try await gallery.fill(place, with: bytes)
        try await gallery.work()
        let list = try await gallery.call("GET", "/events/\(host.event)/photos?limit=200", token: token)
        let photos = list["photos"]?.array ?? []
        let sequences = photos.compactMap { $0["sequence"]?.integer }
        let newest = photos.first { $0["sequence"]?.integer == sequences.max() }
        return try #require(newest?["id"]?.string, "\(list)")
    }

    func change(_ photo: String, _ fields: JSONValue) async throws {
        let answer = try await gallery.call("PATCH", "/photos/\(photo)", fields, token: token)
        #expect(answer.status == 200, "\(answer)")
    }

    /// The process ended there.
    struct Killed: Error {}

    @discardableResult
    func export(
        originals: EventExport.Originals = .asGuests, from other: (any ExportSource)? = nil,
        to path: String? = nil, dyingAtStep last: Int? = nil
    ) async throws -> EventExport.Report {
        let steps = Shared(0)
        let export = EventExport(
            gallery.ground.database, from: other ?? source, originals: originals,
            time: try GalleryThreads.time(),
            onStep: {
                let step = steps.change { steps in
                    steps += 1
                    return steps
                }
                if let last, step >= last { throw Killed() }
            })
        return try await export.run(host.event, to: path ?? out)
    }

    /// Whether it came to its end.
    func survives(step: Int, to path: String) async throws -> Bool {
        do {
            try await export(originals: .always, to: path, dyingAtStep: step)
            return true
        } catch is Killed {
            return false
        }
    }

    // MARK: What came of it

    /// Everything but what the export keeps for itself.
    func files(_ path: String? = nil) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let path = path ?? out
        for name in TemporaryFolder.contents(of: path) where !name.hasPrefix(ExportFolder.workName) {
            files[name] = try readFile("\(path)/\(name)")
        }
        return files
    }

    func names(in kind: ExportKind) throws -> [String] {
        try files().keys.filter { $0.hasPrefix("\(kind.folder)/") }
            .map { String($0.dropFirst(kind.folder.count + 1)) }.sorted()
    }

    func facts() throws -> JSONValue { try JSON5.parse(try readFile("\(out)/photos.json")) }

    func page(_ name: String = "index.html") throws -> String {
        String(decoding: try readFile("\(out)/\(name)"), as: UTF8.self)
    }

    /// By other programs: every file has the checksum that is said of it, no file is without one, and every link leads to a
    /// file that is there, and to an element on it.
    func expectWhole(_ path: String? = nil, at location: SourceLocation = #_sourceLocation) throws {
        let out = path ?? out
        let sums = try #require(Tool("sha256sum")).run(
            ["-c", "--strict", "--quiet", "SHA256SUMS"], in: out)
        #expect(sums.code == 0, "\(sums.text) \(sums.errors)", sourceLocation: location)
        let said = String(decoding: try readFile("\(out)/SHA256SUMS"), as: UTF8.self)
        let named = said.split(separator: "\n").map { String($0.dropFirst(66)) }
        let there = try files(out).keys.filter { $0 != "SHA256SUMS" }
        #expect(named.sorted() == there.sorted(), sourceLocation: location)
        let links = try #require(Tool("python3")).run(["-c", Self.reader, out])
        #expect(links.code == 0, "\(links.text) \(links.errors)", sourceLocation: location)
    }

    /// Reads the pages as an independent program does, and their policy: no other place is named, no script or style is inside.
    private static let reader = """
        import html.parser, os, sys, urllib.parse
        top, problems, ids, links = sys.argv[1], [], {}, []

        class Reader(html.parser.HTMLParser):
            def __init__(self, page):
                super().__init__()
                self.page, self.inside = page, None
                ids[page] = set()

            def handle_starttag(self, tag, attributes):
                values = dict(attributes)
                self.inside = tag
                if "id" in values:
                    if values["id"] in ids[self.page]: problems.append(f"{self.page}: two are {values['id']}")
                    ids[self.page].add(values["id"])
                for name in values:
                    if name == "style" or name.startswith("on"): problems.append(f"{self.page}: {tag} has {name}")
                for name in ("href", "src", "data-newer", "data-older"):
                    if values.get(name): links.append((self.page, values[name]))
                for source in filter(None, values.get("srcset", "").split(", ")): links.append((self.page, source.split(" ")[0]))

            def handle_data(self, data):
                if self.inside in ("script", "style") and data.strip(): problems.append(f"{self.page}: {self.inside}")
                self.inside = None

        pages = [name for name in os.listdir(top) if name.endswith(".html")]
        for page in pages:
            with open(os.path.join(top, page), encoding="utf-8") as file: text = file.read()
            if "Content-Security-Policy" not in text: problems.append(f"{page}: no policy")
            Reader(page).feed(text)
        for page, link in links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or parts.query or parts.path.startswith("/"):
                problems.append(f"{page}: {link} leads elsewhere")
                continue
            target = urllib.parse.unquote(parts.path) or page
            if not os.path.isfile(os.path.join(top, target)): problems.append(f"{page}: {link} leads nowhere")
            if parts.fragment and parts.fragment not in ids.get(target, ()): problems.append(f"{page}: no #{parts.fragment}")
        if not pages or not links: problems.append("nothing was read")
        print(*problems[:10], sep="; ")
        sys.exit(bool(problems))
        """
}
