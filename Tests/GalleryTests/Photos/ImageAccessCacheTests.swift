import Basics
import TestSupport
import Testing

@testable import Gallery

/// What is remembered of images and log-ins is forgotten with the change that makes it wrong.
@Suite struct ImageAccessCacheTests {
    private let gallery: GalleryGround
    private let cache: ImageAccessCache
    /// Its looks at the database run when the test says so.
    private let executor = HeldExecutor()

    init() throws {
        gallery = try GalleryGround()
        cache = ImageAccessCache(reader: try gallery.ground.reader(on: executor))
    }

    @Test("an image is looked up once, and known from then on, until something is forgotten")
    func once() async throws {
        let host = try await gallery.host()
        let photo = try #require(try await gallery.upload("kiss", for: host))
        let key = try #require(photo["thumbKey"]?.string)
        let images = gallery.server.images
        #expect(images.known(key) == nil)
        let found = try #require(try await images.find(key))
        #expect(found.key == key && found.event == host.event && images.known(key) == found)
        images.forget()
        #expect(images.known(key) == nil)
        #expect(try await images.find(String(repeating: "0", count: 32)) == nil)
        #expect(try await images.find("none") == nil)
    }

    @Test("one node among several looks everything up again after a minute, whatever it has heard")
    func age() async throws {
        let clock = ManualClock()
        let images = ImageAccessCache(reader: gallery.ground.database.reader, sharedBy: clock)
        let host = try await gallery.host()
        let photo = try #require(try await gallery.upload("kiss", for: host))
        let key = try #require(photo["thumbKey"]?.string)
        _ = try await images.find(key)
        #expect(try await images.isLoggedIn(host.account, family: host.family))
        clock.advance(by: .seconds(59))
        #expect(images.known(key) != nil && images.isKnownLogin(host.account, family: host.family))
        clock.advance(by: .seconds(1))
        #expect(images.known(key) == nil && !images.isKnownLogin(host.account, family: host.family))
    }

    @Test("what a host writes about a photo leaves all other images known, and log-ins as well")
    func otherImages() async throws {
        let host = try await gallery.host()
        let images = gallery.server.images
        let kiss = try #require(try await gallery.upload("kiss", for: host))
        let cake = try #require(try await gallery.upload("cake", for: host))
        let keys = try [kiss, cake].map { try #require($0["screenKey"]?.string) }
        for key in keys { _ = try #require(try await images.find(key)) }
        #expect(try await images.isLoggedIn(host.account, family: host.family))
        let id = try #require(kiss["id"]?.string)
        let changed = try await gallery.call(
            "PATCH", "/photos/\(id)", ["rating": .integer(5)], token: gallery.token(host))
        #expect(changed.status == 200, "\(changed)")
        #expect(images.known(keys[0]) == nil && images.known(keys[1]) != nil)
        #expect(images.isKnownLogin(host.account, family: host.family))
    }

    @Test("what was looked up before a change is not remembered after it")
    func late() async throws {
        let host = try await gallery.host()
        let photo = try #require(try await gallery.upload("kiss", for: host))
        let key = try #require(photo["thumbKey"]?.string)
        // The change comes between the look and its being remembered.
        let looking = Task { [cache] in try await cache.find(key) }
        await executor.wait(for: 1)
        cache.forget()
        executor.release()
        #expect(try await looking.value != nil)
        #expect(cache.known(key) == nil)
    }

    @Test("a log-in is known as long as it goes on, whatever ends it")
    func logins() async throws {
        let images = gallery.server.images
        for number in 0..<4 {
            let host = try await gallery.host("host\(number)@example.org")
            #expect(!images.isKnownLogin(host.account, family: host.family))
            #expect(try await images.isLoggedIn(host.account, family: host.family))
            #expect(images.isKnownLogin(host.account, family: host.family))
            let store = gallery.store
            switch number {
            case 0: #expect(try await store.endLogin(host.family, of: host.account))
            case 1: try await store.endLogins(of: host.account, except: nil)
            case 2: try await store.deleteAccount(host.account)
            default:
                gallery.wall.go(RefreshToken.life + .seconds(1))
                try await store.sweepTokens()
            }
            #expect(!images.isKnownLogin(host.account, family: host.family), "\(number)")
            #expect(try await !images.isLoggedIn(host.account, family: host.family), "\(number)")
        }
    }
}
