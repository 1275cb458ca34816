import Basics
import Bridge
import HTTPClient
import Hud
import ImageCache
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

/// Pictures of photos whose local files have gone, from the gallery's own program.
@Suite(.enabled(if: Tool.isThere("convert"), "ImageMagick is not installed"))
struct GalleryPictureTests {
    /// Everything that goes over the network, while there is one.
    private final class CountedTransport: HTTPTransport {
        private let client: CurlClient
        let count = Shared(0)
        let isUp = Shared(true)

        init(_ client: CurlClient) {
            self.client = client
        }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            count.change { $0 += 1 }
            guard isUp.value else { throw .unreachable("the network is down") }
            return try await client.send(request)
        }

        func forgetConnections() {}
    }

    /// A bridge's pictures, one run after another.
    private final class Desk: Sendable {
        let house: GalleryHouse
        let ground: CacheGround
        let transport: CountedTransport
        let mayAsk = Shared(true)
        private let account: GalleryAccount
        private let file: CredentialsFile
        private let address: GalleryAddress
        private let threads = [ThreadExecutor(name: "account"), ThreadExecutor(name: "pictures")]

        init() async throws {
            house = try await GalleryHouse()
            ground = try CacheGround()
            transport = CountedTransport(house.client)
            address = try GalleryAddress(house.url)
            file = CredentialsFile(folder: ground.folder.path)
            account = GalleryAccount(
                api: GalleryAPI(address, http: transport, wall: SystemWallTime()), file: file,
                time: ground.clock, executor: threads[0], mayRefresh: false)
            try logIn(house.user)
        }

        deinit {
            for thread in threads { thread.shutDown() }
        }

        func logIn(_ user: String?) throws {
            try file.update { credentials in
                credentials[address] = user.map {
                    .init(
                        server: "\(address)",
                        user: GalleryUser(id: $0, email: "a@example.org", displayName: nil),
                        tokens: GalleryTokens(access: house.token, refresh: "r"))
                }
            }
        }

        func run(event: String? = nil) throws -> (cache: ImageCache, pictures: GalleryPictures) {
            let event = event ?? house.event
            let gallery = GalleryPhotos(
                GalleryPlace(address, event: event, ledgerEvent: event), account: account, file: file)
            let cache = ground.cache(
                GalleryPictures.access(of: try gallery.account(), to: gallery), transport: transport)
            return (
                cache,
                GalleryPictures(
                    cache: cache, gallery: gallery, mayAsk: { [mayAsk] in mayAsk.value }, time: ground.clock,
                    wall: ground.wall, executor: threads[1])
            )
        }

        func photos(_ count: Int) async throws -> [PicturedPhoto] {
            var photos: [PicturedPhoto] = []
            for number in 0..<count {
                let photo = try await house.photo(number, size: "480x320")
                photos.append(PicturedPhoto(key: "\(number)", path: nil, atGallery: photo["id"]?.string))
            }
            return photos
        }
    }

    private func source(_ answer: PictureAnswer) -> CachedImage.Source? {
        if case .gallery(let image) = answer { image.source } else { nil }
    }

    @Test("fifty photos whose local files are gone, scrolled after a restart: no network request")
    func scrolled() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(50)
        var (cache, pictures) = try desk.run()
        var ids: Set<String> = []
        for photo in photos {
            // The camera's own is replaced in a moment, and costs no request.
            let before = desk.transport.count.value
            #expect(await pictures.picture(of: photo, .camera) == .none)
            #expect(desk.transport.count.value == before)
            guard case .gallery(let image) = await pictures.picture(of: photo, .tile) else {
                Issue.record("there is none of \(photo)")
                continue
            }
            #expect(image.source == .network)
            ids.insert(image.sha256)
        }
        #expect(ids.count == 50)
        #expect(source(await pictures.picture(of: photos[7], .screen)) == .network)
        await cache.end()

        desk.transport.isUp.change { $0 = false }
        let before = desk.transport.count.value
        (cache, pictures) = try desk.run()
        for size in [PictureSize.camera, .tile] {
            for photo in photos {
                guard case .gallery(let image) = await pictures.picture(of: photo, size) else {
                    Issue.record("there is none of \(photo)")
                    continue
                }
                #expect(image.source == (size == .camera ? .disk : .memory) && ids.contains(image.sha256))
            }
        }
        guard case .gallery(let screen) = await pictures.picture(of: photos[7], .screen) else {
            Issue.record("the large one has gone")
            return
        }
        let seen = try #require(Tool("identify")).run(["-format", "%w %m", "-"], input: screen.bytes)
        #expect(seen.text == "480 JPEG" && screen.source == .disk)
        #expect(desk.transport.count.value == before && cache.figures.fetches == 0)
        // What is not here is asked for, and not again at once where there is no answer.
        for photo in photos.prefix(3) { #expect(await pictures.picture(of: photo, .screen) == .busy) }
        #expect(desk.transport.count.value == before + 1)
        desk.transport.isUp.change { $0 = true }
        desk.ground.clock.advance(by: .seconds(6))
        #expect(source(await pictures.picture(of: photos[0], .screen)) == .network)
        await cache.end()
    }

    @Test("what the host has hidden or deleted leaves memory and disk, and is not fetched again")
    func withdrawn() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(4)
        let (cache, pictures) = try desk.run()
        for photo in photos { _ = await pictures.picture(of: photo, .tile) }
        _ = await pictures.picture(of: photos[0], .screen)
        let ids = try photos.map { try #require($0.atGallery) }
        _ = try await desk.house.ask("PATCH", "/photos/\(ids[0])", #"{"hidden":true}"#)
        _ = try await desk.house.ask("DELETE", "/photos/\(ids[1])")
        #expect(desk.ground.files().count == 5)
        await pictures.check()
        #expect(desk.ground.files().count == 2 && cache.figures.imagesInMemory == 2)
        let before = desk.transport.count.value
        for photo in photos.prefix(2) {
            for size in PictureSize.allCases { #expect(await pictures.picture(of: photo, size) == .none) }
        }
        #expect(desk.transport.count.value == before)
        // It is shown once more after all.
        _ = try await desk.house.ask("PATCH", "/photos/\(ids[0])", #"{"hidden":false}"#)
        await pictures.check()
        #expect(source(await pictures.picture(of: photos[0], .tile)) == .network)
        #expect(await pictures.picture(of: photos[1], .tile) == .none)
        await cache.end()
    }

    @Test("what a copy of the gallery has been told leaves at once, without a question")
    func told() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(3)
        let (cache, pictures) = try desk.run()
        for photo in photos { _ = await pictures.picture(of: photo, .tile) }
        let ids = try photos.map { try #require($0.atGallery) }
        let before = desk.transport.count.value
        await pictures.take([(ids[0], .hidden), (ids[1], .deleted), (ids[2], .shown)])
        #expect(desk.ground.files().count == 1 && cache.figures.imagesInMemory == 1)
        for photo in photos.prefix(2) { #expect(await pictures.picture(of: photo, .tile) == .none) }
        #expect(desk.transport.count.value == before)
        await pictures.take([(ids[0], .shown), (ids[1], .shown)])
        for photo in photos.prefix(2) {
            #expect(source(await pictures.picture(of: photo, .tile)) == .network)
        }
        await cache.end()
    }

    @Test("a bridge of another event keeps nothing of the one before")
    func otherEvent() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(2)
        var (cache, pictures) = try desk.run()
        for photo in photos { _ = await pictures.picture(of: photo, .tile) }
        #expect(desk.ground.files().count == 2)
        await cache.end()
        (cache, pictures) = try desk.run(event: "22222222-2222-4222-8222-222222222222")
        #expect(await pictures.picture(of: photos[0], .camera) == .none)
        #expect(desk.ground.files() == [] && cache.figures.imagesOnDisk == 0)
        await cache.end()
    }

    @Test("what no page has shown since the start leaves as well, and a hidden photo is never fetched")
    func unseen() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(3)
        var (cache, pictures) = try desk.run()
        for photo in photos.prefix(2) { _ = await pictures.picture(of: photo, .tile) }
        await cache.end()
        for photo in photos {
            _ = try await desk.house.ask(
                "PATCH", "/photos/\(try #require(photo.atGallery))", #"{"hidden":true}"#)
        }
        (cache, pictures) = try desk.run()
        await pictures.check()
        #expect(desk.ground.files() == [])
        #expect(await pictures.picture(of: photos[2], .tile) == .none)
        #expect(cache.figures.fetches == 0 && desk.ground.files() == [])
        await cache.end()
    }

    @Test("another account sees nothing of it, and neither does one that has logged out")
    func accounts() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(2)
        let (cache, pictures) = try desk.run()
        for user in ["11111111-1111-4111-8111-111111111111", nil] {
            for photo in photos { #expect(source(await pictures.picture(of: photo, .tile)) == .network) }
            try desk.logIn(user)
            await pictures.check()
            #expect(desk.ground.files() == [] && cache.figures.imagesInMemory == 0)
            if user == nil { #expect(await pictures.picture(of: photos[0], .tile) == .none) }
            try desk.logIn(desk.house.user)
            await pictures.check()
        }
        await cache.end()
    }

    @Test("when the event has ended or is deleted its pictures leave")
    func ended() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(2)
        let (cache, pictures) = try desk.run()
        let end = CivilTime.rfc3339(milliseconds: (desk.ground.wall.wallNow + .seconds(600)).milliseconds)
        _ = try await desk.house.ask("PATCH", "/events/\(desk.house.event)", #"{"expiresAt":"\#(end)"}"#)
        await pictures.check()
        for photo in photos { _ = await pictures.picture(of: photo, .tile) }
        #expect(desk.ground.files().count == 2)
        desk.transport.isUp.change { $0 = false }
        desk.ground.clock.advance(by: .seconds(601))
        await pictures.check()
        #expect(desk.ground.files() == [] && cache.figures.imagesInMemory == 0)
        desk.transport.isUp.change { $0 = true }
        _ = try await desk.house.ask("PATCH", "/events/\(desk.house.event)", #"{"expiresAt":null}"#)
        await pictures.check()
        for photo in photos { #expect(source(await pictures.picture(of: photo, .tile)) == .network) }
        _ = try await desk.house.ask("DELETE", "/events/\(desk.house.event)")
        await pictures.check()
        #expect(desk.ground.files() == [] && cache.figures.imagesInMemory == 0)
        await cache.end()
    }

    @Test("a minute after a page has looked the gallery is asked, and ten minutes after that while none does")
    func pace() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(1)
        let (cache, pictures) = try desk.run()
        let running = Task { await pictures.run() }
        await desk.ground.clock.waitForSleepers(1)
        var asked: [Int] = []
        for minute in 1...22 {
            if minute == 2 { _ = await pictures.picture(of: photos[0], .tile) }
            let before = desk.transport.count.value
            desk.ground.clock.advance(by: .seconds(60))
            await desk.ground.clock.waitForSleepers(1)
            if desk.transport.count.value > before { asked.append(minute) }
        }
        #expect(asked == [2, 12, 22])
        running.cancel()
        await running.value
        await cache.end()
    }

    @Test("where bytes cost nothing is asked, and what is here is shown")
    func metered() async throws {
        let desk = try await Desk()
        let photos = try await desk.photos(2)
        let (cache, pictures) = try desk.run()
        _ = await pictures.picture(of: photos[0], .tile)
        desk.mayAsk.change { $0 = false }
        let before = desk.transport.count.value
        #expect(source(await pictures.picture(of: photos[0], .tile)) == .memory)
        #expect(await pictures.picture(of: photos[1], .tile) == .busy)
        await pictures.check()
        #expect(desk.transport.count.value == before)
        await cache.end()
    }
}
