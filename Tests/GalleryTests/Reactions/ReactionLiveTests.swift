import Basics
import Database
import HTTPServer
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// What open pages hear of hearts and comments.
@Suite struct ReactionLiveTests {
    private func messages(_ text: String) -> [JSONValue] {
        text.split(separator: "\n\n").compactMap { message in
            guard message.contains("event: reactions\n") else { return nil }
            let data = message.split(separator: "\n").first { $0.hasPrefix("data: ") }?.dropFirst(6)
            do { return try data.map { try JSON5.parse(Array($0.utf8)) } } catch { return nil }
        }
    }

    @Test("what many guests do within a moment is one message, for guests and for the host")
    func together() async throws {
        let ground = try await ReactionGround()
        let (kiss, cake) = (ground.photos[0], ground.photos[1])
        let guest = try await ground.guest().listen()
        let own = try await ground.gallery.call(
            "GET", "/events/\(ground.host.event)/live", token: ground.token)
        let host = try #require(own.stream)
        for number in 0..<30 {
            let one = ground.guest()
            _ = try await one.give(kiss)
            if number < 3 { _ = try await one.give(cake) }
        }
        _ = try await ground.guest().write("Lovely", of: cake)
        #expect(messages(guest.heard).isEmpty)
        await ground.tell()
        for text in [guest.heard, host.heard] {
            let found = messages(text)
            #expect(found.count == 1, "\(text)")
            let photos = found.first?["photos"]?.array ?? []
            let counts = Dictionary(
                uniqueKeysWithValues: photos.map {
                    ($0["id"]?.string ?? "", [$0["hearts"] ?? .null, $0["comments"] ?? .null])
                })
            #expect(counts == [kiss: [.integer(30), .integer(0)], cake: [.integer(3), .integer(1)]])
        }
        await ground.tell()
        #expect(messages(guest.heard).isEmpty)
    }

    @Test("guests hear nothing of a photo that they do not see; the host does")
    func hidden() async throws {
        let ground = try await ReactionGround()
        let photo = ground.photos[0]
        _ = try await ground.guest().give(photo)
        let guest = try await ground.guest().listen()
        let own = try await ground.gallery.call(
            "GET", "/events/\(ground.host.event)/live", token: ground.token)
        let host = try #require(own.stream)
        try await ground.change("/photos/\(photo)", ["hidden": .bool(true)])
        await ground.tell()
        let toGuests: [JSONValue] = messages(guest.heard).flatMap { $0["photos"]?.array ?? [] }
        #expect(toGuests.isEmpty)
        let told = messages(host.heard).flatMap { $0["photos"]?.array ?? [] }
        #expect(told.map { $0["id"]?.string } == [photo])
    }

    @Test("a comment that goes is told by another number of edits, also where another has come")
    func edits() async throws {
        let ground = try await ReactionGround()
        let photo = ground.photos[0]
        let guest = ground.guest()
        let stream = try await guest.listen()
        let first = try #require(try await guest.write("one", of: photo)["id"]?.string)
        await ground.tell()
        let before = try #require(messages(stream.heard).last?["photos"]?.array?.first)
        _ = try await guest.write("two", of: photo)
        _ = try await ground.ask("DELETE", "/events/\(ground.host.event)/comments/\(first)")
        await ground.tell()
        let after = try #require(messages(stream.heard).last?["photos"]?.array?.first)
        #expect(before["comments"] == after["comments"] && before["edits"] != after["edits"])
    }

    @Test("pages hear what their hosts take, and a page that was away hears it when it comes back")
    func switched() async throws {
        let ground = try await ReactionGround()
        let stream = try await ground.guest().listen()
        let stamp = try await ground.gallery.store.lastStamp(ofEvent: ground.host.event)
        try await ground.change("/events/\(ground.host.event)", ["allowsHearts": .bool(false)])
        let told = try #require(messages(stream.heard).last)
        #expect(told["allowsHearts"] == .bool(false) && told["allowsComments"] == .bool(true))
        let again = try await ground.gallery.call("GET", "/e/\(ground.host.slug)/live?after=\(stamp)")
        #expect(messages(try #require(again.stream).heard).last == told)
    }
}

