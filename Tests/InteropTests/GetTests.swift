import TestSupport
import Testing

/// `camera get`: what was named, what is there already, and what is known of the camera.
@Suite struct GetTests {
    private static func get(_ camera: HostileCamera, _ person: Operator, _ what: String...) -> [String] {
        ["camera", "get", camera.address, "--to", person.out] + what
    }

    // MARK: Named photos

    @Test("photos that are named arrive, and only these, also when the connection is cut between them")
    func named() throws {
        let isCut = Once()
        let camera = try HostileCamera(always: { peer in
            try peer.serve(HostileObject.jpegs(3)) { request in
                guard request.code == 0x1008, request.parameters == [2], isCut.isFirst() else { return false }
                try peer.hangUp()
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(Self.get(camera, person, "0x00000001", "0x00000002"))
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(!isCut.isFirst())
        #expect(try person.arrived().keys.sorted() == ["A.JPG", "B.JPG"])
    }

    @Test("a handle that means no photo is named, and the others arrive", arguments: [9, 99] as [UInt32])
    func notThere(handle: UInt32) throws {
        var folder = HostileObject(9, "FOLDER")
        folder.format = 0x3001
        let camera = try HostileCamera(always: { [folder] peer in
            try peer.serve(HostileObject.jpegs(2) + [folder])
        })
        let person = try Operator()
        let name = "0x000000\(handle == 9 ? "09" : "63")"
        let outcome = try person.run(Self.get(camera, person, "0x00000001", name, "--json"))
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("object \(name): the camera has no photo"), "\(outcome.errors)")
        #expect(outcome.lines.count { $0.contains(#""status":"failed""#) } == 1, "\(outcome.text)")
        #expect(outcome.lines.last?.contains(#""failed":1"#) == true, "\(outcome.text)")
        #expect(try person.arrived().keys.sorted() == ["A.JPG"])
    }

    @Test("a named photo that cannot be had is told once")
    func givenUp() throws {
        let camera = try HostileCamera(always: { peer in
            try peer.serve(HostileObject.jpegs(2)) { request in
                guard request.code == 0x1008, request.parameters == [2] else { return false }
                try peer.answer(0x2002, request)
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(Self.get(camera, person, "0x00000001", "0x00000002"))
        #expect(outcome.code == 1, "\(outcome.errors)")
        let told = outcome.errors.split(separator: "\n").filter { $0.contains("object 0x00000002") }
        #expect(told.count == 1, "\(outcome.errors)")
        #expect(outcome.lines.last?.hasSuffix(", 1 failed") == true, "\(outcome.text)")
    }

    // MARK: Sizes

    @Test("what was kept without a size that is true is not fetched again")
    func again() throws {
        var photos = HostileObject.jpegs(5)
        for (photo, claimed) in zip([1, 2, 3, 4], [700, 9000, 0, .max] as [UInt32]) {
            photos[photo].claimedSize = claimed
        }
        let camera = try HostileCamera(always: { [photos] peer in try peer.serve(photos) })
        let person = try Operator()
        let first = try person.run(Self.get(camera, person, "--all"))
        #expect(first.code == 0 && first.lines.last?.hasPrefix("5 files") == true, "\(first.text)")
        let kept = try person.arrived()
        #expect(kept.count == 5 && Set(kept.values) == Set(photos.map(\.content)))
        let second = try person.run(Self.get(camera, person, "--all"))
        #expect(second.code == 0, "\(second.errors)")
        #expect(second.lines.last?.hasPrefix("0 files, 0 bytes") == true, "\(second.text)")
        #expect(second.lines.count { $0.hasPrefix("already there  5000  ") } == 5, "\(second.text)")
        #expect(try person.arrived() == kept)
        // Another photo may have the name: one that was shot at another time.
        var other = photos[3]
        other.date = "20260620T150000"
        let changed = try HostileCamera(always: { [other] peer in try peer.serve([other]) })
        #expect(try person.run(Self.get(changed, person, "--all")).code == 0)
        #expect(try person.arrived().keys.contains("D-2.JPG"))
    }

    @Test("a size that becomes the true one while the photo is fetched does not make two of it")
    func becomesFinal() throws {
        let (fetched, isCut) = (Notes(), Once())
        let camera = try HostileCamera(always: { peer in
            var photos = HostileObject.jpegs(3)
            try peer.serve(photos) { request in
                photos[0].claimedSize = fetched.handles.contains(1) ? nil : 600
                switch (request.code, request.parameters.first) {
                case (0x1008, 1): try peer.give(photos[0].info, to: request)
                case (0x1009, 1):
                    fetched.note(1)
                    return false
                // In the next connection everything is met again.
                case (0x1009, 3) where isCut.isFirst(): try peer.hangUp()
                default: return false
                }
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(Self.get(camera, person, "--all"))
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(fetched.handles == [1] && !isCut.isFirst())
        #expect(try person.arrived().keys.sorted() == ["A.JPG", "B.JPG", "C.JPG"])
        #expect(outcome.lines.last?.hasPrefix("3 files, 15000 bytes") == true, "\(outcome.text)")
        #expect(!outcome.text.contains("already there"), "\(outcome.text)")
    }

    // MARK: What is known

    @Test(
        "a ledger that cannot be read costs a line, and no command", arguments: ["damaged", "newer", "older"])
    func ledger(state: String) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let database = "\(person.home)/tetherline.sqlite"
        if state == "damaged" {
            for ending in ["-wal", "-shm"]
            where person.folder.contents().contains("home/tetherline.sqlite\(ending)") {
                try person.folder.write("", to: "home/tetherline.sqlite\(ending)")
            }
            try person.folder.write([UInt8](repeating: 0x55, count: 20_000), to: "home/tetherline.sqlite")
        } else {
            let change = try #require(Tool("python3")).run([
                "-c",
                "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version=' + sys.argv[2])",
                database, state == "newer" ? "999" : "1",
            ])
            #expect(change.code == 0, "\(change.errors)")
        }
        for words in [["info"], ["ls"], ["get", "--all", "--to", person.folder.file("got")]] {
            let outcome = try person.run(["camera", words[0], camera.address] + words.dropFirst())
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("what is known of the camera is left out: "), "\(outcome.errors)")
            #expect(outcome.errors.contains(database), "\(outcome.errors)")
        }
    }

    @Test("another camera after a cut is refused, with advice that this command has")
    func anotherBody() throws {
        let camera = try HostileCamera(
            { peer in
                try peer.serve(TroubleTests.large) { request in
                    guard request.code == 0x1009 else { return false }
                    try peer.say(Wire.startData(request.transaction, 100_000))
                    try peer.hangUp()
                    return true
                }
            },
            always: { peer in
                try peer.serve(TroubleTests.large) { request in
                    guard request.code == 0x1001 else { return false }
                    try peer.give(Wire.deviceInfo(model: "Two"), to: request)
                    return true
                }
            })
        let person = try Operator()
        let outcome = try person.run(Self.get(camera, person, "--all"))
        #expect(outcome.code == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains("another camera answers at \(camera.address)"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("--new-body"), "\(outcome.errors)")
        #expect(try person.arrived().isEmpty)
    }

    @Test("a camera that was never met is taken where a bridge knew another one")
    func firstContact() throws {
        let person = try Operator()
        let (known, isNew) = (HostileCard(HostileObject.jpegs(1)), Once())
        let camera = try HostileCamera(
            { peer in try peer.serve(known) { _ in false } },
            always: { peer in
                try peer.serve(HostileObject.jpegs(2)) { request in
                    guard request.code == 0x1001 else { return false }
                    _ = isNew.isFirst()
                    try peer.give(Wire.deviceInfo(model: "Two"), to: request)
                    return true
                }
            })
        #expect(try person.run(Trouble.run(camera, person) + ["--once", "--idle", "300ms"]).code == 0)
        let outcome = try person.run(
            "camera", "get", camera.address, "--all", "--to", person.folder.file("got"))
        #expect(outcome.code == 0 && !isNew.isFirst(), "\(outcome.errors)")
        #expect(outcome.lines.last?.hasPrefix("2 files") == true, "\(outcome.text)")
    }

    // MARK: The folder

    @Test("a folder that may not be written ends with the code for that")
    func notWritable() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        // No user can make a folder there, not even root.
        let outcome = try person.run("camera", "get", camera.address, "--all", "--to", "/sys")
        #expect(outcome.code == 77, "\(outcome.errors)")
        #expect(outcome.errors.contains("/sys/DCIM"), "\(outcome.errors)")
    }
}
