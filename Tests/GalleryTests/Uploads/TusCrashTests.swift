import Basics
import Database
import Digest
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Two requests at a time, connections that are cut, and programs that end between any two steps.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TusCrashTests {
    private static let bytes = Array("a picture that is cut".utf8)

    private func offset(_ gallery: GalleryGround, _ upload: String, _ host: GalleryGround.Host) async throws
        -> Int
    {
        let answer = try await gallery.tus(upload, for: host)
        return try #require(answer.header("Upload-Offset").flatMap { Int($0) }, "\(answer)")
    }

    private func expectOne(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        try await gallery.work()
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let photos = try #require(list["photos"]?.array)
        #expect(photos.count == 1 && photos.first?["sha256"]?.string == "\(SHA256.of(Self.bytes))")
        #expect(
            try await gallery.store.number("SELECT credits FROM accounts WHERE id = '\(host.account)'") == 4)
        gallery.wall.go(TusUpload.life + Sweeper.grace * 2)
        try await gallery.server.tusKeeper.sweep()
        try await gallery.server.sweeper.sweep()
        let report = try await gallery.care()
        #expect(report.problems == [] && report.objects == 3 && report.strays == 0, "\(report)")
    }

    @Test("while one request brings bytes another is told to wait; when the first is done it may")
    func held() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(credits: 5)
        let upload = try await gallery.beginTus(Self.bytes.count, for: host)
        let sink = try await gallery.beginning(4, at: 0, of: upload, for: host)
        let second = try await gallery.append([1], at: 0, to: upload, for: host)
        #expect(second.status == 423 && second.header("Retry-After") == "3" && second.code == "CONFLICT")
        #expect(try await offset(gallery, upload, host) == 0)
        try Self.bytes[..<4].withUnsafeBytes { try sink.write($0) }
        #expect(await sink.finish().status == 204)
        let rest = Array(Self.bytes[4...])
        #expect(try await gallery.append(rest, at: 4, to: upload, for: host).status == 204)
        try await expectOne(gallery, host)
    }

    @Test("a request that has stood still gives way, and what it brings then does not count")
    func late() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(credits: 5)
        let upload = try await gallery.beginTus(Self.bytes.count, for: host)
        let sink = try await gallery.beginning(4, at: 0, of: upload, for: host)
        // The calendar is set; nothing that renews a lease has run. A lease at PostgreSQL ends by the database's own clock.
        gallery.wall.set(by: TusUpload.lease + .seconds(1))
        if PostgresServer.isWanted { try await gallery.store.forgetHolders() }
        #expect(
            try await gallery.append(Array(Self.bytes[..<10]), at: 0, to: upload, for: host).status == 204)
        try [UInt8]("evil".utf8).withUnsafeBytes { try sink.write($0) }
        #expect(await sink.finish().status == 423)
        #expect(try await offset(gallery, upload, host) == 10)
        #expect(
            try await gallery.append(Array(Self.bytes[10...]), at: 10, to: upload, for: host).status == 204)
        try await expectOne(gallery, host)
    }

    @Test("what has come of a cut request counts, of a piece and of a whole", arguments: [12, bytes.count])
    func cut(announced: Int) async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(credits: 5)
        let upload = try await gallery.beginTus(Self.bytes.count, for: host)
        let sink = try await gallery.beginning(announced, at: 0, of: upload, for: host)
        try Self.bytes[..<7].withUnsafeBytes { try sink.write($0) }
        sink.abandon()
        while try await offset(gallery, upload, host) == 0 { await Task.yield() }
        #expect(try await offset(gallery, upload, host) == 7)
        var answer = try await gallery.append(Array(Self.bytes[7...]), at: 7, to: upload, for: host)
        while answer.status == 423 {
            await Task.yield()
            answer = try await gallery.append(Array(Self.bytes[7...]), at: 7, to: upload, for: host)
        }
        #expect(answer.status == 204)
        try await expectOne(gallery, host)
    }

    /// Where the program ends, in the course of an upload of two pieces or of one.
    enum End: CaseIterable, Sendable {
        /// The bytes lie in a file of this machine.
        case beforeKeeping
        /// They lie in the storage, and no row says so.
        case pieceKept
        /// All of them are here, and are not one object.
        case allHere
        /// They are one object, and no row says so.
        case wholeKept
        /// In one request: the same.
        case onceKept
    }

    @Test(
        "after an end at any point what counts is what was said to, and one photo comes of it",
        arguments: End.allCases)
    func ended(at end: End) async throws {
        let before = try GalleryGround(seed: 1)
        let host = try await before.host(credits: 5)
        let upload = try await before.beginTus(Self.bytes.count, for: host)
        let first = end == .onceKept ? 0 : 9
        if first > 0 {
            let answer = try await before.append(Array(Self.bytes[..<first]), at: 0, to: upload, for: host)
            #expect(answer.status == 204)
        }
        try await stop(before, upload, host, from: first, at: end)
        // The same folder and the same rows, in another run of the program.
        let after = try GalleryGround(
            seed: 9, in: before.ground.folder, on: before.ground.postgres, wall: before.wall)
        let isAll = end == .allHere || end == .wholeKept
        #expect(try await offset(after, upload, host) == (isAll ? Self.bytes.count : first))
        if isAll {
            try await after.server.tusKeeper.sweep()
        } else {
            // In a file there is no other program that could hold it; at PostgreSQL its lease is waited for.
            if before.ground.postgres != nil { try await after.store.forgetHolders() }
            let rest = Array(Self.bytes[first...])
            #expect(try await after.append(rest, at: first, to: upload, for: host).status == 204)
        }
        try await expectOne(after, host)
    }

    private func stop(
        _ gallery: GalleryGround, _ upload: String, _ host: GalleryGround.Host, from first: Int, at end: End
    ) async throws {
        let keeper = gallery.server.tusKeeper
        let rest = Array(Self.bytes[first...])
        let holder = keeper.holder()
        let (run, start) = (keeper.run, UInt64(first))
        let piece = try await gallery.store.beginPiece(
            of: upload, of: .account(host.account), at: start, count: UInt64(rest.count), holder: holder,
            run: run)
        let file = try await keeper.file(for: piece.key)
        try rest.withUnsafeBytes { try file.write($0, at: 0) }
        if end == .beforeKeeping { return }
        try await gallery.storage.keep(
            "\(file.directory.path)/\(file.name)", as: piece.key, type: "image/jpeg")
        if end == .pieceKept || end == .onceKept { return }
        _ = try await gallery.store.keptPiece(piece, key: piece.key, size: piece.count)
        try await gallery.store.forgetHolders()
        if end == .allHere { return }
        let plan = try #require(try await gallery.store.planTus(upload, holder: holder, run: run))
        let folder = try Directory(path: gallery.storage.workshop)
        let whole = try StagedFile(in: folder, partialName: "whole", mode: 0o600)
        try Self.bytes.withUnsafeBytes { try whole.write($0, at: 0) }
        try await gallery.storage.keep("\(folder.path)/whole", as: plan.key, type: "image/jpeg")
        try await gallery.store.forgetHolders()
    }
}

extension GalleryStore {
    /// As when their leases have run out, whichever clock they are of.
    func forgetHolders() throws {
        try database.run("UPDATE tus_uploads SET leased_until = 0")
    }
}
