import Basics
import ImageCache
import TestSupport
import Testing

/// Images of the gallery's own program: how it names them, what it says about keeping them, and what it takes back.
@Suite(.enabled(if: Tool.isThere("convert"), "ImageMagick is not installed"))
struct RealGalleryTests {
    @Test("the gallery's images are kept, need it no more, and go when it has taken them back")
    func whole() async throws {
        let house = try await GalleryHouse()
        let ground = try CacheGround()
        var cache = ground.cache()
        let photo = try await house.photo()
        let id = try #require(photo["id"]?.string)
        func request(_ kind: String, neverChanges: Bool) throws -> ImageRequest {
            let key = try #require(photo["\(kind)Key"]?.string)
            return ImageRequest(
                key: key, url: "\(house.url)/images/\(key)", object: .photo(id), kind: kind,
                owner: ImageOwner(account: "ann", event: house.event),
                headers: [HTTPHeader("Authorization", "Bearer \(house.token)")], neverChanges: neverChanges)
        }
        for kind in ["thumb", "screen"] {
            let image = try await cache.image(try request(kind, neverChanges: true))
            #expect(image.source == .network && image.contentType == "image/jpeg")
            let shown = try #require(Tool("identify")).run(["-format", "%w", "-"], input: image.bytes)
            #expect(shown.text == (kind == "thumb" ? "400" : "800"))
        }
        await cache.end()
        cache = ground.cache()
        for kind in ["thumb", "screen"] {
            #expect(try await cache.image(try request(kind, neverChanges: true)).source == .disk)
        }
        #expect(cache.figures.fetches == 0)
        // To a host it says that it is to be asked each time; then its own tag is enough.
        await cache.forget(.all)
        for _ in 0..<3 { _ = try await cache.image(try request("thumb", neverChanges: false)) }
        #expect(cache.figures.fetches == 3 && cache.figures.revalidated == 2)
        _ = try await house.ask("DELETE", "/photos/\(id)")
        #expect(await problem(cache, try request("thumb", neverChanges: false))?.meaning == .gone)
        #expect(ground.files() == [] && cache.figures.imagesInMemory == 0)
    }
}
