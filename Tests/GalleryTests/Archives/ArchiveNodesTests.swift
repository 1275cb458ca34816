import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// A guest's link to a ZIP at another node than the one that made it.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct ArchiveNodesTests {
    /// Two nodes with one database and one storage, and a guest who has come in at the first.
    private struct Nodes {
        let ground: ReactionGround
        let other: GalleryGround
        let guest: ReactionGround.Guest

        init() async throws {
            let database = try PostgresServer.shared.get().freshDatabase()
            let (folder, wall) = (try TemporaryFolder(in: TemporaryFolder.memory), GalleryWall())
            let first = try GalleryGround(seed: 11, isServed: true, in: folder, on: database, wall: wall)
            other = try GalleryGround(seed: 42, isServed: true, in: folder, on: database, wall: wall)
            ground = try await ReactionGround(
                ["name": "Wedding", "pin": "13579", "allowsOriginals": .bool(true)],
                photos: ["kiss", "cake", "dance"], in: first)
            guest = ground.guest()
            let entered = try await guest.ask("POST", "access", ["pin": "13579"])
            #expect(entered.status == 200, "\(entered)")
        }

        var first: GalleryGround { ground.gallery }

        /// What the first node says of a new link.
        func link(_ wish: JSONValue) async throws -> (path: String, length: Int) {
            let link = try await guest.ask("POST", "zip-link", wish)
            let url = try #require(link["url"]?.string, "\(link)")
            let bytes = try #require(link["bytes"]?.integer, "\(link)")
            return (String(url.dropFirst("http://gallery.example".count)), Int(bytes))
        }

        func get(
            _ path: String, at node: GalleryGround, _ range: String? = nil
        ) async throws -> GalleryGround.Answer {
            try await node.call("GET", path, headers: range.map { [HTTPHeader("Range", $0)] } ?? [])
        }
    }

    @Test("a link that one node made is followed at another, which sends the same bytes from any place on")
    func followed() async throws {
        let nodes = try await Nodes()
        let some: JSONValue = [.string(nodes.ground.photos[0]), .string(nodes.ground.photos[2])]
        for wish in [["size": "original"], ["size": "screen"], ["photos": some]] as [JSONValue] {
            let (path, length) = try await nodes.link(wish)
            let half = length / 2
            // First: the other node knows of it what the link and the database say.
            let rest = try await nodes.get(path, at: nodes.other, "bytes=\(half)-")
            #expect(rest.status == 206, "\(wish)")
            #expect(rest.header("Content-Range") == "bytes \(half)-\(length - 1)/\(length)", "\(wish)")
            let whole = try await nodes.get(path, at: nodes.first)
            #expect(whole.status == 200, "\(wish)")
            try #require(whole.bytes.count == length, "\(wish)")
            #expect(rest.bytes == Array(whole.bytes[half...]), "\(wish)")
            #expect(rest.header("ETag") == whole.header("ETag"), "\(wish)")
            #expect(try await nodes.get(path, at: nodes.other).bytes == whole.bytes, "\(wish)")
        }
        #expect(nodes.first.warnings.value + nodes.other.warnings.value == [])
    }

    @Test("what is taken back at one node is in no archive of another, and what ends a link ends it at both")
    func ended() async throws {
        let nodes = try await Nodes()
        let (path, length) = try await nodes.link([:])
        #expect(try await nodes.get(path, at: nodes.other).bytes.count == length)
        try await nodes.ground.change("/photos/\(nodes.ground.photos[1])", ["hidden": .bool(true)])
        #expect(try await nodes.get(path, at: nodes.other, "bytes=40-").status == 412)
        let less = try await nodes.get(path, at: nodes.other)
        #expect(less.status == 200 && less.bytes.count < length)
        #expect(try await nodes.get(path + "A", at: nodes.other).status == 403)
        try await nodes.ground.change(nodes.ground.event, ["pin": "97531"])
        for node in [nodes.first, nodes.other] {
            #expect(try await nodes.get(path, at: node).status == 403)
        }
    }
}