/// Two nodes with one database.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct ReactionNodesTests {
    @Test("hearts that are given at both nodes are counted together, and a device is the same at both")
    func counts() async throws {
        let nodes = try await ReactionNodes()
        let photo = nodes.ground.photos[0]
        let guest = nodes.ground.guest()
        _ = try await guest.give(photo)
        let moved = nodes.moved(guest)
        #expect(try await moved.give(photo)["hearts"] == .integer(1))
        #expect(try await nodes.ground.guest(at: nodes.other).give(photo)["hearts"] == .integer(2))
        #expect(try await moved.takeBack(photo)["hearts"] == .integer(1))
        #expect(try await guest.counts() == [photo: [1, 0]])
    }

    @Test("limits hold over both nodes")
    func limits() async throws {
        let nodes = try await ReactionNodes()
        let photo = nodes.ground.photos[0]
        let guest = nodes.ground.guest()
        _ = try await guest.write("0", of: photo)
        let moved = nodes.moved(guest)
        for number in 1..<6 {
            #expect(
                try await (number.isMultiple(of: 2) ? guest : moved).write("\(number)", of: photo).status
                    == 201)
        }
        #expect(try await guest.write("6", of: photo).status == 429)
        #expect(try await moved.write("6", of: photo).status == 429)
    }

    @Test("hearts are limited over both nodes together")
    func heartLimits() async throws {
        let nodes = try await ReactionNodes()
        let photo = nodes.ground.photos[0]
        let guest = nodes.ground.guest()
        _ = try await guest.give(photo)
        let moved = nodes.moved(guest)
        for number in 1..<60 {
            #expect(try await (number.isMultiple(of: 2) ? guest : moved).give(photo).status == 200)
        }
        #expect(try await guest.give(photo).status == 429)
        #expect(try await moved.give(photo).status == 429)
    }

    /// What deletes a photo holds the account, and then wants the photo's counts and comments.
    @Test("what removes a comment waits for the account before it holds the comment or the photo's counts")
    func order() async throws {
        let nodes = try await ReactionNodes()
        let ground = nodes.ground
        let photo = ground.photos[0]
        let id = try #require(try await ground.guest().write("Lovely", of: photo)["id"]?.string)
        let database = try #require(ground.gallery.ground.postgres)
        let (account, event) = (ground.host.account, ground.host.event)
        let (store, hasEnded) = (ground.gallery.server.store, Shared(false))
        let removing = try await aside { () throws -> Task<String, any Error> in
            let holder = try database.server.session(database.name)
            return try holder.transaction {
                try holder.run("SELECT 1 AS locked FROM accounts WHERE id = ? FOR UPDATE", account)
                let removing = Task { () async throws -> String in
                    defer { hasEnded.change { $0 = true } }
                    return try await store { try $0.removeComment(id, in: event) }
                }
                try database.server.wait(for: 1, at: holder, of: database.name)
                try holder.run("SELECT 1 AS locked FROM comments WHERE id = ? FOR UPDATE NOWAIT", id)
                try holder.run(
                    "SELECT 1 AS locked FROM photo_reactions WHERE photo_id = ? FOR UPDATE NOWAIT", photo)
                #expect(!hasEnded.value, "it has not waited")
                return removing
            }
        }
        #expect(try await removing.value == photo)
    }

    @Test("a page at one node hears of hearts that were given at the other, once")
    func live() async throws {
        let nodes = try await ReactionNodes()
        let (photo, event) = (nodes.ground.photos[0], nodes.ground.host.event)
        let stream = try await nodes.ground.guest(at: nodes.other).listen()
        for _ in 0..<5 { _ = try await nodes.ground.guest().give(photo) }
        await nodes.ground.tell()
        _ = try await nodes.ground.guest().give(photo)
        await nodes.ground.tell()
        let follower = try #require(nodes.other.server.cluster?.follower)
        follower.look(at: [event])
        await follower.settle()
        let text = stream.heard
        // Both changes were read at once: the second says all that the first did.
        #expect(text.split(separator: "event: reactions").count == 2, "\(text)")
        #expect(text.contains("\"hearts\":6"), "\(text)")
        follower.look(at: [event])
        await follower.settle()
        #expect(stream.heard.isEmpty)
    }

    @Test("a change is read once at each node, whatever rings of it and however often it is looked")
    func once() async throws {
        let nodes = try await ReactionNodes()
        let first = nodes.ground.gallery
        var streams: [EventStream] = []
        for node in [first, nodes.other] { streams.append(try await nodes.ground.guest(at: node).listen()) }
        _ = streams.map(\.heard)
        let before = [first, nodes.other].map(\.ground.database.reader.figures.uses)
        func read() -> [UInt64] {
            zip([first, nodes.other], before).map { $0.ground.database.reader.figures.uses - $1 }
        }
        try await nodes.ground.change("/photos/\(nodes.ground.photos[0])", ["caption": .string("A kiss")])
        await first.settle()
        let answering = read()[0]
        // All nodes hear what one rings, that one too.
        let followers = try [first, nodes.other].map { try #require($0.server.cluster?.follower) }
        var rung = 0
        while let text = await followers[0].ringOnce() {
            rung += 1
            for follower in followers { follower.hear(text) }
        }
        #expect(rung > 0)
        for follower in followers { await follower.settle() }
        #expect(read() == [answering, 1], "what is told is read once")
        for (number, stream) in streams.enumerated() {
            let text = stream.heard
            let told = text.split(separator: "\n").count { $0 == "event: photo" }
            #expect(told == 1, "node \(number): \(text)")
        }
        // What looks at what was noted reads that, and nothing of the event.
        for follower in followers {
            try await follower.lookOnce(isWide: true)
            await follower.settle()
        }
        #expect(read() == [answering + 1, 2])
        #expect(streams.allSatisfy { $0.heard.isEmpty })
    }

    @Test("many guests at both nodes at once: each heart is counted once, and no transaction waits for good")
    func storm() async throws {
        let nodes = try await ReactionNodes()
        let ground = nodes.ground
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                let guest = ground.guest(at: number.isMultiple(of: 2) ? nil : nodes.other)
                group.addTask {
                    for photo in ground.photos { _ = try await guest.give(photo) }
                    if number.isMultiple(of: 4) { _ = try await guest.takeBack(ground.photos[0]) }
                    await guest.gallery.server.teller.tell()
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await ground.guest().counts() == [ground.photos[0]: [30, 0], ground.photos[1]: [40, 0]])
    }
}
