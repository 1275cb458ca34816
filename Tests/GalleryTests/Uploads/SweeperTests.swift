import Basics
import TestSupport
import Testing

@testable import Gallery

/// What is left over is put away as fast as it comes.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SweeperTests {
    @Test("one pass puts away all that is due, however much has gathered, and no photo")
    func everything() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host("host@example.org")
        for number in 0..<3 { try await gallery.upload("picture-\(number)", for: host) }
        // More than two lists of them.
        let count = 2 * Sweeper.atOnce + 50
        for number in 0..<count {
            let answer = try await gallery.place("never-\(number)", [1, 2, 3], for: host)
            #expect(answer.status == 201)
        }
        #expect(try await gallery.store.places() == count + 3)
        gallery.wall.go(Sweeper.grace * 2)
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.store.places() == 0)
        #expect(try await gallery.store.number("SELECT count(*) FROM removals") == 0)
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        #expect(event["counts"]?["pending"]?.integer == 0)
        #expect(event["counts"]?["photos"]?.integer == 3)
        // A host's list shows them, and their files are where they were.
        let report = try await GalleryCare.check(
            gallery.ground.database, FolderObjects(path: gallery.objects))
        #expect(report.problems == [] && report.strays == 0 && report.objects == 9)
    }
}
