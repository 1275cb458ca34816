import TestSupport
import Testing

/// Whatever calls itself a Canon or a Nikon may say anything in that maker's own records. Each attack costs at most a
/// connection, little memory, and no photo of the decent camera that answers afterwards.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct HostileMakersTests {
    private static let photo = HostileObject.jpeg(1, "A.JPG", size: 100_000)

    /// What no attack may cost beyond what a decent camera does.
    private static let costs = 8 << 20

    private static func getting(_ camera: HostileCamera, _ person: Operator) -> [String] {
        ["camera", "get", camera.address, "--all", "--to", person.out, "--retry", "20s"]
    }

    /// The bridge, until nothing more comes for ten seconds: a machine with much to do may take some for a camera's next news.
    private static func running(_ camera: HostileCamera, _ person: Operator) -> [String] {
        [
            "run", "--event", "Attack", "--destination", "file://\(person.out)", "--camera", camera.address,
            "--once", "--since", "all", "--idle", "10s",
        ]
    }

    private static let decent = Result {
        let camera = try HostileCamera(always: HostileMaker.canon.conduct([photo]))
        let person = try Operator()
        return (
            get: try #require(try person.run(getting(camera, person), measuresMemory: true).peakBytes),
            run: try #require(try person.run(running(camera, person), measuresMemory: true).peakBytes)
        )
    }

    private func get(
        _ camera: HostileCamera, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String: [UInt8]] {
        let person = try Operator()
        let outcome = try person.endure(
            Self.getting(camera, person), atMost: Self.decent.get().get + Self.costs,
            sourceLocation: sourceLocation)
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)", sourceLocation: sourceLocation)
        return try person.arrived()
    }

    private func run(
        _ camera: HostileCamera, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[UInt8]] {
        let person = try Operator()
        let outcome = try person.endure(
            Self.running(camera, person),
            atMost: min(Self.decent.get().run + Self.costs, HostileSonyTests.mostMemory),
            sourceLocation: sourceLocation)
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)", sourceLocation: sourceLocation)
        return Array(try person.arrived().values)
    }

    // Row 2.
    @Test(
        "news and parts without end, of a length that is not known or cannot be, end the connection, and the next one brings the photo",
        arguments: HostileMaker.all, [1 << 63, .max] as [UInt64])
    func endless(maker: HostileMaker, announced: UInt64) throws {
        for operation in [maker.newsOperation, maker.partOperation] {
            let reached = HostileCount()
            let hostile = maker.conduct([Self.photo]) { peer, request in
                guard request.code == operation else { return false }
                reached.add()
                try peer.say(Wire.startData(request.transaction, announced))
                let chunk = Wire.data(request.transaction, [UInt8](repeating: 0x41, count: 65_000))
                while true { try peer.say(chunk) }
            }
            let camera = try HostileCamera(hostile, always: maker.conduct([Self.photo]))
            #expect(try get(camera) == ["A.JPG": Self.photo.content])
            #expect(reached.value == 1)
        }
    }

    // Row 4.
    @Test(
        "news that claim more than there is cost what they would have told, and not what comes after them",
        arguments: HostileMaker.all)
    func liars(maker: HostileMaker) throws {
        for lie in maker.liars {
            let asked = HostileCount()
            let second = HostileObject.jpeg(2, "B.JPG")
            let camera = try HostileCamera(
                always: maker.conduct([Self.photo, second], asked: asked) { peer, request in
                    switch request.code {
                    case maker.newsOperation where asked.value <= 2: try peer.give(lie, to: request)
                    // The second photo is on no list.
                    case maker.newsOperation where asked.value == 3:
                        try peer.give(maker.news([2]), to: request)
                    case 0x1007: try peer.give(Wire.u32(1) + Wire.u32(1), to: request)
                    default: return false
                    }
                    return true
                })
            #expect(try Set(run(camera)) == [Self.photo.content, second.content], "\(lie)")
        }
    }

    // Row 5.
    @Test(
        "a new photo in a folder that lies in itself, in a circle of folders, or below a hundred of them, comes",
        arguments: HostileMaker.all, [1, 2, 100])
    func cycles(maker: HostileMaker, length: UInt32) throws {
        let folders = (0..<length).map { number in
            var folder = HostileObject(1000 + number, "F\(number)")
            folder.format = 0x3001
            // A hundred are a chain that ends nowhere; fewer are a circle.
            folder.parent = length == 100 ? 1001 + number : 1000 + (number + 1) % length
            return folder
        }
        var photo = HostileObject.jpeg(2, "B.JPG")
        photo.parent = 1000
        let asked = HostileCount()
        let objects = [Self.photo, photo] + folders
        let camera = try HostileCamera(
            always: maker.conduct(objects, asked: asked) { peer, request in
                switch request.code {
                case maker.newsOperation where asked.value <= 2: try peer.give(maker.news([2]), to: request)
                case 0x1007: try peer.give(Wire.u32(1) + Wire.u32(1), to: request)
                default: return false
                }
                return true
            })
        #expect(try Set(run(camera)) == [Self.photo.content, photo.content])
    }

    // Row 10.
    @Test(
        "thousands of new objects with each answer, of which there is none, cost no memory and no photo",
        arguments: HostileMaker.all)
    func flood(maker: HostileMaker) throws {
        let asked = HostileCount()
        let camera = try HostileCamera(
            always: maker.conduct([Self.photo], asked: asked) { peer, request in
                guard request.code == maker.newsOperation else { return false }
                try peer.give(maker.flood, to: request)
                return true
            })
        #expect(try get(camera) == ["A.JPG": Self.photo.content])
        #expect(asked.value > 0)
    }

    // Row 11.
    @Test(
        "answers to what was never asked, in place of news, end the connection", arguments: HostileMaker.all)
    func stale(maker: HostileMaker) throws {
        let reached = HostileCount()
        let hostile = maker.conduct([Self.photo]) { peer, request in
            guard request.code == maker.newsOperation else { return false }
            reached.add()
            let wrong = Wire.response(0x2001, request.transaction &- 1)
            while true { try peer.say(wrong) }
        }
        let camera = try HostileCamera(hostile, always: maker.conduct([Self.photo]))
        #expect(try get(camera) == ["A.JPG": Self.photo.content])
        #expect(reached.value == 1)
    }

    // Row 15.
    @Test(
        "photos of impossible dates, without a byte, and of a size that is another one later, come as they are",
        arguments: HostileMaker.all)
    func lies(maker: HostileMaker) throws {
        var late = HostileObject.jpeg(1, "A.JPG", size: 2_500_000)
        (late.date, late.claimedSize) = ("99991231T235959", 2_600_000)
        var empty = HostileObject(2, "B.JPG")
        empty.date = "00000000T000000"
        var unsized = HostileObject.jpeg(3, "C.JPG", size: 50_000)
        (unsized.date, unsized.claimedSize) = ("-9991301T250000", 0)
        let asked = HostileCount()
        let camera = try HostileCamera(always: maker.conduct([late, empty, unsized], asked: asked))
        let person = try Operator()
        let outcome = try person.endure(
            Self.getting(camera, person), atMost: Self.decent.get().get + Self.costs)
        let arrived = try person.arrived()
        #expect(arrived["A.JPG"] == late.content && arrived["C.JPG"] == unsized.content, "\(outcome.errors)")
        #expect(arrived["B.JPG"]?.isEmpty != false)
    }

    // Row 3.
    @Test(
        "a part that is longer than was asked for is not written past its end, and the photo comes whole",
        arguments: HostileMaker.all)
    func longPart(maker: HostileMaker) throws {
        let camera = try HostileCamera(
            always: maker.conduct([Self.photo]) { peer, request in
                guard request.code == maker.partOperation else { return false }
                try peer.give(Self.photo.part(request) + [UInt8](repeating: 0x42, count: 5000), to: request)
                return true
            })
        #expect(try get(camera) == ["A.JPG": Self.photo.content])
    }

    // Row 18.
    @Test(
        "the count of bytes that a response claims to have sent counts for nothing",
        arguments: HostileMaker.all)
    func sentCount(maker: HostileMaker) throws {
        for claimed in [0, 7, UInt32.max] {
            let camera = try HostileCamera(
                always: maker.conduct([Self.photo]) { peer, request in
                    guard request.code == maker.partOperation else { return false }
                    let data = Self.photo.part(request)
                    try peer.say(
                        Wire.startData(request.transaction, UInt64(data.count))
                            + Wire.endData(request.transaction, data)
                            + Wire.response(0x2001, request.transaction, [claimed, claimed]))
                    return true
                })
            #expect(try get(camera) == ["A.JPG": Self.photo.content])
        }
    }
}
