import TestSupport
import Testing

/// Cameras that are odd and mean no harm: each is understood as far as it goes, and costs no more than that.
@Suite struct HostileOddTests {
    static let photos: [HostileObject] = [
        HostileObject(1, "A.JPG", [UInt8](repeating: 7, count: 100_000)),
        HostileObject(2, "B.JPG", [UInt8](repeating: 8, count: 50_000)),
    ]
    static let contents: [String: [UInt8]] = ["A.JPG": photos[0].content, "B.JPG": photos[1].content]

    func get(_ camera: HostileCamera, _ more: String...) throws -> (Operator, Tool.Output) {
        let person = try Operator()
        return (
            person, try person.endure(["camera", "get", camera.address, "--all", "--to", person.out] + more)
        )
    }

    /// Events too short and too long, an unknown type, and one of 64 KiB.
    static let oddities =
        Wire.packet(8, [2, 0x40, 0xFF, 0xFF]) + Wire.packet(8, [UInt8](repeating: 1, count: 206))
        + Wire.packet(99, [1, 2, 3]) + Wire.packet(0x8000_0001, [UInt8](repeating: 9, count: 65_528))
        + Wire.packet(13, [0, 0, 0, 0])

    @Test("odd packets on both connections, at every question, cost nothing")
    func oddPackets() throws {
        let camera = try HostileCamera { peer in
            try peer.serve(Self.photos) { request in
                if request.code != 0x1002 { try peer.notice(Self.oddities) }
                try peer.say(Self.oddities)
                return false
            }
        }
        let (person, outcome) = try get(camera)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try person.arrived() == Self.contents)
    }

    @Test(
        "odd answers are answers: five parameters, no transaction, a total of 32 bits, a response that goes on"
    )
    func oddAnswers() throws {
        let five: [UInt32] = [0, 0, 0, 0, 0]
        let camera = try HostileCamera { peer in
            try peer.serve(Self.photos) { request in
                let id = request.transaction
                switch request.code {
                case 0x1002:
                    try peer.say(Wire.response(0x2001, id, five))
                case 0x1003:
                    try peer.say(Wire.packet(7, [1, 0x20]))
                case 0x1007:
                    let data = Wire.u32(2) + Wire.u32(1) + Wire.u32(2)
                    try peer.say(
                        Wire.packet(9, Wire.u32(id) + Wire.u32(12)) + Wire.endData(id, data)
                            + Wire.response(0x2001, id, five))
                case 0x101B:
                    let photo = Self.photos[Int(request.parameters[0]) - 1].content
                    let (offset, count) = (Int(request.parameters[1]), Int(request.parameters[2]))
                    try peer.say(
                        Wire.startData(id, UInt64(count))
                            + Wire.endData(id, Array(photo[offset..<offset + count]))
                            + Wire.packet(
                                7, Wire.u16(0x2001) + Wire.u32(id) + [UInt8](repeating: 0, count: 150)))
                default: return false
                }
                return true
            }
        }
        let (person, outcome) = try get(camera, "--part", "30000")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try person.arrived() == Self.contents)
    }

    @Test("an answer without data is an empty list")
    func emptyLists() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard [0x1004, 0x1007].contains(request.code) else { return false }
                try peer.answer(0x2001, request)
                return true
            }
        }
        let outcome = try Operator().endure(["camera", "ls", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.isEmpty)
    }

    @Test("a card's facts without their end are shown as far as they go")
    func cutStorageInfo() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1005 else { return false }
                try peer.give([4, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1], to: request)
                return true
            }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("666"))
    }

    @Test(
        "a session that is refused for its number is opened with another",
        arguments: [0x201D, 0x2004] as [UInt16])
    func sessionNumbers(refusal: UInt16) throws {
        let camera = try HostileCamera { peer in
            try peer.serve(Self.photos) { request in
                guard request.code == 0x1002, request.parameters != [5] else { return false }
                try peer.answer(refusal, request)
                return true
            }
        }
        let outcome = try Operator().endure(["camera", "ls", camera.address])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 2)
    }

    @Test("a photo that is cut short with an OK, or longer than its part, costs neither itself nor the next")
    func oddLengths() throws {
        for cut in [true, false] {
            // Both of one connection.
            let camera = try HostileCamera { peer in
                try peer.serve(Self.photos) { request in
                    guard request.code == (cut ? 0x1009 : 0x101B), request.parameters[0] == 1 else {
                        return false
                    }
                    let photo = Self.photos[0].content
                    if cut {
                        try peer.say(
                            Wire.startData(request.transaction, 100_000)
                                + Wire.data(request.transaction, Array(photo.prefix(40_000)))
                                + Wire.response(0x2001, request.transaction))
                    } else {
                        try peer.give(photo + [UInt8](repeating: 1, count: 20 << 20), to: request)
                    }
                    return true
                }
            }
            let (person, outcome) = try cut ? get(camera) : get(camera, "--part", "1MiB")
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.text.contains("(resumed at 40000)") == cut, "\(outcome.text)")
            #expect(try person.arrived() == Self.contents)
        }
    }

    // MARK: No camera at all

    static let foreigners: [([UInt8], String, String)] = [
        (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "a web server (HTTP)", "PC or tether mode"),
        (Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8), "an SSH server", "Access Authentication"),
        ([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28], "TLS", "15740"),
        (
            [0x0C, 0, 0, 0, 3, 0, 0x01, 0x20, 1, 0, 0, 0], "like a Fujifilm in phone mode",
            "wireless tether mode"
        ),
        (Wire.packet(5, Wire.u32(0x2019)), "like a Fujifilm in phone mode", "wireless tether mode"),
    ]

    @Test("what answers instead of a camera is told by its name, with what to do", arguments: foreigners)
    func toldByName(bytes: [UInt8], name: String, advice: String) throws {
        let camera = try HostileCamera { peer in try peer.say(bytes) }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains(name), "\(outcome.errors)")
        #expect(outcome.errors.contains(advice), "\(outcome.errors)")
    }

    @Test("a port where nothing listens is told apart from a camera that is not there")
    func closedPort() throws {
        let port = try HostileCamera().port
        let outcome = try Operator().endure(["camera", "info", "127.0.0.1:\(port)"])
        #expect(outcome.code == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains("nothing listens on port \(port) there"), "\(outcome.errors)")
        #expect(outcome.errors.contains("55740"), "\(outcome.errors)")
    }
}
