import Basics
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// The real program while there is no room: what clients are told, what is seen, and that it goes on.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)), .inFolder,
    .enabled(if: SmallDisk.canMount, "mounting a small disk takes root and a kernel that allows it"),
    .enabled(if: Tool.isThere("convert"), "ImageMagick makes the photos"))
struct FullDiskTests {
    /// Noise, which no encoder makes small: more than a megabyte.
    private func photo() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let convert = try #require(Tool("convert"))
        let words = ["-size", "1400x1000", "xc:gray", "-seed", "7", "+noise", "Random", "-quality", "85"]
        let made = try convert.run(words + [folder.file("noise.jpg")])
        #expect(made.code == 0, "\(made.errors)")
        return try readFile(folder.file("noise.jpg"))
    }

    /// With a small disk for the photos alone.
    private func programWithSmallObjects() throws -> (GalleryProgram, SmallDisk) {
        var disk: SmallDisk?
        let program = try GalleryProgram { data in
            mkdir(data, 0o700)
            disk = try SmallDisk(at: "\(data)/objects", megabytes: 16)
        }
        return (program, try #require(disk))
    }

    private func put(_ bytes: [UInt8], at place: GalleryProgram.Place, _ program: GalleryProgram) throws
        -> Wire.Answer
    {
        try Wire(program.port).put(place.target, place.headers, bytes)
    }

    private func expectNothing(
        shownBy program: GalleryProgram, at location: SourceLocation = #_sourceLocation
    )
        throws
    {
        let photos = try program.ask("GET", "/events/\(program.event)/photos")
        #expect(photos["photos"]?.array?.isEmpty == true, "\(photos.text)", sourceLocation: location)
        let event = try program.ask("GET", "/events/\(program.event)")
        #expect(event["counts"]?["photos"]?.integer == 0, "\(event.text)", sourceLocation: location)
    }

    private func expectOne(shownBy program: GalleryProgram, _ bytes: [UInt8]) throws {
        let photos = try program.ask("GET", "/events/\(program.event)/photos")
        let photo = try #require(photos["photos"]?.array?.first, "\(photos.text)")
        #expect(photos["photos"]?.array?.count == 1)
        // The event has a PIN, and its owner a pass for pictures.
        let event = try program.ask("GET", "/events/\(program.event)")
        let cookies = event.head.split(separator: "\r\n").filter { $0.hasPrefix("Set-Cookie: ") }
        let pass = try #require(cookies.first?.dropFirst(12).split(separator: ";").first.map(String.init))
        for key in ["thumbKey", "tileKey", "screenKey", "originalKey"] {
            let target = "/images/\(try #require(photo[key]?.string))"
            let image = try Wire(program.port).ask("GET", target, headers: [("Cookie", pass)])
            #expect(image.status == 200 && image.text.utf8.count > 10_000, "\(key): \(image.head)")
        }
        #expect(photo["size"]?.integer == Int64(bytes.count))
        let check = try #require(Tool(Built.gallery)).run(["check", "--data", program.data])
        #expect(check.code == 0 && check.text.contains("1 photos, 4 objects, 0 of them"), "\(check.text)")
    }

    private func left(in program: GalleryProgram) throws -> [String] {
        try #require(Tool("find")).run(["\(program.data)/objects", "-type", "f", "!", "-name", "filler"])
            .lines
    }

    @Test(
        "where the photos' disk is full, a PUT is to come again later, and nothing of it is kept until then")
    func put() async throws { try await aside { try putting() } }

    private func putting() throws {
        let bytes = try photo()
        let (program, disk) = try programWithSmallObjects()
        let place = try program.place(for: bytes)
        for room in [0, bytes.count / 2] {
            try disk.leave(room)
            let answer = try put(bytes, at: place, program)
            #expect(answer.status == 503 && answer.code == "SERVICE_UNAVAILABLE", "\(answer.head)")
            #expect(answer.head.contains("Retry-After: 60"), "\(answer.head)")
            #expect(answer.text.contains("disk is full"))
            #expect(try left(in: program) == [])
        }
        try expectNothing(shownBy: program)
        try disk.leave(nil)
        #expect(try put(bytes, at: place, program).status == 200)
        #expect(try program.ending(of: place.upload)["status"] == "completed")
        try expectOne(shownBy: program, bytes)
        withExtendedLifetime(program) {}
    }

    @Test(
        "where the renditions find no room, the upload fails for a reason that passes, and a retry makes a photo of it"
    )
    func renditions() async throws { try await aside { try rendering() } }

    private func rendering() throws {
        let bytes = try photo()
        let (program, disk) = try programWithSmallObjects()
        let place = try program.place(for: bytes)
        // For smaller ones, and a part of the largest.
        try disk.leave(bytes.count + 256 << 10)
        #expect(try put(bytes, at: place, program).status == 200)
        for _ in 0..<2 {
            let end = try program.ending(of: place.upload)
            #expect(end["status"] == "failed" && end["errorCode"] == "STORAGE_ERROR", "\(end)")
            let message = try #require(end["errorMessage"]?.string)
            #expect(
                message.contains("tried again") && !message.contains("/"),
                "where is the operator's business: \(message)")
            #expect(try left(in: program).count == 1, "the original, and nothing half")
            try expectNothing(shownBy: program)
            let retry = try program.ask(
                "POST", "/uploads/events/\(program.event)/\(place.upload)/retry")
            #expect(retry.status == 200, "\(retry.text)")
        }
        _ = try program.ending(of: place.upload)
        try disk.leave(nil)
        #expect(try program.ask("POST", "/uploads/events/\(program.event)/retry-all").status == 200)
        #expect(try program.ending(of: place.upload)["status"] == "completed")
        try expectOne(shownBy: program, bytes)
        #expect(program.log.contains { $0.contains("No space left on device") }, "\(program.log)")
    }

    @Test(
        "where the disk of everything is full, uploads are to come again later, what only reads goes on, and the host can log in and delete"
    )
    func everything() async throws { try await aside { try filling() } }

    private static let login = #"{"email":"host@example.org","password":"correct horse"}"#

    private func filling() throws {
        let bytes = try photo()
        var disk: SmallDisk?
        let program = try GalleryProgram { data in disk = try SmallDisk(at: data, megabytes: 24) }
        let place = try program.place(for: bytes)
        #expect(try program.ask("GET", "/ready").status == 200)
        try disk?.leave(0)
        let wish = #"{"eventId":"\#(program.event)","contentType":"image/jpeg","contentLength":9}"#
        var refused = 0
        // The database has some room of its own, for a while.
        while refused < 10 {
            let answer = try program.ask("POST", "/uploads/presign", wish)
            if answer.status == 201 { continue }
            #expect(
                answer.status == 503 && answer.code == "SERVICE_UNAVAILABLE", "\(answer.head) \(answer.text)")
            #expect(answer.head.contains("Retry-After: 60"), "\(answer.head)")
            refused += 1
        }
        #expect(try program.ask("POST", "/uploads/\(place.upload)/presign").status == 503)
        #expect(try put(bytes, at: place, program).status == 503)
        try expectNothing(shownBy: program)
        let ready = try program.ask("GET", "/ready")
        #expect(ready.status == 503 && ready.text.contains("the disk is full"), "\(ready.text)")
        // Each writes: a session, a name, and then away with all of it.
        let login = try program.ask("POST", "/auth/login", Self.login)
        #expect(login.status == 200, "\(login.text)")
        let renamed = try program.ask("PATCH", "/events/\(program.event)", #"{"name":"Full"}"#)
        #expect(renamed.status == 200, "\(renamed.text)")
        try disk?.leave(nil)
        #expect(try put(bytes, at: place, program).status == 200)
        #expect(try program.ending(of: place.upload)["status"] == "completed")
        try expectOne(shownBy: program, bytes)
        #expect(try program.ask("GET", "/ready").status == 200)
        try disk?.leave(0)
        while try program.ask("POST", "/uploads/presign", wish).status == 201 {}
        let deleted = try program.ask("DELETE", "/events/\(program.event)")
        #expect(deleted.status == 204 || deleted.status == 200, "\(deleted.text)")
    }

    @Test("a gallery that was stopped with its disk full starts, and its host deletes")
    func starting() async throws {
        try await aside {
            var disk: SmallDisk?
            let program = try GalleryProgram { data in disk = try SmallDisk(at: data, megabytes: 24) }
            program.end()
            try disk?.leave(0)
            let folder = try TemporaryFolder()
            let words = ["serve", "--listen", "127.0.0.1:0", "--port-file", folder.file("port")]
            let again = try Daemon(Built.gallery, words + ["--data", program.data], isLeashed: true)
            try again.wait(for: "everything in")
            while access(folder.file("port"), R_OK) != 0 { sched_yield() }
            let text = String(decoding: try readFile(folder.file("port")), as: UTF8.self)
            let wire = try Wire(try #require(UInt16(text.filter(\.isNumber))))
            let login = try wire.ask("POST", "/auth/login", body: Self.login)
            let token = try #require(login["accessToken"]?.string, "\(login.text)")
            #expect(try wire.ask("DELETE", "/events/\(program.event)", token: token).status < 300)
            #expect(
                again.output.contains { $0.contains("the disk is full, so no photos are taken; make room") })
        }
    }
}
