import Basics
import Link
import PTP
import Posix
import Simulator
import TestSupport

/// A simulated camera in memory, for clients of bytes written out by hand.
final class HandBench {
    let camera: SimulatedCamera
    let clock: ManualClock?
    let log = Shared<[String]>([])
    private let reactor: Reactor
    private let incoming = Mailbox<any ByteLink>()
    private let running: Task<Void, Never>

    convenience init(
        _ script: String = "", photos: Int = 3, size: UInt64 = 20_000, clock: ManualClock? = nil,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in }
    ) throws {
        try self.init(script, photos: photos, size: size, clock: clock, change) { card in
            CameraModel.generic.personality(card)
        }
    }

    init(
        _ script: String = "", photos: Int = 3, size: UInt64 = 20_000, clock: ManualClock? = nil,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in },
        personality: (VirtualCard) -> any Personality
    ) throws {
        reactor = try Reactor(name: "hand")
        self.clock = clock
        var settings = SimulatedCamera.Settings()
        var card = VirtualCard.Settings()
        card.photoSize = size
        settings.script = try FaultScript(script)
        card.apply(settings.script)
        settings.localSeconds = { 1_790_000_500 }
        change(&settings, &card)
        settings.onLog = { [log] line in log.change { $0.append(line) } }
        camera = SimulatedCamera(
            personality: personality(try VirtualCard(card, photos: photos)), settings: settings,
            executor: reactor, time: clock ?? reactor)
        running = Task { [incoming, camera] in
            let waiting = Shared<[any ByteLink]>([])
            await camera.run {
                while true {
                    if let link = waiting.change({ $0.isEmpty ? nil : $0.removeFirst() }) { return link }
                    guard let more = await incoming.next() else { throw LinkError.closedHere }
                    waiting.change { $0 += more }
                }
            }
        }
    }

    deinit {
        incoming.close()
        running.cancel()
        reactor.shutDown()
    }

    func link() -> HandLink {
        let (ours, theirs) = MemoryLink.pair(names: ("camera", "hand"))
        incoming.post(theirs)
        return HandLink(ours)
    }

    /// Both links stand, and no session is open.
    func greeted() async throws -> HandClient {
        let command = link()
        try await command.say(Bytes.initCommandRequest)
        let ack = try await command.packet()
        let event = link()
        try await event.say(Bytes.packet(3, Array(ack[8..<12])))
        _ = try await event.packet()
        return HandClient(command: command, event: event, ack: ack)
    }

    /// With session 1.
    func connected() async throws -> HandClient {
        let client = try await greeted()
        _ = try await client.ask(0x1002, [1])
        return client
    }

    func waitForLog(_ text: String) async {
        while !log.value.contains(where: { $0.contains(text) }) { await Task.yield() }
    }
}

/// One end of a link, and packets in bytes.
final class HandLink: Sendable {
    struct Ended: Error, Equatable {}

    private let link: any ByteLink
    private let kept = Shared<[UInt8]>([])

    init(_ link: any ByteLink) {
        self.link = link
    }

    func say(_ bytes: [UInt8]) async throws {
        try await link.send(bytes)
    }

    func bytes(_ count: Int) async throws -> [UInt8] {
        let buffer = Buffer(capacity: 64 << 10)
        while kept.value.count < count {
            let more: Int
            do {
                more = try await link.receive(into: buffer)
            } catch {
                throw Ended()
            }
            guard more > 0 else { throw Ended() }
            kept.change { $0 += buffer.bytes(0..<more) }
        }
        return kept.change { kept in
            defer { kept.removeFirst(count) }
            return Array(kept.prefix(count))
        }
    }

    /// One packet of the standard's framing.
    func packet() async throws -> [UInt8] {
        let head = try await bytes(4)
        return head + (try await bytes(Int(Bytes.number(head)) - 4))
    }

    /// What comes until the camera ends the link.
    func rest() async -> [[UInt8]] {
        var packets: [[UInt8]] = []
        do {
            while true { packets.append(try await packet()) }
        } catch {
            return packets
        }
    }

    func close() { link.close(.orderly) }
}

/// Both links of a client.
struct HandClient: Sendable {
    /// What came for one request, and what it means.
    struct Answer: Sendable {
        var packets: [[UInt8]]
        var types: [UInt32] { packets.map { UInt32(Bytes.number($0[4..<8])) } }
        var code: UInt16 { UInt16(Bytes.number(last[8..<10])) }
        var parameters: [UInt32] {
            stride(from: 14, to: last.count - 3, by: 4).map { UInt32(Bytes.number(last[$0..<$0 + 4])) }
        }
        var data: [UInt8] {
            zip(types, packets).flatMap { [10, 12].contains($0) ? Array($1.dropFirst(12)) : [] }
        }
        private var last: [UInt8] { packets.last ?? [] }
    }

    let command: HandLink
    let event: HandLink
    let ack: [UInt8]
    private let transaction = Shared<UInt32>(0)

    init(command: HandLink, event: HandLink, ack: [UInt8]) {
        self.command = command
        self.event = event
        self.ack = ack
    }

    /// The GUID that the camera gave.
    var guid: [UInt8] { Array(ack[12..<28]) }

    /// The id of the request.
    @discardableResult
    func request(_ code: UInt16, _ parameters: [UInt32] = []) async throws -> UInt32 {
        let number = transaction.change { number in
            defer { number += 1 }
            return number
        }
        try await command.say(Bytes.request(code, number, parameters))
        return number
    }

    /// Everything up to a response.
    func ask(_ code: UInt16, _ parameters: [UInt32] = []) async throws -> Answer {
        try await request(code, parameters)
        return try await answer()
    }

    func answer() async throws -> Answer {
        var answer = Answer(packets: [])
        repeat { answer.packets.append(try await command.packet()) } while answer.types.last != 7
        return answer
    }
}
