import Basics
import Database
import Digest
import Imaging
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// One host with one event, and uploads whose bytes have come.
struct NodesHall {
    let database: PostgresServer.Database
    let nodes: [GalleryDatabase]
    let wall = GalleryWall()
    let account: String
    let event: String

    init(lease: Duration = .seconds(30), names: [String] = ["a", "b"], credits: Int = 100) async throws {
        let database = try PostgresServer.shared.get().freshDatabase()
        self.database = database
        let wall = wall
        nodes = try names.map { name in
            try GalleryDatabase(
                .server(
                    try database.server.gallery(database.name), Worker(name: name, lease: lease),
                    connections: 2), time: try GalleryThreads.time(), wall: wall,
                random: SystemRandomSource())
        }
        let first = nodes[0].store
        account = try #require(
            try await first {
                try $0.addAccount(email: "ann@example.org", name: "Ann", hash: "*", credits: credits)
            }
        ).id
        var wish = EventWish()
        wish.name = "Wedding"
        event = try await first { [account, wish] in try $0.makeEvent(wish, for: account) }.id
        try await first { [account] in try $0.giveConsent(account, version: 1) }
    }

    func landed(_ text: String) async throws -> String {
        let wish = UploadWish(
            event: event, contentType: "image/jpeg", contentLength: 10, idempotencyKey: text)
        let place = try await nodes[0].store { [account] in try $0.presign(wish, for: account, consent: 1)
        }
        _ = try await nodes[0].store { try $0.landed(place.key) }
        return place.upload.id
    }

    static func photo(_ text: String, _ store: StorePool, hasTile: Bool = false) async throws -> NewPhoto {
        let keys = try await store { try $0.renditionKeys() }
        return NewPhoto(
            sha256: "\(SHA256.of(Array(text.utf8)))", size: 10, width: 30, height: 20, exif: ExifFacts(),
            renditions: NewPhoto.Renditions(
                thumb: NewPhoto.Rendition(key: keys.thumb, size: 5, width: 3, height: 2),
                tile: hasTile ? NewPhoto.Rendition(key: keys.tile, size: 7, width: 800, height: 533) : nil,
                screen: NewPhoto.Rendition(key: keys.screen, size: 6, width: 3, height: 2),
                unused: hasTile ? [] : [keys.tile]))
    }
}
