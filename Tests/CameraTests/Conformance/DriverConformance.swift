import Bridge
import Camera
import Posix
import TestSupport
import Testing

/// What every driver has to do, whatever the body and its protocol: each property on a body of its own.
enum DriverConformance: String, CaseIterable, Sendable {
    // Connections
    case identity = "who it is stays the same over connections, with and without what was known"
    case anotherBody = "what was known of another body is nothing to this one"
    case steps = "the steps to a connection are told in their order"
    case farewell = "a goodbye is said when the work is done, when it fails and when it is taken back"
    case ended = "what ended a connection is told to every caller, and the camera tells nothing more"
    // What there is
    case survey = "a survey has every photo, by name and size"
    case puttingOff = "what is to be put off is listed and not described, by its name or by its place"
    case endsWhenDescribing = "an object over which the connection ends is named, with its place"
    case references = "a list without descriptions has what a survey has"
    case describe = "a photo is described as in the survey, and a folder is no photo"
    case unknown = "what the camera does not have is gone, and others are still there"
    // What is new
    case changes = "a shot is told, and what it told of is a photo"
    // Bytes
    case fetch = "a photo comes whole and true, and is hashed as it comes"
    case resume = "a photo that was begun is gone on with where it stopped"
    case overlap = "a few bytes out of the middle are those of the photo"
    case endsWhenFetching =
        "what came before a connection ended is a true beginning, and the photo may be the cause"
    case refusesFetching = "a photo that is refused costs nothing but itself, and is named"
    case taker = "a taker that does not take is told apart from the camera, and the next photo comes"
    case thumbnail = "there is a small picture of each photo"
    // Everything else
    case release = "a body gets its memory back, and only its memory"
    case delete = "what is deleted is gone, and nothing else"
    case clock = "the camera's clock is its own"
    case keepAlive = "keeping it alive costs nothing while it is there, and says when it is not"
    case facts = "what it says of itself is what it is"
    // As an evening goes
    case pairs = "thirty shots of RAW and JPEG come, each file once"
    case burst = "twenty shots in a second come, each once"
    case cuts = "a link that is cut anywhere in a photo costs no photo, and none comes twice"
    case cardSwap = "another card, with the same names and handles, has other photos"
    case wrap = "9999 is followed by 0001, and both come"
    case twoBodies = "two bodies with the same names at the same time are two, each with its photos"
    case sleep = "a body that slept is the same, and what was shot since comes, and nothing else"

    /// What takes longer, and is worth it with one body of each kind.
    static let evening: [DriverConformance] = [.pairs, .burst, .cuts, .cardSwap, .wrap, .twoBodies, .sleep]
    static let usual = allCases.filter { !evening.contains($0) }

    func check(_ body: any ConformingBody) async throws {
        let check = ConformanceCheck(body: body)
        switch self {
        case .identity: try await check.identity()
        case .anotherBody: try await check.anotherBody()
        case .steps: try await check.steps()
        case .farewell: try await check.farewell()
        case .ended: try await check.ended()
        case .survey: try await check.survey()
        case .puttingOff: try await check.puttingOff()
        case .endsWhenDescribing: try await check.endsWhenDescribing()
        case .references: try await check.references()
        case .describe: try await check.describe()
        case .unknown: try await check.unknown()
        case .changes: try await check.changes()
        case .fetch: try await check.fetch()
        case .resume: try await check.resume()
        case .overlap: try await check.overlap()
        case .endsWhenFetching: try await check.endsWhenFetching()
        case .refusesFetching: try await check.refusesFetching()
        case .taker: try await check.taker()
        case .thumbnail: try await check.thumbnail()
        case .release: try await check.release()
        case .delete: try await check.delete()
        case .clock: try await check.clock()
        case .keepAlive: try await check.keepAlive()
        case .facts: try await check.facts()
        case .pairs: try await check.pairs()
        case .burst: try await check.burst()
        case .cuts: try await check.cuts()
        case .cardSwap: try await check.cardSwap()
        case .wrap: try await check.wrap()
        case .twoBodies: try await check.twoBodies()
        case .sleep: try await check.sleep()
        }
    }
}

/// The checks, and what they have in common.
struct ConformanceCheck {
    let body: any ConformingBody

    func make(photos: Int = 3, _ conduct: BodyConduct = .good) async throws -> any BodyUnderTest {
        try await body.make(photos: photos, conduct)
    }

    func has(_ limit: BodyLimit) -> Bool { body.limits.contains(limit) }

    /// Connects, and lets `use` work with the camera.
    func connected<Result: Sendable>(
        _ stand: any BodyUnderTest, knowing known: KnownBody? = nil,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await stand.connector().connected(knowing: known, onStep: { _ in }, use)
    }

    /// All photos of a body with three, in the order of their names.
    static func three(_ driver: any CameraDriver) async throws -> [Offer] {
        let offers = try await offers(driver)
        try #require(offers.count == 3)
        return offers
    }

    /// All photos, in the order of their names.
    static func offers(_ driver: any CameraDriver) async throws -> [Offer] {
        try await driver.survey(SurveyOptions(), onDescribed: {}).offers.sorted {
            $0.identity.name < $1.identity.name
        }
    }

    /// What `use` fails with.
    static func failure(_ use: () async throws -> Void) async -> CameraFailure? {
        await #expect(throws: CameraFailure.self) { try await use() }
    }

    /// The bytes of a photo, from where `sink` ends.
    @discardableResult
    static func fetch(
        _ offer: Offer, _ driver: any CameraDriver, into sink: ArraySink, _ stand: any BodyUnderTest
    ) async throws -> FetchedBytes {
        try await driver.fetch(
            offer, from: UInt64(sink.bytes.count), into: FetchOptions(into: sink, workers: stand.workers))
    }

    /// Says what happened, and what to do, in sentences.
    static func expectSentences(_ failure: CameraFailure?) {
        guard let failure else { return }
        #expect(!failure.camera.isEmpty && !failure.reason.isEmpty)
        #expect(failure.advice.hasSuffix(".") || failure.advice.hasSuffix("?"), "\(failure)")
        #expect("\(failure)".hasPrefix("\(failure.camera): "))
    }

    static func mayBeItsDoing(_ failure: CameraFailure?) -> Bool {
        if case .connectionOver(_, true) = failure?.trouble { true } else { false }
    }
}
