import Glibc
import TestSupport
import Testing

/// `verify --read-back` where a destination does not say everything, and what a bridge is asked for directly.
@Suite struct ReadBackTests {
    private static func server(_ more: String = "") throws -> DAVServer {
        let server = try DAVServer(
            server: """
                root FOLDER/files;
                location / {
                    dav_methods PUT DELETE MKCOL COPY MOVE;
                    dav_access user:rw;
                    \(more)
                }
                """)
        server.folder.makeFolder("files")
        server.folder.makeFolder("files/photos")
        return server
    }

    /// One that takes these photos once.
    private func delivered(_ sizes: [Int], to url: String) throws -> (person: Operator, camera: Camsim) {
        let card = try DatedCard()
        for (number, size) in sizes.enumerated() {
            try card.add("P\(number).JPG", "2026-11-21 18:00:0\(number)", bytes: size)
        }
        let camera = try card.camera()
        let person = try Operator()
        let ran = try person.run([
            "run", "--event", "Wedding", "--camera", camera.address, "--destination", url, "--once",
            "--since",
            "all", "--idle", "300ms",
        ])
        #expect(ran.code == 0, "\(ran.errors)")
        return (person, camera)
    }

    @Test(
        "photos that cannot be compared do not keep the others from being looked at",
        .enabled(if: DAVServer.isThere, "nginx is not installed; tools/setup does it"))
    func withoutRanges() throws {
        let server = try Self.server("max_ranges 0;")
        let url = "webdav://127.0.0.1:\(server.port)/photos"
        let large = (4 << 20) + 1
        let (person, camera) = try delivered([large, large, large, 3000, 3000], to: url)
        defer { withExtendedLifetime(camera) {} }
        let all = try person.run("verify", "--read-back")
        #expect(all.code == 0, "\(all.text)\(all.errors)")
        #expect(all.text.contains("5 delivered: 2 there, 3 not checkable"), "\(all.text)")
        #expect(unlink(server.folder.file("files/photos/P4.JPG")) == 0)
        let gone = try person.run("verify", "--read-back")
        #expect(gone.code == 1 && gone.text.contains("5 delivered: 1 there, 1 gone, 3 not"), "\(gone.text)")
        let sent = try person.run("redeliver", url, "--yes")
        #expect(sent.code == 0 && sent.text.contains("1 delivered to"), "\(sent.text)\(sent.errors)")
        #expect(server.folder.contents().contains("files/photos/P4.JPG"))
    }

    @Test("a bridge refuses a sample of no size and goes on, and notes of each photo why it is sent again")
    func asked() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        for sample in ["-1", "0", "1000001", "\"3\""] {
            let said = try ask(person, #"{"command":"readBack","sample":\#(sample)}"#)
            #expect(said.contains("a sample has from 1 to 1000000 photos"), "\(said)")
        }
        let names = try person.arrived().keys.sorted()
        #expect(unlink("\(person.out)/\(names[0])") == 0)
        try person.folder.write("short", to: "out/\(names[1])")
        let sent = try person.run("redeliver", "file://\(person.out)", "--yes", "--altered")
        #expect(sent.code == 0 && sent.text.contains("2 are on their way"), "\(sent.text)\(sent.errors)")
        try bridge.waitForDelivered(5)
        bridge.end()
        #expect(
            try person.query("SELECT reason FROM earlier_deliveries ORDER BY reason") == [
                "it was altered: it has 5 bytes and had 30000", "it was gone",
            ])
    }

    private func ask(_ person: Operator, _ line: String) throws -> String {
        let script = """
            import socket, sys
            asker = socket.socket(socket.AF_UNIX)
            asker.connect(sys.argv[1])
            asker.sendall(sys.argv[2].encode() + b"\\n")
            print(asker.makefile().read())
            """
        return try #require(Tool("python3")).run(["-c", script, "\(person.home)/control.sock", line]).text
    }
}
