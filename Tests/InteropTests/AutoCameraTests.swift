import Basics
import Glibc
import TestSupport
import Testing

/// `run --camera auto` across a cable: announcers that are not ours, and cameras behind some of them.
@Suite(
    .enabled(if: NetworkSpace.isPossible, "network namespaces need root and iproute2"),
    .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
struct AutoCameraTests {
    private let cable: Cable
    private let person: Operator
    private let cards = Shared<[DatedCard]>([])

    init() throws {
        cable = try Cable()
        person = try Operator()
    }

    private static let udn = "uuid:00000000-0000-0000-0001-AABBCCDDEEFF"

    private func camera(_ address: String, serial: String = "42", photos: ClosedRange<Int>) throws -> Camsim {
        let card = try DatedCard()
        for number in photos {
            try card.add("P\(number).TXT", "2026-05-01 10:1\(number)", bytes: 3000 + number)
        }
        cards.change { $0.append(card) }
        let words = cable.far.words([
            Built.camsim, "--listen", "\(address):15740", "--serial", serial, "--card", card.folder.path,
            "--guid", String(repeating: "0", count: 30) + serial.suffix(2),
        ])
        return try Camsim(Daemon(#require(Tool(words[0])).path, Array(words.dropFirst())))
    }

    private func run(_ cameras: String..., more: [String] = []) throws -> Daemon {
        try person.start(
            [
                "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--json", "--since",
                "all",
            ]
                + cameras.flatMap { ["--camera", $0] } + more, under: cable.near.words([]))
    }

    @Test(
        "a new camera is shown and not connected to; added, it is tethered at once, and followed to its next address; another body there is refused"
    )
    func added() throws {
        let bridge = try run("auto")
        let shy = try cable.announcer("ssdp", "10.9.0.2", Self.udn)
        let line = try bridge.wait(for: "newCamera", and: "tetherline camera add 10.9.0.2")
        #expect(line.contains("Canon EOS R6"))
        let status = try person.run("status")
        #expect(status.text.contains("Canon EOS R6  a new camera; to take its photos"), "\(status.text)")
        #expect(!shy.output.contains("TOUCHED"))
        shy.letGo()

        let first = try camera("10.9.0.2", photos: 1...2)
        let announced = try cable.announcer("ssdp", "10.9.0.2", Self.udn, "real")
        let added = try person.run("camera", "add", "10.9.0.2", "--name", "Anna")
        #expect(added.code == 0 && added.text.contains("added: Anna"), "\(added.text)\(added.errors)")
        try bridge.waitForDelivered(2)
        let known = try person.run("camera", "known", "--json")
        let camera = try JSON5.parse(known.text)
        #expect(camera["name"]?.string == "Anna" && camera["met"]?.bool == true, "\(known.text)")
        #expect(camera["announcedAs"]?.string == Self.udn.lowercased())

        // As after a new lease: the same body, with one more photo, somewhere else.
        first.daemon.letGo()
        announced.letGo()
        let second = try self.camera("10.9.0.3", photos: 1...3)
        let moved = try cable.announcer("ssdp", "10.9.0.3", Self.udn, "real")
        try bridge.waitForDelivered(3)
        #expect(try person.arrived().count == 3)
        #expect(try person.query("SELECT count(*) FROM cameras") == ["1"])

        // Who calls itself so and is another body gives nothing.
        second.daemon.letGo()
        moved.letGo()
        let other = try self.camera("10.9.0.4", serial: "77", photos: 4...8)
        let liar = try cable.announcer("ssdp", "10.9.0.4", Self.udn, "real")
        try bridge.wait(for: "another camera answers at 10.9.0.4")
        #expect(try person.arrived().count == 3)
        try bridge.wait(for: "newCamera", and: "10.9.0.4")
        // But where the operator says that it is meant.
        #expect(try person.run("camera", "add", "10.9.0.4").code == 0)
        try bridge.waitForDelivered(8)
        #expect(bridge.stop(SIGINT) == 0)
        withExtendedLifetime((other, liar)) {}
    }

    @Test("a name tethers the camera of that name, and a removed one is left")
    func named() throws {
        let camera = try camera("10.9.0.2", photos: 1...1)
        let nikon = try cable.announcer("mdns", "10.9.0.2", "NIKON Z 8", "10.9.0.2", "real")
        let other = try cable.announcer("mdns", "10.9.0.4", "NIKON Z 9")
        let words = cable.near.words([Built.tetherline, "camera", "add", "Z 8"])
        let added = try #require(Tool(words[0])).run(
            Array(words.dropFirst()), environment: ["TETHERLINE_HOME": person.home])
        #expect(added.code == 0 && added.text.contains("10.9.0.2"), "\(added.text)\(added.errors)")
        let bridge = try run("Z 8")
        try bridge.waitForDelivered(1)
        #expect(try person.run("camera", "remove", "10.9.0.2").code == 0)
        try bridge.wait(for: #""event":"left""#)
        try bridge.wait(for: "newCamera", and: "10.9.0.2")
        #expect(try person.run("camera", "known").output.isEmpty)
        #expect(bridge.stop(SIGINT) == 0)
        #expect(!other.output.contains("TOUCHED"))
        #expect(bridge.lines("newCamera").count == 1, "\(bridge.output)")
        withExtendedLifetime((camera, nikon)) {}
    }

    @Test(
        "a camera is added by its name also where the bridge that runs looks for none: then the command listens"
    )
    func addedByName() throws {
        let camera = try camera("10.9.0.3", photos: 1...1)
        let bridge = try run("10.9.0.3:15740")
        try bridge.waitForDelivered(1)
        let nikon = try cable.announcer("mdns", "10.9.0.2", "NIKON Z 8")
        func add(_ more: String...) throws -> Tool.Output {
            let words = cable.near.words(
                [Built.tetherline, "camera", "add", "Z 8", "--name", "Anna", "--json"] + more)
            return try #require(Tool(words[0])).run(
                Array(words.dropFirst()), environment: ["TETHERLINE_HOME": person.home])
        }
        let elsewhere = try add("--interface", "lo")
        #expect(elsewhere.code != 0 && elsewhere.errors.contains("is called 'Z 8'"), "\(elsewhere.text)")
        for more in [[], ["--interface", "w0"]] {
            let added = try more.isEmpty ? add() : add(more[0], more[1])
            #expect(added.code == 0, "\(added.errors)")
            let camera = try JSON5.parse(added.text)
            #expect(camera["address"]?.string == "10.9.0.2:15740" && camera["name"]?.string == "Anna")
            #expect(camera["announcedAs"]?.string == "NIKON Z 8._ptp._tcp.local", "\(added.text)")
            #expect(try person.run("camera", "remove", "Anna").code == 0)
        }
        #expect(bridge.stop(SIGINT) == 0)
        #expect(!nikon.output.contains("TOUCHED"))
        withExtendedLifetime(camera) {}
    }

    @Test("--once ends when what was found is delivered, and says so when no camera of the home is there")
    func once() throws {
        let camera = try camera("10.9.0.2", photos: 1...2)
        let nikon = try cable.announcer("mdns", "10.9.0.2", "NIKON Z 8", "10.9.0.2", "real")
        let none = try run("auto", more: ["--once", "--retry", "1s", "--idle", "300ms"])
        #expect(none.wait() == 69, "\(none.output)")
        #expect(none.output.contains { $0.contains("no camera of this home has announced itself") })
        #expect(try person.run("camera", "add", "10.9.0.2").code == 0)
        let run = try run("auto", more: ["--once", "--idle", "300ms"])
        #expect(run.wait() == 0, "\(run.output)")
        #expect(try person.arrived().count == 2)
        withExtendedLifetime((camera, nikon)) {}
    }
}
