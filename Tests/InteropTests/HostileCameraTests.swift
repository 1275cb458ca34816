import TestSupport
import Testing

/// What answers on the network may be anything. Each attack ends with an error that names it, in little memory, and
/// leaves nothing behind that looks like a photo.
@Suite struct HostileCameraTests {
    static let data = 65
    static let unavailable = 69
    static let unlisted = 76
    static let get = ["camera", "get", "HOST", "--all", "--to", "OUT", "--retry", "1s"]

    /// Runs a command against the camera and looks at what every attack has to leave alone.
    func attack(
        _ words: [String], _ camera: HostileCamera, code: Int, _ sentence: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Operator {
        let person = try Operator()
        let outcome = try person.endure(
            words.map { $0 == "HOST" ? camera.address : $0 == "OUT" ? person.out : $0 })
        #expect(Int(outcome.code) == code, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.contains(camera.address), "\(outcome.errors)", sourceLocation: sourceLocation)
        return person
    }

    static let lengths: [UInt32] = [0, 7, 8, 0xFFFF_FFFF]

    @Test("a length that no packet can have is refused at once: in the first packet", arguments: lengths)
    func firstLength(length: UInt32) throws {
        let camera = try HostileCamera { peer in
            try peer.say(Wire.u32(length) + Wire.u32(2) + [UInt8](repeating: 0, count: 64))
            try peer.waitForEnd()
        }
        _ = try attack(["camera", "info", "HOST"], camera, code: Self.data, "length")
    }

    @Test(
        "a length that no packet can have is refused at once: in a response and in an event",
        arguments: [7, 8])
    func laterLength(type: UInt32) throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                let bytes = Wire.u32(0x7FFF_FFFF) + Wire.u32(type) + [UInt8](repeating: 0, count: 200)
                try type == 7 ? peer.say(bytes) : peer.notice(bytes)
                return true
            }
        }
        _ = try attack(["camera", "info", "HOST"], camera, code: Self.data, "length")
    }

    @Test(
        "a dataset without end is cut off at what such a dataset can have",
        arguments: [1 << 63, .max, 100] as [UInt64])
    func endlessDataset(announced: UInt64) throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                try peer.say(Wire.startData(request.transaction, announced))
                let chunk = Wire.data(request.transaction, [UInt8](repeating: 0x41, count: 65_000))
                while true { try peer.say(chunk) }
            }
        }
        _ = try attack(["camera", "info", "HOST"], camera, code: Self.data, "more than")
    }

    @Test("an object without end stops at the limit that was given, and no file has a name")
    func endlessObject() throws {
        let camera = try HostileCamera { peer in
            try peer.serve([HostileObject(1, "A.JPG", [1, 2, 3])]) { request in
                guard request.code == 0x1009 else { return false }
                try peer.say(Wire.startData(request.transaction, .max))
                let chunk = Wire.data(request.transaction, [UInt8](repeating: 0x41, count: 1 << 20))
                while true { try peer.say(chunk) }
            }
        }
        let person = try attack(
            ["camera", "get", "HOST", "--all", "--to", "OUT", "--limit", "50MiB", "--retry", "0s"], camera,
            code: Self.data, "more than")
        #expect(try person.arrived().isEmpty)
    }

    @Test(
        "a part that is longer than was asked for is not written past its end, and the photo is fetched whole"
    )
    func longPart() throws {
        let content = [UInt8](repeating: 9, count: 100_000)
        let camera = try HostileCamera { peer in
            try peer.serve([HostileObject(1, "A.JPG", content)]) { request in
                guard request.code == 0x101B else { return false }
                try peer.give([UInt8](repeating: 0x42, count: 60_000), to: request)
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

    @Test("counts that promise more than there are bytes are no reason to allocate")
    func lyingCounts() throws {
        let handles = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1007 else { return false }
                try peer.give([0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 2, 0, 0, 0], to: request)
                return true
            }
        }
        _ = try attack(["camera", "ls", "HOST"], handles, code: Self.data, "ObjectHandles")
        let device = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                // The first array of DeviceInfo, its count such that count × 2 overflows 32 bits.
                try peer.give(Array(Wire.deviceInfo[..<11]) + [1, 0, 0, 0x80, 1, 2, 3, 4], to: request)
                return true
            }
        }
        let person = try Operator()
        let outcome = try person.endure(["camera", "info", device.address])
        // That array is rejected, not the session: what else is known is told.
        #expect(outcome.code == 0 || outcome.code == Self.data, "\(outcome.errors)")
    }

    @Test("a card of a million objects is refused, and says so")
    func tooMany() throws {
        let camera = try HostileCamera(always: { peer in
            try peer.serve { request in
                guard request.code == 0x1007 else { return false }
                try peer.give(Wire.u32(1_000_000) + [UInt8](repeating: 0x11, count: 4_000_000), to: request)
                return true
            }
        })
        _ = try attack(["camera", "ls", "HOST"], camera, code: Self.data, "more than")
        _ = try attack(Self.get, camera, code: Self.unlisted, "more than")
    }

    @Test("names that add up to more than a card's worth are refused, and say so")
    func longNames() throws {
        let name = String(repeating: "\u{3042}", count: 254)
        let camera = try HostileCamera(always: { peer in
            try peer.serve { request in
                switch request.code {
                case 0x1007:
                    try peer.give(Wire.u32(90_000) + (1...90_000).flatMap { Wire.u32($0) }, to: request)
                case 0x1008: try peer.give(HostileObject(request.parameters[0], name).info, to: request)
                default: return false
                }
                return true
            }
        })
        _ = try attack(["camera", "ls", "HOST"], camera, code: Self.data, "names")
        _ = try attack(Self.get, camera, code: Self.unlisted, "names")
    }

    @Test("folders that are their own parents, or each other's, come to an end")
    func cycles() throws {
        var objects = [HostileObject(1, "SELF"), HostileObject(2, "A"), HostileObject(3, "B")]
        for index in objects.indices { objects[index].format = 0x3001 }
        objects[0].parent = 1
        objects[1].parent = 3
        objects[2].parent = 2
        for handle in 4...6 as ClosedRange<UInt32> {
            var photo = HostileObject(handle, "P\(handle).JPG", [1])
            photo.parent = handle - 3
            objects.append(photo)
        }
        let camera = try HostileCamera { [objects] peer in try peer.serve(objects) }
        let outcome = try Operator().endure(["camera", "ls", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        for handle in 4...6 { #expect(outcome.text.contains("P\(handle).JPG")) }
    }

    @Test("a chain of folders without end comes to an end")
    func endlessDepth() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                let first = request.parameters.first ?? 0
                switch request.code {
                case 0x1007:
                    // Each folder holds one more.
                    let folder = request.parameters.count > 2 ? request.parameters[2] : 0
                    try peer.give(Wire.u32(1) + Wire.u32(folder &+ 1), to: request)
                case 0x1008:
                    var object = HostileObject(first, "D\(first)")
                    object.format = 0x3001
                    object.parent = first - 1
                    try peer.give(object.info, to: request)
                default: return false
                }
                return true
            }
        }
        let outcome = try Operator().endure(["camera", "ls", camera.address])
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("folders deep"), "\(outcome.errors)")
    }
}
