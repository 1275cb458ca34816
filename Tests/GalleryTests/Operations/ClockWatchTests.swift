import Basics
import Posix
import TestSupport
import Testing

@testable import Gallery

/// What a node says of its clock, beside that of the database.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: PostgresServer.isWanted, "of a database that nodes share"))
struct ClockWatchTests {
    private let gallery: GalleryGround

    init() throws { gallery = try GalleryGround() }

    /// The wall of these tests stands, and the database's clock goes: both are of this machine.
    private func setRight(but off: Duration) {
        gallery.wall.set(by: SystemWallTime().wallNow - gallery.wall.wallNow + off)
    }

    private func figure() async throws -> Double? {
        let lines = try await gallery.call("GET", "/metrics", peer: "127.0.0.1").text.split(separator: "\n")
        let line = lines.first { $0.hasPrefix("gallery_clock_ahead_seconds") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    @Test(
        "a clock that is off by more than half a minute is told of once, in the log, and in seconds as a figure",
        arguments: [-3_600, -90, -31, 60, 900] as [Int64])
    func told(seconds: Int64) async throws {
        let watch = try #require(gallery.server.cluster?.clock)
        #expect(try await figure() == nil)
        setRight(but: .zero)
        await watch.look()
        #expect(gallery.warnings.value.isEmpty, "\(gallery.warnings.value)")
        for _ in 0..<3 {
            setRight(but: .seconds(seconds))
            await watch.look()
        }
        let word = seconds < 0 ? "s behind the database's" : "s ahead of the database's"
        let said = gallery.warnings.value
        #expect(said.count == 1 && said.first?.contains(word) == true, "\(said)")
        let ahead = try #require(try await figure())
        // As long as a machine with much to do may take between two looks at its clock.
        #expect(abs(ahead - Double(seconds)) < 20, "\(ahead)")
        setRight(but: .zero)
        await watch.look()
        #expect(gallery.told.value.count { $0.contains("agrees with the database's again") } == 1)
    }
}
