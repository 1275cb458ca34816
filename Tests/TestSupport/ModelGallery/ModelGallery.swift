public import Basics
import Synchronization

/// A gallery in memory, written from its contract and from nothing else. It runs under a test's clock, refuses what the
/// contract does not allow, and remembers who tried: what no bridge may ever do is a violation, what may happen in a
/// race is an oddity. One photo and one charge come of one photo, whatever is tried again.
///
/// As an `HTTPTransport` it loses requests and answers as it is told to. `answer(_:)` is the server alone, to be put
/// behind a socket.
public final class ModelGallery: HTTPTransport, Sendable {
    public struct Rules: Sendable {
        public var accessLife = Duration.seconds(900)
        public var refreshLife = Duration.seconds(30 * 86_400)
        /// How long a spent refresh token gets its successor again.
        public var spentLife = Duration.seconds(600)
        public var placeLife = Duration.seconds(300)
        /// From the moment that a request looks for the bytes and finds them.
        public var processingTime = Duration.zero
        /// How long the bytes of a photo are on their way.
        public var uploadTime = Duration.zero
        /// How far its clock is ahead of the test's.
        public var skew = Duration.zero
        public var hasNoDate = false
        public var ignoresIdempotencyKeys = false
        public var ignoresChecksums = false
        /// Nothing for as many as one likes.
        public var credits: Int?
        public var consentVersion = "2026-11"
        /// What it lets people agree to; most galleries do not say.
        public var terms: String?
        public var objectLimit: UInt64 = 4 << 30
        /// It goes to work when the bytes come, and not only when it is asked.
        public var noticesBytes = false

        public init() {}
    }

    /// With a slash at its end.
    public let base: String
    private let clock: any TimeSource
    private let start: Timestamp
    let state: Mutex<ModelGalleryState>
    let faults = Mutex(ModelFaults())
    private let past = Mutex<[Exchange]>([])

    /// What was asked, and what came of it.
    public struct Exchange: Sendable {
        public let call: ModelCall
        public let request: HTTPRequest
        public let outcome: Result<HTTPResponse, HTTPFailure>
    }

    /// `start` is the calendar at the clock's zero.
    public init(
        clock: any TimeSource, start: Timestamp = Timestamp(milliseconds: 1_800_000_000_000),
        base: String = "https://gallery.test/", rules: Rules = Rules()
    ) {
        self.clock = clock
        self.start = start
        self.base = base
        state = Mutex(ModelGalleryState(base: base, rules: rules))
    }

    /// Its calendar.
    public var now: Timestamp { start + clock.now + state.withLock { $0.rules.skew } }

    // MARK: The server

    /// The server alone, without faults. The body comes in memory.
    public func answer(_ request: HTTPRequest) -> HTTPResponse {
        let answer = handle(request)
        past.withLock {
            $0.append(
                Exchange(
                    call: ModelCall(request, base: base), request: request, outcome: .success(answer)))
        }
        return answer
    }

    private func handle(_ request: HTTPRequest) -> HTTPResponse {
        let now = now
        return state.withLock { state in
            var answer = state.answer(request, at: now)
            if !state.rules.hasNoDate {
                answer = HTTPResponse(
                    status: answer.status, headers: answer.headers + [HTTPHeader("Date", now.httpDate)],
                    body: answer.body)
            }
            return answer
        }
    }

    // MARK: The network before it

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let call = ModelCall(request, base: base)
        do throws(HTTPFailure) {
            let answer = try await pass(request, call)
            past.withLock { $0.append(Exchange(call: call, request: request, outcome: .success(answer))) }
            return answer
        } catch {
            past.withLock { $0.append(Exchange(call: call, request: request, outcome: .failure(error))) }
            throw error
        }
    }

    public func forgetConnections() {}

    private func pass(_ request: HTTPRequest, _ call: ModelCall) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        var request = request
        request.body = .bytes(try Self.bytes(request.body))
        guard request.url.hasPrefix(base) else { throw .unreachable("there is no server at that address") }
        switch faults.withLock({ $0.next(for: call) }) {
        case nil: return try await carry(request, call)
        case .lostRequest: throw .unreachable("connection refused")
        case .cutInBody: throw .broken("connection reset", bodyWasSent: false)
        case .certificate: throw .certificate("its certificate has expired")
        case .unreadable: throw .unreadable("its answer is no HTTP")
        case .lostReply:
            _ = try await carry(request, call)
            throw .broken("the connection was closed without an answer", bodyWasSent: true)
        case .lostRequestAfterBody:
            request.onSent?(request.body.count)
            throw .broken("the connection was closed without an answer", bodyWasSent: true)
        case .instead(let answer): return answer
        case .handledThen(let answer):
            _ = try await carry(request, call)
            return answer
        case .slow(let span):
            try await wait(span)
            return try await carry(request, call)
        case .hang:
            try await wait(.seconds(1 << 32))
            throw .broken("nothing moved", bodyWasSent: false)
        }
    }

    private func wait(_ span: Duration) async throws(HTTPFailure) {
        do {
            try await clock.sleep(until: clock.now + span)
        } catch {
            throw .cancelled
        }
    }

    /// The body takes its time, and the server knows that it is on its way.
    private func carry(_ request: HTTPRequest, _ call: ModelCall) async throws(HTTPFailure) -> HTTPResponse {
        let path = String(request.url.dropFirst(base.count))
        guard call == .put else { return handle(request) }
        let span = state.withLock { state in
            state.bodyBegins(path)
            return state.rules.uploadTime
        }
        defer { state.withLock { $0.bodyEnds(path) } }
        if span > .zero { try await wait(span) }
        request.onSent?(request.body.count)
        return handle(request)
    }

    private static func bytes(_ body: HTTPBody) throws(HTTPFailure) -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .file(let slice):
            do {
                let whole = try readFile(slice.path)
                let piece = Array(whole.dropFirst(Int(slice.offset)).prefix(Int(slice.count)))
                guard piece.count == Int(slice.count) else {
                    throw HTTPFailure.body(DiskError(.failing, "\(slice.path) is shorter than it was"))
                }
                return piece
            } catch let error as HTTPFailure {
                throw error
            } catch {
                throw .body(DiskError(.missing, "\(slice.path): no such file"))
            }
        }
    }

    // MARK: What a test looks at

    /// Everything that came by, in the order in which it ended.
    public var exchanges: [Exchange] { past.withLock { $0 } }
    public func count(_ call: ModelCall) -> Int { exchanges.count { $0.call == call } }
    /// What no bridge may do.
    public var violations: [String] { state.withLock { $0.violations } }
    /// What may happen when an answer was lost, and never otherwise.
    public var oddities: [String] { state.withLock { $0.oddities } }
    public var photos: [ModelPhoto] { state.withLock { $0.photos } }
    public var charges: Int { state.withLock { $0.charges } }
    public var uploads: [ModelUpload] {
        state.withLock { state in state.uploads.values.sorted { $0.id < $1.id } }
    }
}
