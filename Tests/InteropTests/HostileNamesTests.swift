import TestSupport
import Testing

/// Names, dates and sizes that a camera says, on their way to a disk.
@Suite struct HostileNamesTests {
    static let names = [
        "../../../../tmp/escaped.JPG", "..", "/etc/passwd", "a\\..\\b.JPG", "C:evil.JPG", "CON.JPG", "-rf",
        ".bashrc",
        "nul\u{0}inside.JPG", "gpj.\u{202E}exe", String(repeating: "ü", count: 254), "line\nbreak.JPG",
        "dot.", "",
        "\u{1B}[31mred.JPG",
    ]

    @Test("no name leaves the folder, hides, or runs")
    func names() throws {
        var objects = Self.names.enumerated().map { index, name in
            HostileObject(UInt32(index + 1), name, Array("content \(index)".utf8))
        }
        var folder = HostileObject(100, "../../up")
        folder.format = 0x3001
        objects.append(folder)
        var below = HostileObject(101, "below.JPG", [1, 2])
        below.parent = 100
        objects.append(below)
        // Half a surrogate pair is no text at all.
        var broken = HostileObject(102, "", [3])
        broken.name = [0xD83D, 0x41]
        objects.append(broken)
        let camera = try HostileCamera { [objects] peer in try peer.serve(objects) }
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let files = try person.arrived()
        #expect(files.count == objects.count - 1)
        for (path, _) in files {
            let parts = path.split(separator: "/")
            #expect(parts.count <= 2, "\(path)")
            #expect(
                parts.allSatisfy {
                    $0 != ".." && !$0.hasPrefix(".") && !$0.hasPrefix("-") && $0.utf8.count <= 255
                })
            #expect(
                path.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0.value != 0x202E && $0 != "\\" && $0 != ":"
                })
        }
        // Each is there once, with its own bytes.
        #expect(Set(files.values).isSuperset(of: Self.names.indices.map { Array("content \($0)".utf8) }))
        // Nothing was written beside the folder.
        #expect(person.folder.contents().allSatisfy { $0.hasPrefix("out/") || $0.hasPrefix("home/") })
        // A terminal is not told what to do by a camera.
        #expect(!outcome.text.contains("\u{1B}") && !outcome.errors.contains("\u{1B}"))
    }

    @Test("names that some disk takes for one keep their photos apart")
    func collisions() throws {
        let spellings = ["IMG_1.JPG", "img_1.jpg", "Img_1.Jpg", "Ä.JPG", "A\u{308}.JPG"]
        let objects = spellings.enumerated().map { HostileObject(UInt32($0 + 1), $1, [UInt8($0)]) }
        let camera = try HostileCamera { peer in try peer.serve(objects) }
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let files = try person.arrived()
        #expect(Set(files.values) == Set(spellings.indices.map { [UInt8($0)] }))
        #expect(Set(files.keys.map { $0.lowercased() }).count == spellings.count)
    }

    @Test("dates that are none are taken as they are")
    func dates() throws {
        var objects: [HostileObject] = []
        for date in ["99991231T235959", "00000000T000000", "-0010101T000000", "20261399T996161", "", "soon"] {
            var object = HostileObject(
                UInt32(objects.count + 1), "D\(objects.count).JPG", [UInt8(objects.count)])
            object.date = date
            objects.append(object)
        }
        let camera = try HostileCamera { [objects] peer in try peer.serve(objects) }
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try person.arrived().count == objects.count)
    }

    @Test("a camera that gives less than a part is asked for the rest")
    func shortParts() throws {
        let content = (0..<200_000).map { UInt8($0 % 251) }
        let camera = try HostileCamera { peer in
            try peer.serve([HostileObject(1, "A.JPG", content)]) { request in
                guard request.code == 0x101B else { return false }
                let (offset, count) = (Int(request.parameters[1]), Int(request.parameters[2]))
                try peer.give(
                    Array(content[offset..<min(content.count, offset + min(count, 30_001))]), to: request)
                return true
            }
        }
        let person = try Operator()
        let outcome = try person.endure([
            "camera", "get", camera.address, "--all", "--to", person.out, "--part", "50000",
        ])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try person.arrived() == ["A.JPG": content])
    }

    @Test("what the response says of the bytes sent is not believed over the bytes")
    func sentCount() throws {
        let photo = HostileObject(1, "A.JPG", [1, 2, 3, 4])
        let camera = try HostileCamera { peer in
            try peer.serve([photo]) { request in
                guard request.code == 0x1009 else { return false }
                try peer.say(
                    Wire.startData(request.transaction, 4) + Wire.endData(request.transaction, photo.content)
                        + Wire.response(0x2001, request.transaction, [999]))
                return true
            }
        }
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try person.arrived() == ["A.JPG": [1, 2, 3, 4]])
    }
}
