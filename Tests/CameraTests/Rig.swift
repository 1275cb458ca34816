import Basics
import Camera
import Link
import PTP
import PacketCapture
import Posix
import Simulator
import TestSupport

/// A simulated camera in memory, and sessions with it.
final class Rig: LinkOpening {
    let reactor: Reactor
    let camera: SimulatedCamera
    let workers = PhotoWorkers.start()
    let log = Shared<[String]>([])
    let progress = Shared<[ConnectionProgress]>([])
    private let incoming = IncomingLinks()
    private let running: Task<Void, Never>
    private let wire: Wire

    /// What happens to the client's links.
    struct Wire: Sendable {
        var plan: @Sendable (Channel) -> FaultPlan = { _ in FaultPlan() }
        var beforeOpening: @Sendable (Channel) async -> Void = { _ in }
    }

    init(
        _ script: String = "", photos: Int = 3, size: UInt64 = 200_000, clock: (any TimeSource)? = nil,
        wire: Wire = Wire(), model: CameraModel = .generic,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in },
        answers: AlteredPersonality.Change? = nil
    ) throws {
        reactor = try Reactor(name: "rig")
        var settings = SimulatedCamera.Settings()
        var card = VirtualCard.Settings()
        model.dress(&card)
        card.photoSize = size
        settings.script = try FaultScript(script)
        card.apply(settings.script)
        settings.localSeconds = { 1_790_000_500 }
        // In the machine's own time nothing is tried that a body does because a client is slow.
        if clock == nil { settings.eventLinkLimit = .seconds(60) }
        change(&settings, &card)
        settings.onLog = { [log] line in log.change { $0.append(line) } }
        var personality = model.personality(try VirtualCard(card, photos: photos))
        if let answers { personality = AlteredPersonality(model: personality, change: answers) }
        camera = SimulatedCamera(
            personality: personality, settings: settings, executor: reactor, time: clock ?? reactor)
        self.wire = wire
        running = incoming.serve(camera)
    }

    init(body: any CameraBody, settings: SimulatedCamera.Settings = SimulatedCamera.Settings()) throws {
        reactor = try Reactor(name: "rig")
        camera = SimulatedCamera(body: body, settings: settings, executor: reactor, time: reactor)
        wire = Wire()
        running = incoming.serve(camera)
    }

    /// The camera of a recording.
    init(replaying recording: Recording) throws {
        reactor = try Reactor(name: "rig")
        var settings = SimulatedCamera.Settings()
        settings.onLog = { [log] line in log.change { $0.append(line) } }
        camera = SimulatedCamera(
            replaying: recording, settings: settings, executor: reactor, time: reactor)
        wire = Wire()
        running = incoming.serve(camera)
    }

    deinit {
        incoming.finish()
        running.cancel()
        workers.shutDown()
        reactor.shutDown()
    }

    var target: String { "rig" }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        await wire.beforeOpening(channel)
        let (ours, theirs) = MemoryLink.pair(names: ("camera", "client"))
        incoming.add(theirs)
        return FaultyLink(ours, wire.plan(channel), time: reactor)
    }

    func session(_ change: (inout CameraSession.Options) -> Void = { _ in }) -> CameraSession {
        var options = CameraSession.Options(identity: InitCommandRequest(guid: .zero, name: "test"))
        options.onProgress = { [progress] step in progress.change { $0.append(step) } }
        change(&options)
        return CameraSession(links: self, executor: reactor, time: reactor, options: options)
    }

    /// Connects, runs `body`, and closes.
    func connected<Result: Sendable>(
        _ change: (inout CameraSession.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (CameraSession) async throws -> Result
    ) async throws -> Result {
        try await session(change).run(body)
    }

    /// What the camera would give for a photo, computed and not fetched.
    static func photo(_ number: Int, size: UInt64 = 200_000) throws -> [UInt8] {
        let description = PhotoDescription(
            make: "Tetherline", model: "Generic", serial: "0001", number: number,
            date: DateTime(secondsSince1970: 1_790_000_000 + Int64(number - 1) * 2, tenth: number % 10),
            seed: 1)
        let photo = GeneratedPhoto(jpeg: description, size: size, noise: Noise(seed: 1))
        return try photo.bytes(0..<size)
    }
}

/// Links on their way to a camera, as a listener would bring them.
final class IncomingLinks: Sendable {
    private let mailbox = Mailbox<any ByteLink>()
    private let waiting = Shared<[any ByteLink]>([])

    func add(_ link: any ByteLink) {
        mailbox.post(link)
    }

    func finish() {
        mailbox.close()
    }

    func serve(_ camera: SimulatedCamera) -> Task<Void, Never> {
        Task { [mailbox, waiting] in
            await camera.run {
                while true {
                    if let link = waiting.change({ $0.isEmpty ? nil : $0.removeFirst() }) { return link }
                    guard let more = await mailbox.next() else { throw LinkError.closedHere }
                    waiting.change { $0 += more }
                }
            }
        }
    }
}

/// Keeps what it is given, where it belongs.
final class ArraySink: PayloadSink {
    struct Full: Error, Equatable {}

    private let kept: Shared<[UInt8]>
    private let limit: Int

    init(_ prefix: [UInt8] = [], limit: Int = .max) {
        kept = Shared(prefix)
        self.limit = limit
    }

    var bytes: [UInt8] { kept.value }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        guard Int(offset) + bytes.count <= limit else { throw Full() }
        kept.change { kept in
            precondition(kept.count == Int(offset), "bytes come in order, without holes")
            kept += bytes
        }
    }
}

extension ObjectHandle {
    /// The first photo of a generated card: the two folders come before it.
    static let firstPhoto = ObjectHandle(rawValue: 0x0001_0003)
}

extension CameraError {
    var ending: Ending? {
        guard case .ended(let ending) = problem else { return nil }
        return ending
    }

    var response: ResponseCode? {
        guard case .answered(_, let code, _) = problem else { return nil }
        return code
    }
}
