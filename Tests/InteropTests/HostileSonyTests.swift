import Synchronization
import TestSupport
import Testing

/// A camera that says that it is a Sony, and may say anything else. Its own records are written out by hand, after the
/// reference.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct HostileSonyTests {
    typealias Special = @Sendable (HostilePeer, HostilePeer.Request) throws -> Bool

    /// What the bridge may take with eight cameras. With none that attacks it takes two thirds of that.
    static let mostMemory = 48 << 20

    static let operations: [UInt16] = [0x9201, 0x9202, 0x9209]

    static let deviceInfo =
        Wire.u16(100) + Wire.u32(0x11) + Wire.u16(100) + [0] + Wire.u16(0)
        + Wire.array([0x1001, 0x1002, 0x1003, 0x1004, 0x1007, 0x1008, 0x1009] + operations)
        + Wire.array([0xC201, 0xC203]) + Wire.array([]) + Wire.array([]) + Wire.array([0x3801])
        + ["Sony Corporation", "ILCE-7M4", "1", "00000666"].flatMap { Wire.string(Array($0.utf16)) }

    /// 0xD215, uint16, get, valid, 0, the value, no form; 0xD222, uint16, get, valid, 0, host and card, no form.
    static func properties(waiting: Int) -> [UInt8] {
        let value = waiting == 0 ? 0 : 0x8000 | UInt16(waiting)
        return Wire.u64(2) + Wire.u16(0xD215) + Wire.u16(4) + [0, 1] + Wire.u16(0) + Wire.u16(value) + [0]
            + Wire.u16(0xD222) + Wire.u16(4) + [0, 1] + Wire.u16(0) + Wire.u16(0x11) + [0]
    }

    /// What waits in its memory; each is gone when it has been read.
    final class Memory: Sendable {
        private let waiting: Mutex<[HostileObject]>

        init(_ objects: [HostileObject]) {
            waiting = Mutex(objects)
        }

        var count: Int { waiting.withLock(\.count) }
        var first: HostileObject? { waiting.withLock(\.first) }
        func letGo() { waiting.withLock { _ = $0.isEmpty ? nil : $0.removeFirst() } }
    }

    /// One that gives its photos as Sonys do, but for what `special` answers.
    static func camera(
        _ objects: [HostileObject] = [], _ special: @escaping Special = { _, _ in false }
    ) throws -> HostileCamera {
        let memory = Memory(objects)
        return try HostileCamera(always: { peer in
            try peer.serve { request in
                if try special(peer, request) { return true }
                switch (request.code, memory.first) {
                case (0x1001, _): try peer.give(deviceInfo, to: request)
                case (0x9201, _): try peer.give([UInt8](repeating: 0, count: 8), to: request)
                case (0x9202, _): try peer.give(Wire.u16(0x012C) + Wire.u32(0) + Wire.u32(0), to: request)
                case (0x9209, _): try peer.give(properties(waiting: memory.count), to: request)
                case (0x1004, _): try peer.answer(0x2013, request)
                case (0x1008, let object?): try peer.give(object.info, to: request)
                case (0x1009, let object?):
                    try peer.give(object.content, to: request)
                    memory.letGo()
                default: return false
                }
                return true
            }
        })
    }

    static func photos(_ count: Int) -> [HostileObject] {
        (1...count).map { HostileObject(0xFFFF_C001, "DSC0000\($0).JPG", photo(UInt8($0))) }
    }

    /// What begins like a JPEG and ends like one.
    static func photo(_ filling: UInt8, count: Int = 2000) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xFE, 0, 4, filling, filling]
            + [0xFF, 0xDA, 0, 2] + [UInt8](repeating: filling, count: count - 14) + [0xFF, 0xD9]
    }

    /// Everything that it gives, in little memory.
    func takeAll(_ camera: HostileCamera, _ more: String...) throws -> (Operator, Tool.Output) {
        let person = try Operator()
        let outcome = try person.run(
            [
                "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--camera",
                camera.address,
                "--once", "--since", "all", "--idle", "2s",
            ] + more, measuresMemory: true)
        #expect(try #require(outcome.peakBytes) < Self.mostMemory, "\(outcome.peakBytes ?? 0)")
        return (person, outcome)
    }

    @Test("photos of one that is decent but written by hand arrive: its layout is the reference's")
    func decent() throws {
        let objects = Self.photos(3)
        let (person, outcome) = try takeAll(try Self.camera(objects))
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(Set(try person.arrived().values) == Set(objects.map(\.content)))
    }

    // MARK: Lengths and counts

    @Test(
        "properties without end are cut off at what they can be",
        arguments: [1 << 63, .max, 100] as [UInt64])
    func endlessProperties(announced: UInt64) throws {
        let camera = try Self.camera { peer, request in
            guard request.code == 0x9209 else { return false }
            try peer.say(Wire.startData(request.transaction, announced))
            let chunk = Wire.data(request.transaction, [UInt8](repeating: 0x41, count: 65_000))
            while true { try peer.say(chunk) }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.errors.contains("more than"), "\(outcome.errors)")
    }

    @Test("a photo without end ends its connection, and leaves nothing that looks like one")
    func endlessPhoto() throws {
        let camera = try Self.camera(Self.photos(1)) { peer, request in
            guard request.code == 0x1009 else { return false }
            try peer.say(Wire.startData(request.transaction, .max))
            let chunk = Wire.data(request.transaction, [UInt8](repeating: 0x41, count: 1 << 20))
            while true { try peer.say(chunk) }
        }
        let person = try Operator()
        let bridge = try person.start([
            "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--camera", camera.address,
            "--json", "--since", "all",
        ])
        try bridge.wait(for: "more than")
        bridge.end()
        #expect(try person.arrived().isEmpty)
    }

    static let untrueCounts: [[UInt8]] = [
        // More properties than there are bytes.
        Wire.u64(.max) + Array(properties(waiting: 1).dropFirst(8)),
        // An enumeration of 65535 values of 16 bytes in no bytes at all.
        Wire.u64(1) + Wire.u16(0xD215) + Wire.u16(0x0A) + [0, 1] + [UInt8](repeating: 0, count: 32) + [2]
            + Wire.u16(0xFFFF),
        // An array of 2^32 - 1 values.
        Wire.u64(1) + Wire.u16(0xD215) + Wire.u16(0x4004) + [0, 1] + Wire.u32(.max),
        // A type, and a form, that no reference has.
        Wire.u64(1) + Wire.u16(0xD215) + Wire.u16(0x1234) + [0, 1, 0, 0, 0, 0, 0],
        Wire.u64(1) + Wire.u16(0xD215) + Wire.u16(4) + [0, 1, 0, 0, 1, 0x80, 77],
    ]

    @Test(
        "counts that promise more than there is are refused and said, and the camera is gone on with",
        arguments: untrueCounts)
    func untrue(properties: [UInt8]) throws {
        let camera = try Self.camera { peer, request in
            switch request.code {
            case 0x9209: try peer.give(properties, to: request)
            case 0x9202: try peer.give(Wire.u16(0x012C) + Wire.u32(.max) + Wire.u32(.max), to: request)
            default: return false
            }
            return true
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.contains("ILCE-7M4"))
        let person = try Operator()
        let bridge = try person.start([
            "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--camera", camera.address,
            "--json", "--since", "all",
        ])
        try bridge.wait(for: "what waits in its memory is not known")
        bridge.end()
    }

    // MARK: Floods

    @Test("notices and probes in thousands cost no memory, and the photos come")
    func flood() throws {
        let notices = (0..<3000).flatMap { _ in Wire.event(0xC203, []) + Wire.event(0xC201, [0xFFFF_C001]) }
        let probes = (0..<3000).flatMap { _ in Wire.probe }
        let objects = Self.photos(5)
        let camera = try Self.camera(objects) { peer, request in
            guard request.code == 0x1008 else { return false }
            try peer.notice(notices)
            try peer.notice(probes)
            try peer.say(probes)
            return false
        }
        let (person, outcome) = try takeAll(camera)
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(Set(try person.arrived().values) == Set(objects.map(\.content)))
    }

    @Test("a flood of notices without end ends the connection")
    func endlessFlood() throws {
        let notices = (0..<5000).flatMap { _ in Wire.event(0xC203, []) }
        let camera = try Self.camera { peer, request in
            guard request.code == 0x9201 else { return false }
            while true { try peer.notice(notices) }
        }
        let outcome = try Operator().endure(["camera", "events", camera.address])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains(HostileFloodTests.sentence), "\(outcome.errors)")
    }

    @Test(
        "answers to what was never asked, for ever, end the connection",
        arguments: [0x9201, 0x9209] as [UInt16])
    func staleAnswers(code: UInt16) throws {
        let camera = try Self.camera { peer, request in
            guard request.code == code else { return false }
            let stale = (0..<500).flatMap { _ in Wire.response(0x2001, request.transaction - 1) }
            while true { try peer.say(stale) }
        }
        let outcome = try Operator().endure(["camera", "info", camera.address])
        #expect(outcome.code == 65, "\(outcome.text)\(outcome.errors)")
    }

    // MARK: Photos

    @Test("dates that are none, sizes that lie and nothing at all: every photo that has bytes arrives, whole")
    func oddPhotos() throws {
        var objects: [HostileObject] = []
        for date in ["99991231T235959", "00000000T000000", "-0010101T000000", "20261399T996161", "", "soon"] {
            var object = Self.photos(1)[0]
            object.content = Self.photo(UInt8(objects.count + 1))
            object.date = date
            objects.append(object)
        }
        for claimed in [0, 1, 1999, 2001, .max] as [UInt32] {
            var object = Self.photos(1)[0]
            object.content = Self.photo(UInt8(objects.count + 1))
            object.claimedSize = claimed
            objects.append(object)
        }
        // In their middle, so that what comes behind it is seen to come.
        objects.insert(HostileObject(0xFFFF_C001, "EMPTY.JPG"), at: 3)
        let (person, outcome) = try takeAll(try Self.camera(objects))
        let arrived = Set(try person.arrived().values)
        let missing = objects.filter { !$0.content.isEmpty && !arrived.contains($0.content) }
        #expect(
            missing.isEmpty, "\(outcome.text)\(outcome.errors)")
        #expect(arrived.count == objects.count - 1)
    }

    @Test("what a response says of the bytes that were sent changes nothing about those that came")
    func sentCount() throws {
        let objects = Self.photos(3)
        let memory = Memory(objects)
        let camera = try Self.camera { peer, request in
            switch (request.code, memory.first) {
            case (0x9209, _): try peer.give(Self.properties(waiting: memory.count), to: request)
            case (0x1008, let object?): try peer.give(object.info, to: request)
            case (0x1009, let object?):
                try peer.say(
                    Wire.startData(request.transaction, 7) + Wire.endData(request.transaction, object.content)
                        + Wire.response(0x2001, request.transaction, [1, 2, 3, 4, 5]))
                memory.letGo()
            default: return false
            }
            return true
        }
        let (person, outcome) = try takeAll(camera)
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(Set(try person.arrived().values) == Set(objects.map(\.content)))
    }
}
