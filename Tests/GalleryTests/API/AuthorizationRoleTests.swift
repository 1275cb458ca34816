import Basics
import TestSupport
import Testing

@testable import Gallery

/// What takes more than one request, asked by every caller of the matrix: photos that a guest picks and takes home, a host's
/// decision on a photo that waits, and what another guest gave.
@Suite struct AuthorizationRoleTests {
    private typealias Caller = AuthorizationTests.Caller
    private typealias Row = AuthorizationTests.Row

    // MARK: A guest who picks photos

    @Test("picked photos are given to all who may look, as large as the host allows, and to no other caller")
    func picker() async throws {
        let scene = try await Scene()
        let picked = Row(
            "/e/SLUG/zip-link", ["photos": ["PHOTO"], "size": "original"],
            [403, 403, 403, 403, 200, 403, 200, 200, 403])
        for (caller, status) in zip(Caller.allCases, picked.statuses) {
            let answer = try await scene.ask("POST", picked, as: caller)
            #expect(answer.status == status, "\(caller): \(answer)")
            if status == 200 {
                #expect(answer["photos"]?.integer == 1, "\(caller): \(answer)")
                #expect(answer["size"]?.string == "screen", "\(caller): \(answer)")
            } else {
                expectNothing(of: scene.secrets, in: answer, to: caller)
            }
        }
    }

    @Test("a link to picked photos is all the permission that it needs, and leads to nothing else")
    func link() async throws {
        let scene = try await Scene()
        let link = try await scene.ask(
            "POST", Row("/e/SLUG/zip-link", ["photos": ["PHOTO"]], all: 200), as: .guest)
        let url = try #require(link["url"]?.string, "\(link)")
        let pass = try #require(url.split(separator: "=", maxSplits: 1).last)
        // Browsers that go on with a download send no cookie.
        try await expect("GET", Row("/e/SLUG/zip?pass=\(pass)", all: 200), in: scene)
        // A pass of that other event, which one of them has, helps as little as a log-in does.
        try await expect("GET", Row("/e/\(scene.other.slug)/zip?pass=\(pass)", all: 403), in: scene)
        // Nor does it lead to what hosts take home.
        try await expect("GET", Row("/events/EVENT/zip?pass=\(pass)", all: 403), in: scene)
        let letters = Array(pass)
        for place in letters.indices {
            var changed = letters
            changed[place] = letters[place] == "1" ? "2" : "1"
            let other = Row("/e/SLUG/zip?pass=\(String(changed))", all: 403)
            let answer = try await scene.ask("GET", other, as: .guest)
            #expect(answer.status == 403, "letter \(place) of \(pass)")
        }
        #expect(scene.gallery.warnings.value == [])
    }

    // MARK: A host who decides

    /// What a host can do with a photo that waits, alone or with others.
    enum Decision: CaseIterable, Sendable {
        case approved, hidden, deleted, approvedWithOthers, hiddenWithOthers, deletedWithOthers

        fileprivate func asked(of id: String) -> (method: String, row: AuthorizationTests.Row) {
            let photo = "/photos/\(id)"
            func many(isHidden: Bool) -> JSONValue {
                ["ids": [.string(id)], "hidden": .bool(isHidden)]
            }
            // Of many, another's are left out, as if they were not there.
            switch self {
            case .approved:
                return ("PATCH", Row(photo, ["hidden": .bool(false)], user: 404, owner: 200))
            case .hidden:
                return ("PATCH", Row(photo, ["hidden": .bool(true)], user: 404, owner: 200))
            case .deleted:
                return ("DELETE", Row(photo, user: 404, owner: 204))
            case .approvedWithOthers:
                return ("PATCH", Row("/photos", many(isHidden: false), user: 200, owner: 200))
            case .hiddenWithOthers:
                return ("PATCH", Row("/photos", many(isHidden: true), user: 200, owner: 200))
            case .deletedWithOthers:
                return ("POST", Row("/photo-deletions", ["ids": [.string(id)]], user: 200, owner: 200))
            }
        }

        /// Who sees the photo's thumb afterwards.
        fileprivate var seen: [Int] {
            switch self {
            case .approved, .approvedWithOthers: [404, 404, 404, 404, 200, 404, 200, 200, 200]
            case .hidden, .hiddenWithOthers: AuthorizationRoleTests.seenByOwner
            case .deleted, .deletedWithOthers: AuthorizationTests.Caller.allCases.map { _ in 404 }
            }
        }
    }

    private static let seenByOwner = [404, 404, 404, 404, 404, 404, 404, 404, 200]

