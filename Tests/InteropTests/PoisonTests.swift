import TestSupport
import Testing

/// One photo that the camera cannot be asked for without harm: it is found out, put last and named, and all others
/// arrive, whichever way they are taken.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct PoisonTests {
    /// What the camera does when it is asked for that photo.
    enum Manner: String, CaseIterable, Sendable {
        case closes
        case stalls
        case wrongTransaction
        case dataWithoutStart
        case startsTwice
        case unknownPacket
        case brokenFrame

        func act(_ peer: HostilePeer, _ request: HostilePeer.Request, _ bytes: [UInt8]) throws {
            let id = request.transaction
            let start = Wire.startData(id, UInt64(bytes.count))
            let half = Wire.data(id, Array(bytes.prefix(bytes.count / 2)))
            switch self {
            case .closes:
                try peer.say(start + half)
                try peer.hangUp()
            case .stalls: try peer.say(start + half)
            case .wrongTransaction:
                try peer.say(Wire.startData(id + 5, UInt64(bytes.count)) + Wire.endData(id + 5, bytes))
            case .dataWithoutStart: try peer.say(half + Wire.endData(id, []))
            case .startsTwice: try peer.say(start + start + Wire.endData(id, bytes))
            case .unknownPacket: try peer.say(start + Wire.packet(99, [1, 2, 3]))
            case .brokenFrame: try peer.say(start + Wire.u32(3) + Wire.u32(10))
            }
        }
    }

    enum Question: UInt16, CaseIterable, Sendable {
        case getObjectInfo = 0x1008
        case getObject = 0x1009
        case getPartialObject = 0x101B
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let question: Question
        let manner: Manner
        let way: Way
        var testDescription: String { "\(question) \(manner.rawValue), \(way.rawValue)" }
    }

    /// Every manner and every question, but not each with each, unless everything is wanted.
    static let cases: [Case] = {
        let all = Question.allCases.flatMap { question in Manner.allCases.map { (question, $0) } }
        let few: [(Question, Manner)] = [
            (.getObject, .closes), (.getObject, .stalls), (.getObject, .startsTwice),
            (.getObjectInfo, .closes),
            (.getObjectInfo, .stalls), (.getObjectInfo, .wrongTransaction),
            (.getPartialObject, .stalls), (.getPartialObject, .dataWithoutStart),
            (.getPartialObject, .brokenFrame), (.getPartialObject, .unknownPacket),
        ]
        return (Cases.isFull ? all : few).flatMap { pair in
            Way.allCases.map { Case(question: pair.0, manner: pair.1, way: $0) }
        }
    }()

    /// A card whose second photo is poisoned.
    static func trouble(_ question: Question, _ manner: Manner) -> Trouble {
        let isDescribed = question != .getObjectInfo
        let trouble = Trouble("\(question) \(manner.rawValue)") { peer, request in
            if request.code == 0x1001, isDescribed {
                // Else the photo would be brought the other way.
                let other: UInt16 = question == .getObject ? 0x101B : 0x1009
                try peer.give(Wire.deviceInfo(without: [other]), to: request)
                return true
            }
            guard request.code == question.rawValue, request.parameters.first == 2 else { return false }
            let photo = HostileObject.jpegs(2)[1]
            try manner.act(peer, request, isDescribed ? photo.content : photo.info)
            return true
        }
        // A question that is not answered costs its time, and no connection.
        let isHarmless = !isDescribed && (manner == .stalls || manner == .unknownPacket)
        return trouble.naming(
            isDescribed ? "B.JPG" : "object 0x00000002",
            isHarmless
                ? "no response to GetObjectInfo within"
                : "connections have ended when the camera was asked for it",
            missing: "B.JPG")
    }

    /// The first and second connection that it ends make it a suspect, and the third is the last: with the one that goes
    /// on, and that of `run` left on with what is shot later, no more than these.
    static let mostConnections = 6

    @Test("all others arrive, and the bad one is named with its reason", arguments: cases)
    func poison(_ one: Case) throws {
        var trouble = Self.trouble(one.question, one.manner)
        trouble.mostConnections = Self.mostConnections
        try trouble.see(one.way)
    }

    /// A camera that says nothing is waited for half a minute, which only the full run does.
    static let soon = Manner.allCases.filter { Cases.isFull || ($0 != .stalls && $0 != .unknownPacket) }

    @Test("a thumbnail that cannot be had ends with a sentence, in time", arguments: soon)
    func thumbnail(manner: Manner) throws {
        let photo = HostileObject.jpegs(2)[1]
        let camera = try HostileCamera(always: { peer in
            try peer.serve([photo]) { request in
                guard request.code == 0x100A else { return false }
                try manner.act(peer, request, photo.content)
                return true
            }
        })
        let person = try Operator()
        let began = ContinuousClock.now
        let outcome = try person.run(
            "camera", "thumb", camera.address, "0x00000002", "--to", person.folder.file("t"))
        let took = ContinuousClock.now - began
        #expect(outcome.code > 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("tetherline: \(camera.address): "), "\(outcome.errors)")
        // What breaks the protocol ends it at once; a silence, when its time is over.
        let isSilent = manner == .stalls || manner == .unknownPacket
        let limit = isSilent ? .seconds(35) : Cases.within(.seconds(3), before: .seconds(28))
        #expect(took < limit, "\(took)")
        #expect(!person.folder.contents().contains("t"))
    }
}
