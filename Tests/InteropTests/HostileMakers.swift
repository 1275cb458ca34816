import Synchronization
import Testing

/// What a Canon and a Nikon are on the wire, as far as a hostile one has to be: how it tells of what is new, and with which
/// operation it gives parts.
struct HostileMaker: Sendable, CustomTestStringConvertible {
    let name: String
    let deviceInfo: [UInt8]
    /// GetEvent.
    let newsOperation: UInt16
    let partOperation: UInt16
    let noNews: [UInt8]
    /// That these objects are new.
    let news: @Sendable ([UInt32]) -> [UInt8]
    /// News that no body tells: what they claim is not there.
    let liars: [[UInt8]]
    /// New objects, of which there is none: for a Nikon as many as one answer may tell.
    let flood: [UInt8]

    var testDescription: String { name }

    static let canon = HostileMaker(
        name: "Canon",
        deviceInfo: Wire.deviceInfo(
            with: [0x9107, 0x9115, 0x9116, 0x9117], maker: "Canon Inc.", model: "EOS"),
        newsOperation: 0x9116, partOperation: 0x9107, noNews: terminator,
        news: { handles in handles.flatMap { added($0) } + terminator },
        liars: [
            // A record of 4 GiB, of nothing, of seven bytes, of no more than its head; half a head.
            Wire.u32(.max) + Wire.u32(0xC1A7) + Wire.u32(7), Wire.u32(0) + Wire.u32(0xC1A7),
            Wire.u32(7) + Wire.u32(0xC181) + Wire.u32(7), Wire.u32(8) + Wire.u32(0xC1A7), [8, 0, 0],
        ],
        flood: (0..<20_000).flatMap { added(0x6000_0000 + UInt32($0)) } + terminator)

    static let nikon = aNikon(
        "Nikon", model: "D7200", 0x90C7, noNews: [0, 0],
        news: { handles in
            Wire.u16(UInt16(handles.count)) + handles.flatMap { Wire.u16(0x4002) + Wire.u32($0) }
        },
        liars: [
            Wire.u16(.max) + Wire.u16(0x4002) + Wire.u32(7), Wire.u16(2) + Wire.u16(0x4002) + Wire.u32(7),
            [1],
        ])

    static let nikonZ = aNikon(
        "Nikon Z", model: "Z 6II", 0x941C, noNews: [0, 0, 0, 0],
        news: { handles in
            Wire.u32(UInt32(handles.count))
                + handles.flatMap { Wire.u16(0x4002) + Wire.u16(1) + Wire.u32($0) }
        },
        liars: [
            Wire.u32(.max) + Wire.u16(0x4002) + Wire.u16(0), Wire.u32(0x8000_0000),
            Wire.u32(1) + Wire.u16(0x4002) + Wire.u16(.max),
        ])

    static let all = [canon, nikon, nikonZ]

    private static func aNikon(
        _ name: String, model: String, _ operation: UInt16, noNews: [UInt8],
        news: @escaping @Sendable ([UInt32]) -> [UInt8], liars: [[UInt8]]
    ) -> HostileMaker {
        HostileMaker(
            name: name,
            deviceInfo: Wire.deviceInfo(with: [operation], maker: "Nikon Corporation", model: model),
            newsOperation: operation, partOperation: 0x101B, noNews: noNews, news: news, liars: liars,
            flood: news((0..<UInt32(2048)).map { 0x6000_0000 + $0 }))
    }

    private static let terminator: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0]

    /// ObjectAddedEx64 as an R6 writes it, without a size, a folder and a name, and of a time that is none.
    @Sendable private static func added(_ handle: UInt32) -> [UInt8] {
        Wire.u32(64) + Wire.u32(0xC1A7) + Wire.u32(handle) + Wire.u32(0x0001_0001) + Wire.u32(0x3801)
            + [UInt8](repeating: 0, count: 40) + Wire.u32(.max)
    }

    // MARK: Conduct

    /// Serves as such a body would, and `special` first. Gives how often its news were asked for.
    func conduct(
        _ objects: [HostileObject], asked: HostileCount = HostileCount(),
        _ special: @escaping @Sendable (HostilePeer, HostilePeer.Request) throws -> Bool = { _, _ in false }
    ) -> HostileCamera.Conduct {
        { peer in
            try peer.serve(objects) { request in
                if request.code == newsOperation { asked.add() }
                if try special(peer, request) { return true }
                switch request.code {
                case 0x1001: try peer.give(deviceInfo, to: request)
                case 0x9115, 0x9117: try peer.answer(0x2001, request)
                case newsOperation: try peer.give(noNews, to: request)
                case partOperation:
                    guard let object = objects.first(where: { $0.handle == request.parameters[0] }) else {
                        return false
                    }
                    try peer.give(object.part(request), to: request)
                default: return false
                }
                return true
            }
        }
    }
}

/// How often something was asked for.
final class HostileCount: Sendable {
    private let count = Mutex(0)

    /// The first is 1.
    @discardableResult
    func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    var value: Int { count.withLock { $0 } }
}
