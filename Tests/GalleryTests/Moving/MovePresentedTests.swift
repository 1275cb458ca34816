import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// What was given out by a gallery before it moved is presented to it where it is then: passes, keys, log-ins, names of
/// uploads and the last stamp of a client, each by a request as its owner sends it.
@Suite(
    .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl")),
    .timeLimit(.minutes(Cases.minutesOfHang)), .inFolder)
struct MovePresentedTests {
    /// One of the two servers: that of the folder, and the node after it.
    private struct Server {
        let program: GalleryProgram
        let port: UInt16

        func host(
            _ method: String, _ target: String, _ body: String? = nil, headers: [(String, String)] = []
        ) throws -> Wire.Answer {
            try Wire(port).ask(method, target, token: program.token, headers: headers, body: body)
        }

        func guest(_ target: String, _ pass: String? = nil) throws -> Wire.Answer {
            try Wire(port).ask("GET", target, headers: pass.map { [("Cookie", $0)] } ?? [])
        }

        /// How many photos a guest sees; nothing where he is not let in.
        func photos(_ pass: String?) throws -> Int? {
            let list = try guest("/e/\(program.slug)/photos", pass)
            return list.status == 200 ? list["photos"]?.array?.count : nil
        }

        func sync(after stamp: JSONValue) throws -> Wire.Answer {
            try host("POST", "/sync", #"{"lastSync":\#(stamp.compact),"changes":[]}"#)
        }

        func credits() throws -> Int64? { try host("GET", "/me")["credits"]?.integer }

        /// A place for a photo, by the name that its client has for the upload.
        func place(_ name: String, _ bytes: [UInt8]) throws -> Wire.Answer {
            try host(
                "POST", "/uploads/presign",
                #"{"eventId":"\#(program.event)","contentType":"image/jpeg","contentLength":\#(bytes.count)}"#,
                headers: [("Idempotency-Key", name)])
        }

        func tus(
            _ method: String, _ target: String, _ headers: [(String, String)] = [], _ bytes: [UInt8] = []
        ) throws -> Wire.Answer {
            let all =
                [("Tus-Resumable", "1.0.0"), ("Authorization", "Bearer \(program.token)")] + headers
            return try Wire(port).exchange(Array(Wire.head(method, target, all).utf8) + bytes)
        }

        /// The bytes of a whole that belong where they stand in it.
        func append(_ part: ArraySlice<UInt8>, to upload: String) throws -> Wire.Answer {
            try tus(
                "PATCH", upload,
                [
                    ("Upload-Offset", "\(part.startIndex)"), ("Content-Length", "\(part.count)"),
                    ("Content-Type", "application/offset+octet-stream"),
                ], Array(part))
        }
    }

    /// What the first server has given out, and what stood behind it then.
    private struct Given {
        let typed: String
        let scanned: String
        /// What the QR code holds, without the server.
        let entry: String
        let refresh: String
        let stamp: JSONValue
        let photo: String
        let thumb: String
        let picture: String
        /// The answers that gave places: to a photo that is there, and to one whose bytes have not come yet.
        let done: Wire.Answer
        let open: Wire.Answer
        /// Of which the first half has come.
        let tus: String
    }