    @Test(
        "a guest's photo that waits is its host's alone to see and to decide on, and in no guest's ZIP",
        arguments: Decision.allCases)
    func moderator(decision: Decision) async throws {
        let scene = try await Scene()
        let waiting = try await scene.bring()
        let id = try #require(waiting["id"]?.string)
        let thumb = try #require(waiting["thumbKey"]?.string)
        let taken = Row(
            "/e/SLUG/zip-link", ["photos": [.string(id)]], [403, 403, 403, 403, 404, 403, 404, 404, 403])
        try await expect("GET", Row("/images/\(thumb)", nil, Self.seenByOwner), in: scene)
        try await expect("POST", taken, in: scene)
        let (method, row) = decision.asked(of: id)
        for (caller, status) in zip(Caller.allCases, row.statuses) where caller != .owner {
            let answer = try await scene.ask(method, row, as: caller)
            #expect(answer.status == status, "\(caller): \(answer)")
            // Also where many were asked for, and those that are the caller's are told.
            expectNothing(of: scene.secrets + [id, thumb], in: answer, to: caller)
            #expect(try await waits(id, in: scene), "\(caller) has decided")
        }
        try await expect("GET", Row("/images/\(thumb)", nil, Self.seenByOwner), in: scene)
        try await expect("POST", taken, in: scene)
        let decided = try await scene.ask(method, row, as: .owner)
        #expect(row.statuses.last == decided.status, "\(decided)")
        try await expect("GET", Row("/images/\(thumb)", nil, decision.seen), in: scene)
    }

    private func waits(_ id: String, in scene: Scene) async throws -> Bool {
        let list = try await scene.ask("GET", Row("/events/EVENT/photos?waiting=true", all: 200), as: .owner)
        return list.text.contains(id)
    }

    // MARK: What another guest gave

    @Test("a heart is taken back by the device that gave it alone, also by one that gave its own")
    func heart() async throws {
        let scene = try await Scene()
        let heart = Row("/e/SLUG/photos/PHOTO/heart", pass: 200, without: 403)
        #expect(try await scene.ask("PUT", heart, as: .uploader)["hearts"]?.integer == 1)
        #expect(try await scene.ask("PUT", heart, as: .otherDevice)["hearts"]?.integer == 2)
        for (caller, status) in zip(Caller.allCases, heart.statuses) where caller != .uploader {
            // The second time that device has none, as those that never gave one.
            for _ in 0..<2 {
                let answer = try await scene.ask("DELETE", heart, as: caller)
                #expect(answer.status == status, "\(caller): \(answer)")
            }
            let kept = try await scene.ask("GET", Row("/e/SLUG/hearts", all: 200), as: .uploader)
            #expect(kept["photos"] == .array([.string(scene.photo)]), "\(caller): \(kept)")
        }
        let counts = try await scene.ask("GET", Row("/e/SLUG/reactions", all: 200), as: .guest)
        #expect(counts["photos"]?.array?.first?["hearts"]?.integer == 1, "\(counts)")
        #expect(try await scene.ask("DELETE", heart, as: .uploader)["hearts"]?.integer == 0)
    }

    @Test("a comment is taken back by the device that wrote it alone")
    func comment() async throws {
        let scene = try await Scene()
        let list = Row("/e/SLUG/photos/PHOTO/comments", all: 200)
        let removal = Row("/e/SLUG/comments/COMMENT", uploader: 204)
        for (caller, status) in zip(Caller.allCases, removal.statuses) where caller != .uploader {
            let answer = try await scene.ask("DELETE", removal, as: caller)
            #expect(answer.status == status, "\(caller): \(answer)")
            let kept = try await scene.ask("GET", list, as: .otherDevice)
            let comment = try #require(kept["comments"]?.array?.first, "\(caller): \(kept)")
            #expect(comment["id"]?.string == scene.comment && comment["isMine"] == .bool(false), "\(caller)")
        }
        #expect(try await scene.ask("DELETE", removal, as: .uploader).status == 204)
        let left = try await scene.ask("GET", list, as: .uploader)
        #expect(left["comments"]?.array?.isEmpty == true, "\(left)")
    }

    // MARK: All of them

    /// Every caller is answered as the row says, and one who is refused learns nothing.
    private func expect(
        _ method: String, _ row: Row, in scene: Scene, at location: SourceLocation = #_sourceLocation
    ) async throws {
        for (caller, status) in zip(Caller.allCases, row.statuses) {
            let answer = try await scene.ask(method, row, as: caller)
            #expect(answer.status == status, "\(caller): \(answer)", sourceLocation: location)
            if status >= 400, caller != .owner {
                expectNothing(of: scene.secrets, in: answer, to: caller, at: location)
            }
        }
    }

    private func expectNothing(
        of secrets: [String], in answer: GalleryGround.Answer, to caller: Caller,
        at location: SourceLocation = #_sourceLocation
    ) {
        for secret in secrets {
            #expect(!answer.text.contains(secret), "\(caller): \(answer)", sourceLocation: location)
        }
    }
}
