import Basics
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import Gallery

/// How an image is answered for that does not lie in a folder of this machine.
@Suite struct ImageEndpointTests {
    /// A storage whose objects are not at hand.
    private struct Elsewhere: ForwardingStorage {
        let base: FolderStorage
        let content: ObjectContent

        func content(
            of key: String, size: UInt64, savedAs disposition: String?
        ) async throws(StorageProblem) -> ObjectContent { content }
    }

    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let key: String
    private let photo: String

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host()
        let photo = try #require(try await gallery.upload("kiss", for: host))
        key = try #require(photo["thumbKey"]?.string)
        self.photo = try #require(photo["id"]?.string)
    }

    private func answer(_ content: ObjectContent, _ headers: [HTTPHeader] = []) async throws -> Response {
        let server = gallery.server
        let endpoint = ImageEndpoint(
            images: server.images, storage: Elsewhere(base: gallery.storage, content: content),
            door: server.door, accounts: server.accounts, delivery: ImageDelivery())
        return try await endpoint.answer(
            Request(
                id: "test", method: "GET", path: "/images/\(key)", parameters: ["key": key], query: Query([]),
                headers: headers, peer: "192.0.2.1", body: []))
    }

    private func header(_ name: String, of response: Response) -> String? {
        response.headers.first { $0.name == name }?.value
    }

    @Test("what lies in a bucket is sent on there for a moment, and the redirect is not kept")
    func redirect() async throws {
        let response = try await answer(.elsewhere("https://bucket.example/kiss?signature=1"))
        #expect(response.status == 302)
        #expect(header("Location", of: response) == "https://bucket.example/kiss?signature=1")
        #expect(header("Cache-Control", of: response) == "no-store")
        #expect(header("X-Robots-Tag", of: response) == "noindex")
        #expect(header("ETag", of: response) == nil)
    }

    @Test("bytes that were read for it go out with their type and tag, and are kept for a year")
    func bytes() async throws {
        let response = try await answer(.bytes([1, 2, 3]))
        #expect(response.status == 200)
        guard case .bytes([1, 2, 3]) = response.body else {
            Issue.record("\(response.body)")
            return
        }
        #expect(header("Content-Type", of: response) == "image/jpeg")
        #expect(header("ETag", of: response) == "\"\(key)\"")
        #expect(header("Cache-Control", of: response) == "public, s-maxage=60, max-age=31536000, immutable")
        #expect(header("X-Content-Type-Options", of: response) == "nosniff")
        #expect(header("X-Robots-Tag", of: response) == "noindex")
    }

    @Test("what the storage cannot give now is to be asked for again in a moment")
    func away() async throws {
        struct Away: ForwardingStorage {
            let base: FolderStorage

            func content(
                of key: String, size: UInt64, savedAs disposition: String?
            ) async throws(StorageProblem) -> ObjectContent {
                throw StorageProblem(.unavailable, "the bucket does not answer")
            }
        }
        let server = gallery.server
        let endpoint = ImageEndpoint(
            images: server.images, storage: Away(base: gallery.storage), door: server.door,
            accounts: server.accounts, delivery: ImageDelivery())
        let request = Request(
            id: "test", method: "GET", path: "/images/\(key)", parameters: ["key": key], query: Query([]),
            headers: [], peer: "192.0.2.1", body: [])
        let refusal = await #expect(throws: APIError.self) { try await endpoint.answer(request) }
        let response = try #require(refusal?.response)
        #expect(response.status == 503 && header("Retry-After", of: response) == "2")
    }

    @Test(
        "a browser that has it is told so, and the bucket is not asked",
        arguments: ["\"KEY\"", "W/\"KEY\"", "*"])
    func known(tag: String) async throws {
        let tag = tag.replacing("KEY", with: key)
        let response = try await answer(
            .elsewhere("https://bucket.example"), [HTTPHeader("If-None-Match", "\"other\", \(tag)")])
        #expect(response.status == 304 && header("ETag", of: response) == "\"\(key)\"")
    }

    @Test("what all guests are answered is made once, and is not what others are, nor who ask otherwise")
    func forAll() async throws {
        let server = gallery.server
        let endpoint = ImageEndpoint(
            images: server.images, storage: gallery.storage, door: server.door, accounts: server.accounts,
            delivery: ImageDelivery(.here, purges: true))
        func request(_ query: Query = Query(), path: String? = nil, token: String? = nil) -> Request {
            Request(
                id: "test", method: "GET", path: path ?? "/images/\(key)", parameters: ["key": key],
                query: query,
                headers: token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? [], peer: "192.0.2.1",
                body: [])
        }
        let (forGood, forAWhile) = (
            "public, max-age=31536000, immutable", "public, s-maxage=60, max-age=31536000, immutable"
        )
        // The log-in and the image are looked up once.
        _ = try await endpoint.answer(request(token: gallery.token(host)))
        let made = try #require(server.images.known(key)).forGuests
        let now = gallery.wall.wallNow
        #expect(made.answer(at: now) == nil, "a host's is another one")
        for _ in 0..<3 {
            for (asked, wanted) in [
                (request(), forGood), (request(Query([], isAbsent: false)), forAWhile),
                (request(Query([HTTPHeader("download", "")])), forAWhile),
                (request(path: "/images/%41"), forAWhile),
                (request(token: gallery.token(host)), "private, no-cache"),
            ] {
                let response = try #require(endpoint.answerNow(asked))
                #expect(response.status == 200 && header("Cache-Control", of: response) == wanted)
                #expect(header("X-Robots-Tag", of: response) == "noindex")
                guard case .file(let file) = response.body else {
                    Issue.record("\(response.body)")
                    continue
                }
                #expect(file.etag == "\"\(key)\"" && file.type == "image/jpeg")
            }
        }
        #expect(made.answer(at: now)?.headers.contains { $0.value == forGood } == true)
        let changed = try await gallery.call(
            "PATCH", "/photos/\(photo)", ["hidden": .bool(true)], token: gallery.token(host))
        #expect(changed.status == 200)
        await #expect(throws: APIError.self) { try await endpoint.answer(request()) }
        #expect(endpoint.answerNow(request())?.status == 404)
    }
}
