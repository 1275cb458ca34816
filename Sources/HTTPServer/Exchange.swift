import Basics
import CMicrohttpd
import Synchronization

/// One request and its answer.
///
/// The library calls on one of its threads, at first with the headers, then with pieces of the body, then without any
/// when all is there. While the handler works the connection sleeps. What is only touched in those calls is
/// not guarded.
final class Exchange: @unchecked Sendable {
    /// What the library's next call is about.
    enum Phase {
        /// It has read the request line.
        case expectingHeaders
        /// The rest of the body, if any, is thrown away; then this is answered.
        case discarding(atMost: UInt64, then: Afterwards)
        case collecting(limit: Int, @Sendable (Request) async -> Response)
        /// A handler decides about the body; the connection sleeps.
        case asking
        case storing(any BodySink)
        /// A handler makes the answer; the connection sleeps.
        case expectingAnswer
        /// An answer is on its way.
        case answered
        /// The connection is none of the library's any more, which has yet to find that out.
        case handedOver
    }

    enum Afterwards {
        case answer(Response)
        case quick(@Sendable (Request) -> Response)
        case quickOr(
            @Sendable (Request) -> Response?, otherwise: @Sendable (Request) async -> Response)
    }

    /// What a handler has come to.
    enum Outcome {
        case answer(Response)
        case intake(Intake)
    }

    private struct Shared {
        var outcome: Outcome?
        var task: Task<Void, Never>?
        /// The client does not wait for the handler any more.
        var isAbandoned = false
        var reader: ResponseBodyReader?
        var isTooSlow = false
    }

    let core: Core
    let connection: Connection
    let handle: OpaquePointer
    let target: String
    /// Where the target lies in the library's memory.
    let place: UnsafePointer<CChar>
    let wire: Wakeable
    let began: Duration
    private let shared = Mutex(Shared())

    var phase = Phase.expectingHeaders
    var request: Request
    var route: Route?
    var framing = Framing.none
    var body: [UInt8] = []
    var received: UInt64 = 0
    /// Whether the headers have come, from when on the server waits for it before it stops.
    private var isCounted = false
    /// Among whose requests it counts.
    private var client: AddressGroup?
    private var announced: UInt64 = 0
    /// The client itself has given the request a name, and reads it in the answer.
    var isNamed = false

    init(_ core: Core, _ connection: Connection, _ handle: OpaquePointer, target place: UnsafePointer<CChar>)
    {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.place = place
        target = String(cString: place)
        wire = Wakeable(handle)
        began = core.time.now
        request = Request(
            id: "", method: "", path: Self.path(of: target),
            client: ClientAddress(connection: connection.peer))
        connection.state.withLock { $0.exchange = self }
    }

