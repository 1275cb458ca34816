import Basics
import Database
import Digest
import TestSupport
import Testing

@testable import Gallery

/// Uploads by clients whose requests are lost, doubled, late and out of order: one photo and one charge for each picture,
/// and an end.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UploadOrderTests {
    /// One picture on its way from one client.
    private struct Upload {
        let bytes: [UInt8]
        let key: String
        let says: Bool
        var id: String?
        /// Every URL that was ever given for it; late ones are used as well.
        var places: [(url: String, headers: [HTTPHeader])] = []
        var status = ""
    }

    @Test(
        "whatever is lost, doubled or late: one photo, one charge, no loop, nothing left over",
        arguments: [false, true])
    func orders(isServed: Bool) async throws {
        let gallery = try GalleryGround(isServed: isServed)
        for seed in Cases.galleries(full: isServed ? 500 : 10_000) {
            try await run(seed, gallery)
            if !gallery.warnings.value.isEmpty { break }
        }
        #expect(gallery.warnings.value == [])
        // When the time for keeping things is over, what is left is the photos, their renditions, and nothing else.
        gallery.wall.go(.seconds(9 * 24 * 3600))
        for _ in 0..<500 {
            try await gallery.server.sweeper.sweep()
            if try await gallery.totals().removals == 0, try await gallery.store.places() == 0 { break }
        }
        let totals = try await gallery.totals()
        let report = try await GalleryCare.check(
            gallery.ground.database, FolderObjects(path: gallery.objects))
        #expect(report.problems == [] && report.strays == 0)
        #expect(totals.photos > 0 && report.photos == totals.photos && report.objects == 3 * totals.photos)
    }

    private func run(_ seed: UInt64, _ gallery: GalleryGround) async throws {
        var random = Seeded(seed)
        let host = try await gallery.host("host\(seed)@example.org", credits: 50)
        var uploads: [Upload] = (0..<Int.random(in: 1...3, using: &random)).map { index in
            // Now and then two clients have the same picture.
            let picture = random.chance(25) ? 0 : index
            return Upload(
                bytes: Array("picture \(seed) \(picture)".utf8), key: "\(seed).\(index)",
                says: random.chance(70))
        }
        for _ in 0..<Int.random(in: 3...25, using: &random) {
            let index = Int.random(in: 0..<uploads.count, using: &random)
            try await happen(to: &uploads[index], host, gallery, &random)
        }
        for index in uploads.indices { try await finish(&uploads[index], host, gallery, seed) }
        let pictures = Set(uploads.map(\.bytes)).count
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        #expect(event["counts"]?["photos"]?.integer == Int64(pictures), "seed \(seed)")
        #expect(
            event["counts"]?["pending"]?.integer == 0 && event["counts"]?["failed"]?.integer == 0,
            "seed \(seed)")
        let me = try await gallery.call("GET", "/me", token: gallery.token(host))
        #expect(me["credits"]?.integer == Int64(50 - pictures), "seed \(seed)")
    }

    private func happen(
        to upload: inout Upload, _ host: GalleryGround.Host, _ gallery: GalleryGround, _ random: inout Seeded
    ) async throws {
        // An answer that is lost has been acted on all the same.
        let isLost = random.chance(30)
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let answer = try await presign(upload, host, gallery)
            if !isLost { take(answer, &upload) }
        case 2:
            guard let id = upload.id else { return }
            let answer = try await gallery.call("POST", "/uploads/\(id)/presign", token: gallery.token(host))
            #expect([200, 409].contains(answer.status), "\(answer)")
            if !isLost { take(answer, &upload) }
        case 3, 4:
            guard let place = upload.places.randomElement(using: &random) else { return }
            _ = try await put(upload, place, gallery)
            await gallery.hear(random.chance(30))
        case 5: _ = try await status(&upload, host, gallery)
        case 6: _ = try await gallery.server.processor.workOnce()
        case 7: gallery.wall.go(.seconds(Int64.random(in: 0...400, using: &random)))
        default:
            if random.chance(20) { gallery.wall.go(.seconds(25 * 3600)) }
            try await gallery.server.sweeper.sweep()
        }
    }

    private func presign(
        _ upload: Upload, _ host: GalleryGround.Host, _ gallery: GalleryGround
    ) async throws -> GalleryGround.Answer {
        var wish: [(key: String, value: JSONValue)] = [
            ("eventId", .string(host.event)), ("contentType", "image/jpeg"),
            ("contentLength", .integer(Int64(upload.bytes.count))),
        ]
        if upload.says { wish.append(("sha256", .string("\(SHA256.of(upload.bytes))"))) }
        let answer = try await gallery.call(
            "POST", "/uploads/presign", .object(wish),
            token: gallery.token(host), headers: [HTTPHeader("Idempotency-Key", upload.key)])
        #expect([200, 201].contains(answer.status), "\(answer)")
        return answer
    }

    private func take(_ answer: GalleryGround.Answer, _ upload: inout Upload) {
        guard let id = answer["uploadId"]?.string, let url = answer["putUrl"]?.string else { return }
        #expect(upload.id == nil || upload.id == id, "a key has one upload")
        upload.id = id
        let headers = answer["requiredHeaders"]?.members ?? []
        upload.places.append((url, headers.map { HTTPHeader($0.key, $0.value.string ?? "") }))
    }

    private func put(
        _ upload: Upload, _ place: (url: String, headers: [HTTPHeader]), _ gallery: GalleryGround
    ) async throws -> Int {
        let target = String(place.url.dropFirst("http://gallery.example".count))
        let status = try await gallery.call("PUT", target, bytes: upload.bytes, headers: place.headers).status
        #expect([200, 403, 412].contains(status), "\(status)")
        return status
    }

    private func status(
        _ upload: inout Upload, _ host: GalleryGround.Host, _ gallery: GalleryGround
    ) async throws -> String? {
        guard let id = upload.id else { return nil }
        let answer = try await gallery.call("GET", "/uploads/status?ids=\(id)", token: gallery.token(host))
        #expect(answer.status == 200)
        upload.status = try #require(answer.data?.array?.first?["status"]?.string)
        return upload.status
    }

    /// As a client that does what the contract says goes on, with nothing in its way any more.
    private func finish(
        _ upload: inout Upload, _ host: GalleryGround.Host, _ gallery: GalleryGround, _ seed: UInt64
    ) async throws {
        for _ in 0..<6 {
            if upload.id == nil { take(try await presign(upload, host, gallery), &upload) }
            switch try await status(&upload, host, gallery) {
            case "completed": return
            case "processing": try await gallery.work()
            default:
                let id = try #require(upload.id)
                take(
                    try await gallery.call("POST", "/uploads/\(id)/presign", token: gallery.token(host)),
                    &upload)
                let place = try #require(upload.places.last)
                _ = try await put(upload, place, gallery)
                await gallery.hear()
            }
        }
        Issue.record("seed \(seed): it turned in circles: \(upload)")
    }
}

extension GalleryStore {
    func places() throws -> Int {
        try database.count("FROM places")
    }
}
