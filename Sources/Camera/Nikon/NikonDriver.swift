import Basics
import Bridge
import PTP
import Synchronization

/// A Nikon: greeted as its generation wants it, asked for its events, and given its photos' bytes in parts.
///
/// Everything of its own that it sends is listed in the body's DeviceInfo. What a body does as the standard has it,
/// ``plain`` does.
actor NikonDriver: MakerDriver {
    static let name = "nikon"

    private nonisolated let executor: any CameraExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let plain: GenericDriver
    nonisolated let generation: NikonGeneration
    nonisolated let traits: NikonTraits
    /// What pushes is told on the session's way in, so both it and the driver reach it.
    nonisolated let noticing: NikonNoticingBox
    /// When the session began, as far as this driver knows.
    let openedAt: Duration
    /// How the application mode was entered, to leave it that way.
    var entered: ApplicationMode?
    /// It was asked what lies in its memory, of which it told an earlier connection.
    var hasLookedIntoMemory = false
    /// The operator was told that it keeps what it was asked to free.
    var hasSaidThatItKeeps = false
    /// What a body gives that gives only what is queued on it.
    var jobs = NikonJobs()

    enum ApplicationMode {
        case property
        case operation
    }

    nonisolated var session: CameraSession { plain.session }
    nonisolated var time: any TimeSource { plain.session.time }

    /// Nothing for a body of another make, and for one that lists nothing of Nikon's own: plain PTP tethers it.
    static func driver(for plain: GenericDriver) async -> NikonDriver? {
        guard let generation = NikonGeneration(plain.device) else { return nil }
        let listsEvents = plain.device.supports(.nikonGetEvent) || plain.device.supports(.nikonGetEventEx)
        guard generation != .old || listsEvents else { return nil }
        return NikonDriver(plain, generation, await plain.traits.nikon)
    }

    private init(_ plain: GenericDriver, _ generation: NikonGeneration, _ traits: NikonTraits) {
        executor = plain.session.executor
        self.plain = plain
        self.generation = generation
        self.traits = traits
        openedAt = plain.session.time.now
        noticing = NikonNoticingBox(
            NikonNoticing(plain.device, onlyPushed: !traits.asksForEvents, at: plain.session.time.now))
    }

    // MARK: What is new

    func notice() async throws(CameraFailure) {
        while !Task.isCancelled {
            do {
                try await time.sleep(
                    until: jobs.isLocked ? time.now + Self.betweenJobs : noticing.withLock(\.nextAt))
            } catch {
                return
            }
            let told: [CameraChange]?
            if jobs.isLocked {
                told = try await askForJob()
            } else if let reference = noticing.withLock({ $0.toFree(at: time.now) }) {
                told = try await freed(reference)
            } else if let question = noticing.withLock(\.question) {
                told = try await ask(question)
            } else {
                told = noticing.withLock { $0.listIsDue(at: time.now) }
            }
            guard let told else { return }
            for change in told { changes.push(change) }
        }
    }

    /// Nothing when the connection is over, or to be.
    private func freed(_ reference: PhotoReference) async throws(CameraFailure) -> [CameraChange]? {
        do throws(CameraFailure) {
            return try await free(reference)
        } catch {
            guard error.trouble != .cancelled, await session.ending == nil else { return nil }
            throw error
        }
    }

    /// Nothing when the connection is over, or to be.
    private func ask(_ question: NikonNoticing.Question) async throws(CameraFailure) -> [CameraChange]? {
        let failure: NikonNoticing.Failure
        do throws(CameraError) {
            let reply = try await session.exchange(
                Call(question.operation, data: .incoming(limit: NikonEventList.mostBytes)))
            switch reply.code {
            case .ok:
                if let list = Self.list(reply.data, question.layout) {
                    if list.gap != 0 { plain.unseen.met(.nikonEventCount) }
                    return noticing.withLock { $0.answered(list, at: time.now) }
                }
                failure = .malformed
            case .deviceBusy: failure = .busy
            default: failure = .refused
            }
        } catch {
            switch error.problem {
            case .ended, .cancelled: return nil
            // Whether it hangs is found out where calls are counted.
            case .timedOut: failure = .busy
            case .tooMuchData, .dataCutShort, .malformed: failure = .malformed
            case .answered, .notSupported, .tooLarge, .tooManyObjects, .consumer: throw CameraFailure(error)
            }
        }
        return noticing.withLock { $0.failed(failure, at: time.now) }
    }

    private static func list(_ bytes: [UInt8], _ layout: NikonEventList.Layout) -> NikonEventList? {
        do throws(Malformed) {
            return try NikonEventList(decoding: bytes[...], layout)
        } catch {
            return nil
        }
    }
}

/// What the driver and the link on which the body pushes both tell.
final class NikonNoticingBox: Sendable {
    private let noticing: Mutex<NikonNoticing>

    init(_ noticing: NikonNoticing) {
        self.noticing = Mutex(noticing)
    }

    func withLock<Result: Sendable>(_ body: (inout NikonNoticing) -> Result) -> Result {
        noticing.withLock { noticing in body(&noticing) }
    }
}