    /// A query may hold a signature, which is nothing for the log.
    private static func path(of target: String) -> String {
        String(target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target[..<$0] } ?? target[...])
    }

    func count() {
        isCounted = true
        core.requestBegan()
    }

    /// Whether one more request of its client may be under way. Only behind a proxy that is trusted: a client without one has
    /// no more requests than connections.
    func takePlace() -> Bool {
        guard request.peer != connection.peer, let client = request.client.group else { return true }
        guard core.requests.take(for: client) else { return false }
        self.client = client
        return true
    }

    private func giveBackPlace() {
        if let client { core.requests.giveBack(client) }
        client = nil
    }

    // MARK: Handlers

    /// Runs a handler while the connection sleeps. What it comes to is there when the library calls again.
    func think(_ work: @escaping @Sendable () async -> Outcome) {
        connection.owes(.nothing)
        let task = Task { [self, core, request] in
            var outcome = await Request.$answeredID.withValue(request.id) { await work() }
            if case .answer(let response) = outcome {
                outcome = .answer(core.finished(response, for: request))
            }
            deliver(outcome)
        }
        shared.withLock { $0.task = task }
    }

    private func deliver(_ outcome: Outcome) {
        let isWanted = shared.withLock { shared in
            shared.task = nil
            if !shared.isAbandoned { shared.outcome = outcome }
            return !shared.isAbandoned
        }
        if isWanted { wire.wake() } else { Self.dispose(of: outcome) }
    }

    /// What a handler has come to; nil when the connection has gone to sleep until it does.
    func awaitOutcome() -> Outcome? {
        while true {
            if let outcome = shared.withLock({ $0.outcome.take() }) { return outcome }
            // Not when the client does not wait any more: the connection would sleep for ever.
            if isAbandoned || wire.sleep() { return nil }
        }
    }

    var isAbandoned: Bool { shared.withLock(\.isAbandoned) }

    /// A sink or source that holds something open learns that it is not wanted.
    private static func dispose(of outcome: Outcome) {
        switch outcome {
        case .answer(let response): dispose(of: response)
        case .intake(.take(let sink, limit: _)): sink.abandon()
        case .intake(.refuse(let response)): dispose(of: response)
        }
    }

    private static func dispose(of response: Response) {
        if case .stream(let source) = response.body { source.close() }
    }

    // MARK: Answers

    /// False where the connection has to be cut.
    func answer(_ response: Response, closing isClosing: Bool = false) -> Bool {
        let response = core.finished(response, for: request)
        // A client that listens is counted as one of those.
        if case .events = response.body { giveBackPlace() }
        if case .events(let stream) = response.body, let writer = core.streams, request.method != "HEAD" {
            return handOver(stream, of: response, to: writer)
        }
        phase = .answered
        connection.owes(.nothing)
        let isLast = isClosing || core.isStopping
        guard let reply = core.reply(to: request, with: response, on: wire, isOwn: isLast || isNamed) else {
            return false
        }
        announced = reply.length
        shared.withLock { $0.reader = reply.reader }
        if !reply.isShared {
            reply.add("X-Request-Id", request.id)
            if isLast { reply.add("Connection", "close") }
        }
        return reply.queue(on: handle)
    }

    /// Made by the server itself. What follows a request whose framing is not trusted is not looked at.
    func refuse(_ status: Int, _ message: String) -> Bool {
        answer(core.refusal(status, message), closing: true)
    }

    // MARK: From elsewhere

    func beat(at now: Duration) {
        if case .events(let stream) = shared.withLock(\.reader)?.origin {
            stream.beat(at: now, every: Watch.heartbeat)
        }
    }

    func isTooSlow() {
        shared.withLock { $0.isTooSlow = true }
    }

    /// Server-sent events end when the server stops; other answers are finished.
    func endEvents() {
        if let reader = shared.withLock(\.reader), case .events = reader.origin { reader.stop() }
    }

    /// The client does not wait any longer: the connection wakes up to be closed.
    func abandon() {
        let (task, reader, outcome) = shared.withLock { shared in
            shared.isAbandoned = true
            return (shared.task, shared.reader, shared.outcome.take())
        }
        if let outcome { Self.dispose(of: outcome) }
        task?.cancel()
        reader?.stop()
        wire.wake()
    }

    // MARK: The end

    /// The library is done with it, one way or another.
    func ended(status: Int, inOrder isInOrder: Bool) {
        wire.end()
        if case .storing(let sink) = phase { sink.abandon() }
        if !isInOrder { abandon() }
        let (reader, isTooSlow) = shared.withLock { ($0.reader, $0.isTooSlow) }
        switch reader?.origin {
        case .pump(let pump): pump.abandon()
        case .events(let stream): stream.leave()
        case nil: break
        }
        giveBackPlace()
        connection.state.withLock { state in
            state.exchange = nil
            state.debt = .headers(since: core.time.now)
            state.received = 0
        }
        // The log tells of it when its stream ends.
        if case .handedOver = phase { return }
        let isHead = request.method == "HEAD"
        core.log(
            AccessEntry(
                id: request.id.isEmpty ? core.makeID() : request.id, method: request.method,
                path: request.path, route: route?.pattern,
                status: status > 0 ? status : isTooSlow ? 408 : Self.clientClosedRequest,
                sent: reader?.sent ?? (isInOrder && !isHead ? announced : 0), received: received,
                took: core.time.now - began, peer: request.peer))
        if isCounted { core.requestEnded() }
    }

    /// No status of the standard: the other side left before there was any. nginx calls it so, and log readers know it.
    private static let clientClosedRequest = 499
}
