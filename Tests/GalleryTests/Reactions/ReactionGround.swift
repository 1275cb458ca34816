import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// An event with photos, and guests with a browser each.
struct ReactionGround: Sendable {
    let gallery: GalleryGround
    let host: GalleryGround.Host
    /// Their ids.
    let photos: [String]

    init(
        _ event: JSONValue = ["name": "Wedding"], photos names: [String] = ["kiss", "cake"],
        in gallery: GalleryGround? = nil
    ) async throws {
        let gallery = try gallery ?? GalleryGround()
        let host = try await gallery.host(event: event)
        (self.gallery, self.host) = (gallery, host)
        var photos: [String] = []
        for name in names {
            photos.append(try #require(try await gallery.upload(name, for: host)?["id"]?.string))
        }
        self.photos = photos
    }

    var token: String { gallery.token(host) }

    func guest(at gallery: GalleryGround? = nil, from peer: String = "192.0.2.1") -> Guest {
        Guest(gallery: gallery ?? self.gallery, slug: host.slug, peer: peer)
    }

    /// As the host asks.
    func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> GalleryGround.Answer
    {
        try await gallery.call(method, path, body, token: token)
    }

    func change(_ path: String, _ wish: JSONValue) async throws {
        let changed = try await ask("PATCH", path, wish)
        #expect(changed.status == 200, "\(changed)")
    }

    /// What has gathered is told now.
    func tell() async {
        await gallery.server.teller.tell()
        await gallery.settle()
    }

    /// A browser that keeps its cookies.
    final class Guest: Sendable {
        let gallery: GalleryGround
        let slug: String
        let peer: String
        let cookies = Shared<[String: String]>([:])

        init(gallery: GalleryGround, slug: String, peer: String) {
            self.gallery = gallery
            self.slug = slug
            self.peer = peer
        }

        @discardableResult
        func ask(
            _ method: String, _ path: String, _ body: JSONValue? = nil
        ) async throws -> GalleryGround.Answer {
            let pairs = cookies.value.map { "\($0.key)=\($0.value)" }
            let headers = pairs.isEmpty ? [] : [HTTPHeader("Cookie", pairs.joined(separator: "; "))]
            let answer = try await gallery.call(
                method, "/e/\(slug)/\(path)", body, headers: headers, peer: peer)
            for header in answer.headers where header.isNamed("Set-Cookie") {
                let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { cookies.change { $0[String(pair[0])] = String(pair[1]) } }
            }
            return answer
        }

        @discardableResult
        func give(_ photo: String) async throws -> GalleryGround.Answer {
            try await ask("PUT", "photos/\(photo)/heart")
        }

        func takeBack(_ photo: String) async throws -> GalleryGround.Answer {
            try await ask("DELETE", "photos/\(photo)/heart")
        }

        func write(_ text: String, of photo: String, as name: String = "Cleo") async throws
            -> GalleryGround.Answer
        {
            try await ask(
                "POST", "photos/\(photo)/comments", ["name": .string(name), "text": .string(text)])
        }

        /// Texts, in the order of the list.
        func comments(of photo: String) async throws -> [String] {
            let list = try await ask("GET", "photos/\(photo)/comments")
            return (list["comments"]?.array ?? []).compactMap { $0["text"]?.string }
        }

        /// How many hearts and comments each photo has.
        func counts() async throws -> [String: [Int64]] {
            let list = try await ask("GET", "reactions")
            let photos = (list["photos"]?.array ?? []).compactMap { photo -> (String, [Int64])? in
                guard let id = photo["id"]?.string, case .integer(let hearts)? = photo["hearts"],
                    case .integer(let comments)? = photo["comments"]
                else { return nil }
                return (id, [hearts, comments])
            }
            return Dictionary(uniqueKeysWithValues: photos)
        }

        func listen() async throws -> EventStream {
            try #require(try await ask("GET", "live").stream)
        }
    }
}

extension EventStream {
    /// What has come since the last look.
    var heard: String {
        var text = ""
        var memory = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = memory.withUnsafeMutableBytes({ take(into: $0) }) {
            text += String(decoding: memory[..<count], as: UTF8.self)
        }
        return text
    }
}

/// The same event at two nodes with one database.
struct ReactionNodes {
    let ground: ReactionGround
    let other: GalleryGround

    init(_ event: JSONValue = ["name": "Wedding"], photos: [String] = ["kiss", "cake"]) async throws {
        let database = try PostgresServer.shared.get().freshDatabase()
        let wall = GalleryWall()
        let gallery = try GalleryGround(seed: 11, on: database, wall: wall)
        ground = try await ReactionGround(event, photos: photos, in: gallery)
        other = try GalleryGround(seed: 42, on: database, wall: wall)
    }

    /// The guest's browser at the other node.
    func moved(_ guest: ReactionGround.Guest) -> ReactionGround.Guest {
        let moved = ground.guest(at: other)
        moved.cookies.change { $0 = guest.cookies.value }
        return moved
    }
}
