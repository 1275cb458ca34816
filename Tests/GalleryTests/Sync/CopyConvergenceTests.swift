import Basics
import Bridge
import GalleryCopy
import HTTPServer
import Posix
import Synchronization
import TestSupport
import Testing
import Upload

@testable import Gallery

/// Two bridges that edit the same photos, mostly without an uplink, and the gallery that they meet at. The bridges' copies
/// speak to the gallery's own endpoint, in JSON.
@Suite struct CopyConvergenceTests {
    @Test(
        "two bridges that were offline, with wrong clocks and lost answers, end with what the gallery has, and no edit is lost in silence",
        arguments: Cases.galleries(full: 400))
    func converge(seed: UInt64) async throws {
        var random = Seeded(seed)
        let meeting = try await CopyMeeting(seed: seed)
        var sides: [CopySide] = []
        for number in 0..<2 {
            sides.append(
                try await CopySide(
                    meeting, number: number, seed: seed,
                    skew: .seconds(Int64.random(in: -7200..<7200, using: &random))))
        }
        for step in 0..<150 {
            meeting.wall.go(.milliseconds(Int64.random(in: 0..<40_000, using: &random)))
            let side = sides[Int.random(in: 0..<2, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<11: try await side.act(step, &random)
            case 11: try await meeting.shoot(&random)
            case 12 where random.chance(20): try await meeting.hostDeletes(&random)
            // The operator sets the clock.
            case 13 where random.chance(30):
                side.wall.set(.seconds(Int64.random(in: -7200..<7200, using: &random)))
            case 14: try await side.makeAgain(&random)
            default:
                let luck = Int.random(in: 0..<10, using: &random)
                try await side.exchange(luck < 2 ? .answerLost : luck == 2 ? .requestLost : .fine)
            }
        }
        try await meeting.uploadAll(of: sides)
        for _ in 0..<4 {
            // What was dated ahead is taken by then.
            meeting.wall.go(.seconds(14_400))
            for side in sides { try await side.exchange(.fine) }
        }
        let there = try await meeting.there()
        #expect(there.count > 3, "nothing happened under seed \(seed)")
        for side in sides {
            #expect(try await side.waiting() == 0, "seed \(seed)")
            #expect(try await side.there() == there, "seed \(seed)")
            let lost = try await side.lostInSilence()
            #expect(lost.isEmpty, "seed \(seed): \(lost)")
        }
    }
}

/// The gallery, and all that its records have ever shown.
final class CopyMeeting: Sendable {
    let ground: SyncGround
    let event: String
    private let captions = Shared<Set<String>>([])
    /// Photos here by their number: where they are at the gallery.
    private let receipts = Shared<[Int64: String]>([:])
    private let counter = Shared<Int>(0)

    var wall: GalleryWall { ground.ground.wall }

    init(seed: UInt64) async throws {
        ground = try await SyncGround(seed: seed, pulls: 4)
        event = TestIDs.id(1)
        try await ground.sync([ground.change("event", event, ["name": "Wedding"])])
        for _ in 0..<3 { try await upload(nil) }
    }

    func receipt(of capture: CaptureID) -> String? { receipts.value[capture.number] }

    func upload(_ capture: Int64?) async throws {
        let number = counter.change { count in
            count += 1
            return count
        }
        let id = try await ground.store.putPhoto(event, owner: ground.owner.id, number: number)
        if let capture { receipts.change { $0[capture] = id } }
    }

    /// Another photo comes, of a bridge that has no part in this.
    func shoot(_ random: inout Seeded) async throws {
        if counter.value < 8 { try await upload(nil) }
    }

    func uploadAll(of sides: [CopySide]) async throws {
        for side in sides {
            for capture in side.captures where receipts.value[capture] == nil { try await upload(capture) }
        }
    }

    func hostDeletes(_ random: inout Seeded) async throws {
        let photos = try await records().filter { $0["type"] == "photo" && $0["action"] == "upsert" }
        guard let photo = photos.randomElement(using: &random)?["id"]?.string else { return }
        _ = try await ground.store.deletePhoto(photo, of: ground.owner.id)
    }

    /// One request of one bridge, and a look at what the records show then.
    func serve(_ body: [UInt8]) async throws -> Response {
        let request = Request(method: "POST", path: "/sync", body: body)
        let response = try await ground.endpoint.sync(request, of: ground.owner)
        for record in try await records() {
            if let caption = record["data"]?["caption"]?.string { captions.change { _ = $0.insert(caption) } }
        }
        return response
    }

    func hasShown(_ caption: String) -> Bool { captions.value.contains(caption) }

    private func records() async throws -> [JSONValue] {
        let response = try await SyncEndpoint(store: ground.ground.database.store).sync(
            AccountGround.post(["changes": []]), of: ground.owner)
        return try SyncReply(try AccountGround.data(response)).changes
    }

    /// Albums and photos that are there, each as one line.
    func there() async throws -> Set<String> {
        Set(
            try await records().filter { $0["type"] != "event" && $0["action"] == "upsert" }.map { record in
                let data = record["data"] ?? .null
                func words(_ key: String) -> [String] { (data[key]?.array ?? []).compactMap(\.string) }
                return record["type"] == "album"
                    ? CopySide.line(record["id"]?.string, data["name"]?.string)
                    : CopySide.line(
                        record["id"]?.string, data["caption"]?.string, "\(data["rating"]?.integer ?? -1)",
                        "\(data["hidden"]?.bool == true)", words("tags").joined(separator: ","),
                        words("albumIds").sorted().joined(separator: ","))
            })
    }
}
