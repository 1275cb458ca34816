import Basics
import Digest
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Storages that lose what was acknowledged, or take no more.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TusLossTests {
    private static let bytes = Array("a picture that is lost".utf8)

    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    /// Of which the first nine bytes are a piece.
    private let upload: String

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(credits: 5)
        upload = try await gallery.beginTus(Self.bytes.count, for: host)
        try await append(0..<9, reaching: 9)
    }

    private func append(_ part: Range<Int>, reaching offset: Int) async throws {
        let answer = try await gallery.append(
            Array(Self.bytes[part]), at: part.lowerBound, to: upload, for: host)
        #expect(answer.status == 204 && answer.header("Upload-Offset") == "\(offset)", "\(answer)")
    }

    private func piece() async throws -> String {
        try #require(try await gallery.storage.list(after: nil, limit: 2).first).key
    }

    private func expectNothingLeft() throws {
        #expect(try Directory(path: gallery.storage.workshop).names(limit: 10) == [])
    }

    private func expectOne() async throws {
        try await gallery.work()
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let photos = try #require(list["photos"]?.array)
        #expect(photos.count == 1 && photos.first?["sha256"]?.string == "\(SHA256.of(Self.bytes))")
        let credits = "SELECT credits FROM accounts WHERE id = '\(host.account)'"
        #expect(try await gallery.store.number(credits) == 4)
    }

    @Test("an upload of which the storage has lost a piece begins anew, and is one photo all the same")
    func lost() async throws {
        try await gallery.storage.remove(try await piece())
        try await append(9..<Self.bytes.count, reaching: 0)
        try expectNothingLeft()
        try await append(0..<9, reaching: 9)
        try await append(9..<Self.bytes.count, reaching: Self.bytes.count)
        try await expectOne()
    }

    @Test("where the storage has no room for the whole, nothing of it is left here, and it is tried again")
    func full() async throws {
        let said = Shared<[String]>([])
        let keeper = TusKeeper(
            store: gallery.server.store, storage: FullStorage(base: gallery.storage, refused: "image/jpeg"),
            time: gallery.wall.clock, onLanded: {}, log: { line in said.change { $0.append(line) } })
        let rest = Array(Self.bytes[9...])
        let holder = keeper.holder()
        let (run, count) = (keeper.run, UInt64(rest.count))
        let piece = try await gallery.store.beginPiece(
            of: upload, of: .account(host.account), at: 9, count: count, holder: holder, run: run)
        let file = try await keeper.file(for: piece.key)
        try file.write(rest, at: 0)
        _ = try await keeper.keep(file, size: count, of: piece)
        #expect(said.value.count == 1, "\(said.value)")
        try expectNothingLeft()
        let known = try await gallery.tus(upload, for: host)
        #expect(known.header("Upload-Offset") == "\(Self.bytes.count)", "it is not taken for lost")
        try await gallery.server.tusKeeper.sweep()
        try await expectOne()
    }

    @Test("a piece of an upload that goes on is not removed, however it came to be listed")
    func listed() async throws {
        let key = try await piece()
        try await gallery.server.store { try $0.removeSoon([key]) }
        gallery.wall.go(.seconds(1))
        try await gallery.server.sweeper.sweep()
        try await append(9..<Self.bytes.count, reaching: Self.bytes.count)
        try await expectOne()
    }
}
