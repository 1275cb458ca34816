import TestSupport
import Testing

/// Cameras whose packets are fine and whose conduct is not.
@Suite struct HostileConductTests {
    @Test("a camera that accepts and says nothing is left after the time that a person has")
    func silence() throws {
        let camera = try HostileCamera { peer in try peer.waitForEnd() }
        let outcome = try Operator().endure(
            ["camera", "info", camera.address, "--wait", "1s"])
        #expect(outcome.code == 75, "\(outcome.errors)")
        #expect(outcome.errors.contains("Press OK"), "\(outcome.errors)")
        #expect(outcome.errors.contains(camera.address))
    }

    @Test("answers to what was never asked are passed over, and not for ever")
    func staleAnswers() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1001 else { return false }
                let wrong = Wire.response(0x2001, request.transaction &- 1)
                while true { try peer.say(wrong) }
            }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
    }

    @Test("data that was not asked for ends the connection")
    func uninvitedData() throws {
        let camera = try HostileCamera { peer in
            try peer.serve { request in
                guard request.code == 0x1002 else { return false }
                try peer.say(Wire.startData(request.transaction, 1 << 40))
                let chunk = Wire.data(request.transaction, [UInt8](repeating: 0, count: 1 << 20))
                while true { try peer.say(chunk) }
            }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
    }

    @Test("random bytes at any moment are an error and nothing else", arguments: 0..<12)
    func noise(seed: Int) throws {
        let camera = try HostileCamera { peer in
            var random = Seeded(UInt64(seed))
            let when = Int.random(in: 0..<4, using: &random)
            if when == 0 {
                try peer.say(random.bytes(300))
            } else {
                let code = [0x1002, 0x1001, 0x1007][when - 1]
                try peer.serve { request in
                    guard request.code == code else { return false }
                    try peer.say(random.bytes(300))
                    return true
                }
            }
            try peer.waitForEnd()
        }
        let outcome = try Operator().endure(
            ["camera", "ls", camera.address, "--wait", "2s"])
        #expect([65, 69, 75].contains(outcome.code), "\(outcome.code): \(outcome.errors)")
        #expect(outcome.errors.contains(camera.address), "\(outcome.errors)")
    }

    static let photo = HostileObject.jpeg(1, "A.JPG", size: 100_000)

    /// A camera that is lost in the middle of the photo.
    static let lost: HostileCamera.Conduct = { peer in
        try peer.serve([photo]) { request in
            guard request.code == 0x1009 else { return false }
            try peer.say(Wire.startData(request.transaction, 100_000))
            try peer.say(Wire.data(request.transaction, Array(photo.content.prefix(40_000))))
            try peer.hangUp()
            return true
        }
    }

    @Test("what answers at the camera's address while it is away does not end the waiting for it")
    func portal() throws {
        let camera = try HostileCamera(
            Self.lost, { try $0.say(Array("HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n".utf8)) },
            { peer in
                try peer.serve([Self.photo]) { request in
                    guard request.code == 0x101B else { return false }
                    let (offset, count) = (Int(request.parameters[1]), Int(request.parameters[2]))
                    try peer.give(Array(Self.photo.content[offset..<offset + count]), to: request)
                    return true
                }
            })
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("(resumed at 40000)"), "\(outcome.text)")
        #expect(try person.arrived() == ["A.JPG": Self.photo.content])
    }

    @Test("another camera at the address after a cut is not taken for the first")
    func anotherCamera() throws {
        let camera = try HostileCamera(
            Self.lost,
            { peer in
                try peer.serve([HostileObject(1, "B.JPG", [1])]) { request in
                    guard request.code == 0x1001 else { return false }
                    let serial = Wire.string(Array("666".utf16)).count
                    try peer.give(
                        Wire.deviceInfo.dropLast(serial) + Wire.string(Array("777".utf16)), to: request)
                    return true
                }
            })
        let person = try Operator()
        let outcome = try person.endure(["camera", "get", camera.address, "--all", "--to", person.out])
        #expect(outcome.code == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains("666") && outcome.errors.contains("777"), "\(outcome.errors)")
        #expect(try person.arrived().isEmpty)
    }
}
