import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Photos whose bytes the storage has lost, and that come again.
@Suite struct LostOriginalTests {
    @Test(
        "the same photo once more gives a storage the bytes that it has lost, under the key that they had",
        arguments: [nil, "short"])
    func restored(remains: String?) async throws {
        let ground = try GalleryGround()
        let host = try await ground.host(event: ["name": "Wedding"])
        let photo = try #require(try await ground.upload("kiss", for: host))
        let (id, key) = (photo["id"]?.string ?? "", photo["originalKey"]?.string ?? "")
        #expect(try await isStored(id, ground, host) == true)
        try await ground.storage.remove(key)
        if let remains {
            try ground.ground.folder.write(remains, to: "remains")
            try await ground.storage.keep(ground.ground.folder.file("remains"), as: key, type: "image/jpeg")
        }
        #expect(try await isStored(id, ground, host) == false)

        let bytes = Array("kiss".utf8)
        try await ground.fill(ground.place("once-more", bytes, for: host), with: bytes)
        try await ground.work()
        #expect(try await isStored(id, ground, host) == true)
        let found = try #require(try await ground.storage.look(key))
        #expect(try await ground.storage.read(key, 0..<found.size, of: found) == bytes)
        let list = try await ground.call(
            "GET", "/events/\(host.event)/photos", token: ground.token(host))
        #expect(list["photos"]?.array?.count == 1, "no second photo")
    }

    private func isStored(_ id: String, _ ground: GalleryGround, _ host: GalleryGround.Host) async throws
        -> Bool?
    {
        let answer = try await ground.call("GET", "/uploads/photos?ids=\(id)", token: ground.token(host))
        return answer.data?.array?.first?["stored"]?.bool
    }
}
