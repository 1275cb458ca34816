import Basics
import Database
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// What `/metrics` says of the database: how it is, and what there is.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct FiguresTests {
    private let gallery: GalleryGround

    init() throws { gallery = try GalleryGround() }

    private func metrics() async throws -> String {
        try await gallery.call("GET", "/metrics", peer: "127.0.0.1").text
    }

    @Test("uploads that are open or have failed are counted, and photos for those that are done")
    func counted() async throws {
        let host = try await gallery.host()
        for name in ["kiss", "cake"] { _ = try await gallery.upload(name, for: host) }
        _ = try await gallery.place("garden", Array("garden".utf8), for: host)
        let text = try await metrics()
        for line in [
            "gallery_photos 2", #"gallery_uploads{status="pending"} 1"#,
            #"gallery_uploads{status="processing"} 0"#, #"gallery_uploads{status="failed"} 0"#,
            "gallery_database_up 1",
        ] { #expect(text.contains("\(line)\n"), "\(line): \(text)") }
        #expect(!text.contains(#"status="completed""#), "\(text)")
    }

    @Test("however many uploads there ever were, only those that are open are looked at")
    func plan() async throws {
        let plans = Shared<[String]>([])
        let reader = try gallery.ground.reader(on: GalleryThreads.store) { try ExplainedSession($0, plans) }
        _ = try await reader { try $0.figures() }
        let ofUploads = plans.value.filter { $0.contains("uploads") }
        #expect(ofUploads.count == 3, "\(plans.value)")
        for plan in ofUploads {
            #expect(plan.contains("uploads_to_expire") || plan.contains("uploads_to_process"), "\(plan)")
        }
        #expect(!plans.value.contains { $0.contains(" photos") }, "\(plans.value)")
    }

    @Test("while counting takes too long, the counts are left out and the database is up all the same")
    func late() async throws {
        let lanes = gallery.server.database.searcher.members
        let gates = lanes.map { _ in Gate() }
        let held = zip(lanes, gates).map { lane, gate in Task { await lane.hold(gate) } }
        for gate in gates { await gate.isHeld() }
        // Kept for the second in which it is asked for, so that only the counts are waited for.
        #expect(await gallery.server.isReady())
        #expect(await gallery.server.lookAtDatabase().problem == nil)
        let asking = Task { try await metrics() }
        await gallery.wall.clock.waitForSleepers(1)
        gallery.wall.go(.seconds(2))
        let text = try await asking.value
        #expect(text.contains("gallery_database_up 1\n"), "\(text)")
        #expect(!text.contains("gallery_photos ") && !text.contains("gallery_queue_oldest_seconds"))
        #expect(text.contains("gallery_event_streams 0\n"), "\(text)")
        for gate in gates { gate.open() }
        for task in held { await task.value }
        #expect(try await metrics().contains("gallery_photos 0\n"))
    }
}

/// Keeps a lane's thread from anything else until it is opened.
final class Gate: Sendable {
    private let state = Shared((isHeld: false, isOpen: false))

    func hold() {
        state.change { $0.isHeld = true }
        while !state.value.isOpen { sched_yield() }
    }

    func isHeld() async { while !state.value.isHeld { await Task.yield() } }
    func open() { state.change { $0.isOpen = true } }
}

extension GalleryReader {
    func hold(_ gate: Gate) { gate.hold() }
}
