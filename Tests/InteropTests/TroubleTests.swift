import Synchronization
import TestSupport
import Testing

/// What independent cameras were found to do, each whichever way its photos are taken: what can be had arrives,
/// and what is odd about it is told.
@Suite struct TroubleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let trouble: Trouble
        let way: Way
        var testDescription: String { "\(trouble.name), \(way.rawValue)" }
    }

    static func each(_ troubles: [Trouble]) -> [Case] {
        troubles.flatMap { trouble in Way.allCases.map { Case(trouble: trouble, way: $0) } }
    }

    // MARK: Parts

    static let large = [HostileObject.jpeg(1, "A.JPG", size: 100_000), .jpeg(2, "B.JPG", size: 60_000)]

    /// The first whole photo is cut in its middle, so that there is something to resume; parts are answered as told.
    static func cut(
        _ name: String,
        parts: @escaping @Sendable (HostilePeer, HostilePeer.Request, HostileObject) throws -> Void
    ) -> Trouble {
        Trouble(name, large) { card in
            let isCut = Once()
            return try HostileCamera(always: { peer in
                try peer.serve(card) { request in
                    guard let photo = card.objects.first(where: { $0.handle == request.parameters.first })
                    else { return false }
                    switch request.code {
                    case 0x1009 where isCut.isFirst():
                        try peer.say(Wire.startData(request.transaction, UInt64(photo.content.count)))
                        try peer.say(Wire.data(request.transaction, Array(photo.content.prefix(40_000))))
                        try peer.hangUp()
                    case 0x101B: try parts(peer, request, photo)
                    default: return false
                    }
                    return true
                }
            })
        }
    }

    static let parts: [Trouble] =
        ([0x2005, 0x2002, 0x201D, 0xA001] as [UInt16]).map { code in
            cut("parts that are listed are refused with \(code)") { peer, request, _ in
                try peer.answer(code, request)
            }
        } + [
            cut("parts begin at the beginning whatever offset is asked for") { peer, request, photo in
                try peer.give(Array(photo.content.prefix(Int(request.parameters[2]))), to: request)
            },
            cut("parts are longer than was asked for") { peer, request, photo in
                try peer.give(photo.part(request) + [1, 2, 3], to: request)
            },
            cut("parts are shorter than was asked for") { peer, request, photo in
                try peer.give(Array(photo.part(request).prefix(7001)), to: request)
            },
            Trouble("whole photos are not offered", large) { peer, request in
                guard request.code == 0x1001 else { return false }
                try peer.give(Wire.deviceInfo(without: [0x1009]), to: request)
                return true
            },
            Trouble("whole photos are offered and refused", large) { peer, request in
                guard request.code == 0x1009 else { return false }
                try peer.answer(0x2005, request)
                return true
            },
        ]

    @Test(
        "a photo that comes whole or in parts only, or in odd ones, arrives as it is", arguments: each(parts))
    func inParts(_ one: Case) throws {
        try one.trouble.see(one.way)
    }

    // MARK: Sizes and looks

    static func sized(_ name: String, _ claimed: UInt32?, content: [UInt8]? = nil) -> Trouble {
        var photos = HostileObject.jpegs(2)
        photos[1].claimedSize = claimed
        if let content { photos[1].content = content }
        return Trouble(name, photos) { card in
            try HostileCamera(always: { peer in try peer.serve(card, { _ in false }) })
        }
    }

    static let sizes: [Trouble] = [
        sized("the size is less than what comes", 500).marking(["B.JPG": "size disputed"]),
        sized("the size is more than what comes", 9000).marking(["B.JPG": "size disputed"]),
        sized("the size is said to be 0", 0),
        sized("the size is said to be 4294967295", .max),
        Trouble("the size is 0 until the file is written", HostileObject.jpegs(2)) { card in
            let asked = Notes()
            return try HostileCamera(always: { peer in
                try peer.serve(card) { request in
                    guard request.code == 0x1008, request.parameters == [2], asked.handles.count < 3 else {
                        return false
                    }
                    asked.note(2)
                    var unready = card.objects[1]
                    unready.claimedSize = 0
                    try peer.give(unready.info, to: request)
                    return true
                }
            })
        },
        sized(
            "it begins like another kind of file", nil,
            content: Array("II*\0 a raw file that is called a JPEG".utf8)
        )
        .marking(["B.JPG": "foreign beginning"]),
        sized("it begins with nothing that is known", nil, content: [UInt8](repeating: 3, count: 900))
            .marking(["B.JPG": "foreign beginning"]),
        sized(
            "a JPEG lacks its end", nil, content: Array(HostileObject.jpeg(2, "B.JPG").content.dropLast(100))),
    ]

    @Test("a photo is never dropped for its size or its looks; it is marked", arguments: each(sizes))
    func sizesAndLooks(_ one: Case) throws {
        try one.trouble.see(one.way)
    }

    // MARK: Datasets and frames

    static let odd: [Trouble] = [
        Trouble("odd packets at every question") { peer, request in
            try peer.say(HostileOddTests.oddities)
            if request.code != 0x1002 { try peer.notice(HostileOddTests.oddities) }
            return false
        },
        Trouble("a session is refused for its number") { peer, request in
            guard request.code == 0x1002, request.parameters != [3] else { return false }
            try peer.answer(0x201D, request)
            return true
        },
    ]

    @Test("what is odd and whole costs nothing but a line", arguments: each(odd))
    func oddities(_ one: Case) throws {
        try one.trouble.see(one.way)
    }
}
