package import Bridge
import Synchronization

/// What goes to a destination in place of a photo, or beside it.
package enum CaptionedFile: Equatable, Sendable {
    /// Nothing is to be said about it.
    case none
    /// It goes as the camera wrote it, and why.
    case leftOut(String)
    /// A copy that says it inside.
    case copy(StagedPhoto, unknownCodes: [String])
    /// A file of its own beside the photo.
    case sidecar(StagedPhoto, unknownCodes: [String])
    /// It is being ended, and nothing is known.
    case stopped
}

/// Makes files that say something about photos: once for each job, the same whenever it is asked again.
package protocol CaptionWriter: Sendable {
    func file(for job: Job) async -> CaptionedFile
}

/// A destination whose photos say something about themselves: whatever it is, it gets a copy in the photo's place, or a
/// sidecar behind it. A caption that cannot be written keeps no photo from arriving.
package final class CaptionedDestination: TestableDestination {
    private let inner: any TestableDestination
    private let writer: any CaptionWriter
    /// Photos that are there and whose sidecars are not yet: they are not looked for once more, where that may mean to read
    /// them back, or to send them again because others have taken them away.
    private let arrived = Mutex<[JobID: Receipt]>([:])

    /// How the files beside photos are called.
    private static let sidecarEnding = "xmp"

    package init(_ inner: any TestableDestination, _ writer: any CaptionWriter) {
        self.inner = inner
        self.writer = writer
    }

    package var id: DestinationID { inner.id }
    package var url: String { inner.url }
    package var reach: Reach { inner.reach }
    package var consumes: Bool { inner.consumes }
    package var mostLooked: Int { inner.mostLooked }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        if Task.isCancelled { return .cancelled }
        switch await writer.file(for: job) {
        case .none: return await inner.deliver(job)
        case .stopped: return .cancelled
        case .leftOut(let reason): return await inner.deliver(job).with(.leftOut(reason))
        case .copy(let copy, let codes):
            return await inner.deliver(job.sending(copy)).with(.inside(unknownCodes: codes))
        case .sidecar(let file, let codes): return await deliver(job, file, codes)
        }
    }

    /// The photo first: what it is called there is known only then. A second try finds it there and goes on.
    private func deliver(_ job: Job, _ sidecar: StagedPhoto, _ codes: [String]) async -> DeliveryOutcome {
        let outcome =
            if let receipt = arrived.withLock({ $0[job.id] }) { DeliveryOutcome.delivered(receipt) } else {
                await inner.deliver(job)
            }
        guard case .delivered(let receipt) = outcome, case .key(let name) = receipt.place else {
            return outcome
        }
        arrived.withLock { $0[job.id] = receipt }
        let beside = await inner.deliver(job.sending(sidecar, beside: name, as: Self.sidecarEnding))
        guard case .delivered(let second) = beside, case .key(let key) = second.place else { return beside }
        arrived.withLock { $0[job.id] = nil }
        return outcome.with(
            .sidecar(key: key, size: second.size, sha256: second.sha256, unknownCodes: codes))
    }

    package func giveUp(_ job: Job) async {
        arrived.withLock { $0[job.id] = nil }
        await inner.giveUp(job)
    }

    package func look(at receipts: [Receipt]) async -> [Standing] { await inner.look(at: receipts) }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        try await inner.read(receipt, take)
    }

    package func test(_ job: Job) async -> DeliveryOutcome { await inner.test(job) }

    package func probe() async -> DeliveryOutcome? { await inner.probe() }
}

extension DeliveryOutcome {
    fileprivate func with(_ caption: DeliveredCaption) -> DeliveryOutcome {
        guard case .delivered(var receipt) = self else { return self }
        receipt.caption = caption
        return .delivered(receipt)
    }
}
