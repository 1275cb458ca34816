import Glibc
import TestSupport
import Testing

/// kill -9 at any moment, and everything is there in the end.
@Suite struct BridgeKillTests {
    @Test("killed again and again while the camera shoots, every photo arrives once, byte for byte")
    func killed() throws {
        let kills = Cases.kills
        let camera = try Camsim(
            "--photos", "\(kills * 8)", "--photo-size", "200000", "--shoot", "\(kills * 3)", "--every", "60")
        let person = try Operator()
        var random = Seeded(UInt64(kills))
        for round in 0..<kills {
            let bridge = try person.start([camera])
            // Another moment each time, told by what it says and not by a clock.
            let moment = ["connected", "receiving", "staged", "delivered"].randomElement(using: &random)
            let times = moment == "connected" ? 1 : Int.random(in: 1...6, using: &random)
            try bridge.wait(for: "\"\(moment ?? "")\"", times: times)
            #expect(bridge.stop(SIGKILL) == -SIGKILL, "round \(round)")
        }
        let last = try person.start([camera])
        try last.wait(for: "\"connected\"")
        // Waits for the last shot, wherever it was delivered.
        try camera.daemon.wait(for: "photo taken", times: kills * 3)
        last.end()
        let end = try person.runOnce([camera])
        #expect(end.code == 0, "\(end.errors)")
        let count = kills * 11
        #expect(
            end.lines.last == "Wedding: photos: \(count) staged; deliveries: \(count) completed",
            "\(end.text)")
        try person.expectEverything(of: [camera])
        // The spool holds each photo under its name, and nothing else.
        let spool = person.folder.contents().filter { $0.hasPrefix("home/spool/") }
        #expect(spool.count == count, "\(spool)")
        #expect(
            try person.query("SELECT count(*), count(DISTINCT sha256) FROM captures") == ["\(count)|\(count)"]
        )
        let check = try person.run("store", "check")
        #expect(check.code == 0, "\(check.text)")
    }
}