    private static func cookie(of answer: Wire.Answer) throws -> String {
        let line = try #require(answer.line("Set-Cookie"), "\(answer.all)")
        return String(try #require(line.split(separator: ";").first))
    }

    private func give(_ server: Server, _ photos: [[UInt8]]) throws -> Given {
        let program = server.program
        let granted = try program.run(["credits", "grant", "host@example.org", "9"] + program.rows)
        #expect(granted.code == 0, "\(granted.errors)")
        let done = try server.place("done", photos[0])
        #expect(done.status == 201)
        let place = try GalleryProgram.place(in: done)
        #expect(try program.put(photos[0], at: place).status == 200)
        #expect(try program.ending(of: place.upload)["status"] == "completed")
        let open = try server.place("open", photos[1])
        let list = try server.host("GET", "/events/\(program.event)/photos")
        let photo = try #require(list["photos"]?.array?.first, "\(list.text)")
        let key = try #require(photo["thumbKey"]?.string)
        let thumb = "/images/\(key)"
        let url = try #require(try server.host("GET", "/events/\(program.event)")["entryUrl"]?.string)
        let entry = String(url[try #require(url.firstRange(of: "/e/")).lowerBound...])
        let pin = #"{"pin":"\#(GalleryProgram.pin)"}"#
        let typed = try Self.cookie(
            of: Wire(server.port).ask("POST", "/e/\(program.slug)/access", body: pin))
        let picture = try server.guest(thumb, typed)
        #expect(picture.status == 200 && !picture.text.isEmpty)
        let login = try Wire(server.port).ask(
            "POST", "/auth/login", body: #"{"email":"host@example.org","password":"correct horse"}"#)
        let all = try server.sync(after: .null)
        #expect(all["changes"]?.array?.count == 2, "the event and its photo: \(all.text)")
        return Given(
            typed: typed, scanned: try Self.cookie(of: server.guest(entry)), entry: entry,
            refresh: try #require(login["refreshToken"]?.string, "\(login.text)"),
            stamp: try #require(all["serverTimestamp"]), photo: try #require(photo["id"]?.string),
            thumb: thumb, picture: picture.text, done: done, open: open,
            tus: try begin(photos[2], at: server))
    }

    /// An upload of which the half has come.
    private func begin(_ bytes: [UInt8], at server: Server) throws -> String {
        let pairs = [
            ("event", server.program.event), ("filetype", "image/jpeg"), ("filename", "half.jpg"),
        ]
        let about = pairs.map { "\($0.0) \(Base64.text(Array($0.1.utf8)))" }.joined(separator: ",")
        let begun = try server.tus(
            "POST", "/uploads/tus", [("Upload-Length", "\(bytes.count)"), ("Upload-Metadata", about)])
        let upload = try #require(begun.line("Location"), "\(begun.all)")
        let sent = try server.append(bytes[..<(bytes.count / 2)], to: upload)
        #expect(sent.status == 204, "\(sent.all)")
        return upload
    }

    @Test("what was given out before a move is good after it, and means what it meant")
    func presented() async throws { try await aside { try moveAndPresent() } }

    private func moveAndPresent() throws {
        let ground = try MoveProgramGround()
        let photos = try (1...3).map(ground.photo)
        let before = Server(program: ground.program, port: ground.program.port)
        let given = try give(before, photos)
        let beside = try ground.move()
        #expect(beside.code == 75, "\(beside.text) \(beside.errors)")
        let late = try Self.cookie(of: before.guest(given.entry))
        ground.program.end()
        let last = try ground.move()
        try #require(last.code == 0, "\(last.text) \(last.errors)")
        let (node, port) = try ground.serve()
        defer { node.letGo() }
        let after = Server(program: ground.program, port: port)
        try presentAsHost(given, to: after)
        try presentAsGuests(given, late, to: after)
        try presentUploads(given, photos, to: after)
        #expect(try after.photos(given.typed) == 3)
        #expect(try after.credits() == 6)
    }

    private func presentAsHost(_ given: Given, to server: Server) throws {
        #expect(try server.credits() == 8)
        // Nothing has changed, so that nothing is told again.
        let same = try server.sync(after: given.stamp)
        #expect(same["changes"]?.array?.isEmpty == true, "\(same.text)")
        #expect(same["serverTimestamp"] == given.stamp, "\(same.text)")
        let changed = try server.host("PATCH", "/photos/\(given.photo)", #"{"caption":"The first dance"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let news = try server.sync(after: given.stamp)
        let changes = try #require(news["changes"]?.array, "\(news.text)")
        #expect(changes.map { $0["id"]?.string } == [given.photo], "\(news.text)")
        #expect(changes.first?["data"]?["caption"] == "The first dance", "\(news.text)")
        let renewed = try Wire(server.port).ask(
            "POST", "/auth/refresh", body: #"{"refreshToken":"\#(given.refresh)"}"#)
        let access = try #require(renewed["accessToken"]?.string, "\(renewed.text)")
        let me = try Wire(server.port).ask("GET", "/me", token: access)
        #expect(me.status == 200 && me["id"]?.string == server.program.account, "\(me.text)")
    }

    private func presentAsGuests(_ given: Given, _ late: String, to server: Server) throws {
        #expect(try server.photos(nil) == nil)
        for pass in [given.typed, given.scanned, late] { #expect(try server.photos(pass) == 1) }
        // A device that was never here comes in by the code on the table.
        let entered = try server.guest(given.entry)
        #expect(entered.status == 303, "\(entered.all)")
        #expect(try server.photos(Self.cookie(of: entered)) == 1)
        let picture = try server.guest(given.thumb, given.typed)
        #expect(picture.status == 200 && picture.text == given.picture)
        #expect(try server.guest(given.thumb).status == 404)
    }

    /// Names and keys are those of before; only the place where bytes go is another.
    private func presentUploads(_ given: Given, _ photos: [[UInt8]], to server: Server) throws {
        let program = server.program
        for (name, before, bytes) in [("done", given.done, photos[0]), ("open", given.open, photos[1])] {
            let again = try server.place(name, bytes)
            #expect(again.status == 200, "\(again.text)")
            for field in ["uploadId", "objectKey", "expiresAt"] {
                #expect(again[field] == before[field], "\(name): \(again.text)")
            }
            guard name == "open" else { continue }
            let place = try GalleryProgram.place(in: again)
            #expect(try program.put(bytes, at: place).status == 200)
            #expect(try program.ending(of: place.upload, at: server.port)["status"] == "completed")
        }
        let half = photos[2].count / 2
        let shown = try server.tus("HEAD", given.tus)
        #expect(shown.status == 200 && shown.line("Upload-Offset") == "\(half)", "\(shown.all)")
        let sent = try server.append(photos[2][half...], to: given.tus)
        #expect(sent.status == 204, "\(sent.all)")
        let upload = String(given.tus.dropFirst("/uploads/tus/".count))
        #expect(try program.ending(of: upload, at: server.port)["status"] == "completed")
    }
}
