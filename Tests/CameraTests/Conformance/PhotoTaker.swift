import Bridge
import Camera
import TestSupport
import Testing

/// Takes each photo of a body once, over as many connections as that needs: by what the photo is, and not by what the
/// body calls it in one of them.
final class PhotoTaker: Sendable {
    struct Photo: Sendable {
        let offer: Offer
        let bytes: [UInt8]
    }

    private struct State {
        /// What has come of each photo so far.
        var sinks: [PhotoIdentity: ArraySink] = [:]
        var whole: Set<PhotoIdentity> = []
        var photos: [Photo] = []
    }

    private let stand: any BodyUnderTest
    private let state = Shared(State())
    /// All bytes of photos that have come, those that came twice included.
    private let moved = Shared<UInt64>(0)

    init(_ stand: any BodyUnderTest) {
        self.stand = stand
    }

    /// In the order in which they were whole.
    var photos: [Photo] { state.value.photos }
    var received: UInt64 { moved.value }

    /// What there is, and then what is told, until there are so many photos.
    func take(_ count: Int, from driver: any CameraDriver) async throws {
        try await takeAll(driver)
        try await follow(driver, until: count)
    }

    /// Only what is told.
    func follow(_ driver: any CameraDriver, until count: Int) async throws {
        let changes = driver.changes.makeAsyncIterator()
        while photos.count < count {
            guard let change = await changes.next() else { return try await driver.throwIfEnded() }
            switch change {
            case .added(let reference):
                if let offer = try await driver.describe(reference, withRating: false) {
                    try await take(offer, driver)
                }
            case .mayHaveMore, .cardsChanged: try await takeAll(driver)
            case .changed, .removed, .busy, .learned, .remark: break
            }
        }
    }

    /// What could not be described is asked for again: a body may not be ready for what was shot a moment ago.
    private func takeAll(_ driver: any CameraDriver) async throws {
        var survey = Survey()
        repeat {
            survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            for offer in survey.offers.sorted(by: { $0.identity.name < $1.identity.name }) {
                try await take(offer, driver)
            }
        } while !survey.unreadable.isEmpty
    }

    private func take(_ offer: Offer, _ driver: any CameraDriver) async throws {
        let identity = offer.identity
        guard !state.value.whole.contains(identity) else { return }
        let sink = try await begun(offer, driver)
        let options = FetchOptions(
            into: sink, workers: stand.workers, onMoved: { [moved] count in moved.change { $0 += count } })
        do throws(CameraFailure) {
            _ = try await driver.fetch(offer, from: UInt64(sink.bytes.count), into: options)
        } catch {
            guard error.trouble == .startOver else { throw error }
            state.change { $0.sinks[identity] = nil }
            return try await take(offer, driver)
        }
        state.change { state in
            state.whole.insert(identity)
            state.photos.append(Photo(offer: offer, bytes: sink.bytes))
        }
    }

    /// Goes on where it stopped, if the body can.
    private func begun(_ offer: Offer, _ driver: any CameraDriver) async throws -> ArraySink {
        if let sink = state.value.sinks[offer.identity], await driver.canResume(offer) { return sink }
        let sink = ArraySink()
        state.change { $0.sinks[offer.identity] = sink }
        return sink
    }
}
