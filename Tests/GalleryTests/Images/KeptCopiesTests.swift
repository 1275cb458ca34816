import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// How long copies of images may live outside, and under which addresses guests find them.
@Suite struct KeptCopiesTests {
    private static let cdn = ImageDelivery(.cdn("https://cdn.example/g"), purges: true)

    /// One photo of an event whose guests may have originals.
    private struct Party {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let photo: JSONValue

        init(_ images: ImageDelivery, _ more: [(key: String, value: JSONValue)] = []) async throws {
            gallery = try GalleryGround { $0.images = images }
            host = try await gallery.host(
                event: .object([("name", "Wedding"), ("allowsOriginals", .bool(true))] + more))
            photo = try #require(try await gallery.upload("kiss", for: host))
        }

        func key(_ name: String) throws -> String { try #require(photo[name]?.string) }

        /// What a guest, who has come in by the key where there is a PIN, is told of how long he may keep it.
        func cacheControl(_ query: String = "") async throws -> String? {
            let answer = try await gallery.call(
                "GET", "/images/\(key("thumbKey"))\(query)", bytes: [],
                headers: [HTTPHeader("Cookie", try await cookie())])
            #expect(answer.status == 200, "\(answer)")
            return answer.header("Cache-Control")
        }

        func cookie() async throws -> String {
            guard let event = try await gallery.store.event(host.event), !event.isOpen else {
                return "none=0"
            }
            let entered = try await gallery.call("POST", "/e/\(host.slug)/access", ["pin": "13579"])
            return String(try #require(entered.header("Set-Cookie")?.split(separator: ";").first))
        }

        /// What the guests' page and list say of the photo's images.
        func addresses() async throws -> [String] {
            let headers = [HTTPHeader("Cookie", try await cookie())]
            let list = try await gallery.call("GET", "/e/\(host.slug)/photos", bytes: [], headers: headers)
            let photo = try #require(list["photos"]?.array?.first)
            let told = ["thumbUrl", "screenUrl", "originalUrl"].compactMap { photo[$0]?.string }
            let page = try await gallery.call("GET", "/e/\(host.slug)", bytes: [], headers: headers)
            for url in told { #expect(page.text.contains("\"\(url)\""), "\(url)") }
            return told
        }
    }

    private static let end = GalleryWall.start + .seconds(7 * 24 * 3600)

    @Test("an image has one address, and a cache that is told of that one may keep no other for long")
    func address() {
        let key = String(repeating: "a1", count: 16)
        let path = ImageAddresses.path(key)
        #expect(ImageAddresses.isPath(path, of: key))
        for other in [
            "/images/%61\(key.dropFirst())", "\(path)/", "/\(path)", "/images/", "\(path)1",
            "\(path.dropLast())", key,
        ] { #expect(!ImageAddresses.isPath(other, of: key), "\(other)") }
    }

    @Test("a cache that nobody tells what to forget asks again after a minute")
    func untold() async throws {
        for way in [ImageDelivery.Way.here, .cdn("https://cdn.example")] {
            let party = try await Party(ImageDelivery(way))
            #expect(try await party.cacheControl() == "public, s-maxage=60, max-age=31536000, immutable")
        }
    }

    @Test(
        "a cache that is told may keep what it is told of: an image under its own address, of an event without an end"
    )
    func told() async throws {
        let party = try await Party(Self.cdn)
        #expect(try await party.cacheControl() == "public, max-age=31536000, immutable")
        // No node tells it of these.
        let other = "public, s-maxage=60, max-age=31536000, immutable"
        for query in ["?download=1", "?x=1", "?", "?&"] {
            #expect(try await party.cacheControl(query) == other, "\(query)")
        }
        let ending = try await Party(Self.cdn, [("expiresAt", Self.end.json)])
        #expect(try await ending.cacheControl() == other)
    }

    @Test("what lies behind a PIN is kept by no cache, and guests get it here")
    func closed() async throws {
        let party = try await Party(Self.cdn, [("pin", "13579")])
        #expect(try await party.cacheControl() == "private, max-age=31536000, immutable")
        let keys = try ["thumbKey", "screenKey", "originalKey"].map(party.key)
        #expect(try await party.addresses() == keys.map { "/images/\($0)" })
    }

    @Test("without a PIN guests get images where the CDN is, on the page, in lists and as they come")
    func atTheCDN() async throws {
        let party = try await Party(Self.cdn)
        let keys = try ["thumbKey", "screenKey", "originalKey"].map(party.key)
        let wanted = zip(keys, ["", "", "?download"]).map { "https://cdn.example/g/images/\($0)\($1)" }
        #expect(try await party.addresses() == wanted)
        let event = try #require(try await party.gallery.store.event(party.host.event))
        let photo = try await party.gallery.store.photo(
            try #require(party.photo["id"]?.string), of: party.host.account)
        #expect(PagePhoto(photo, in: event, Self.cdn).json["thumbUrl"]?.string == wanted[0])
    }

    @Test("a host's copy is asked for again each time, wherever guests get theirs")
    func host() async throws {
        let party = try await Party(Self.cdn)
        let own = try await party.gallery.call(
            "GET", "/images/\(party.key("thumbKey"))", token: party.gallery.token(party.host))
        #expect(own.status == 200 && own.header("Cache-Control") == "private, no-cache")
    }
}
