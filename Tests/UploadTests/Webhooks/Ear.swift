import Basics
import Bridge
import Posix
import Store
import TestSupport
import Upload
import WorldSupport

/// A listener in memory. It hears, and then answers as the test says, or its answer is lost.
final class Ear: HTTPTransport {
    struct Heard: Sendable {
        let request: HTTPRequest
        let at: Timestamp

        var key: String { request.value("X-Tetherline-Delivery") }
        var body: String {
            if case .bytes(let bytes) = request.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        }
    }

    typealias Answer = @Sendable (_ heard: Heard, _ count: Int) async throws(HTTPFailure) -> HTTPResponse

    private let calendar: TestCalendar
    private let answer: Answer
    private let record = Shared<[Heard]>([])
    private let open = Shared<[String: Int]>([:])
    /// The most requests that one address had at a time.
    let busiest = Shared(0)

    init(_ calendar: TestCalendar, _ answer: @escaping Answer) {
        self.calendar = calendar
        self.answer = answer
    }

    var heard: [Heard] { record.value }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let heard = Heard(request: request, at: calendar.wallNow)
        let count = record.change { record in
            record.append(heard)
            return record.count
        }
        let now = open.change { open in
            open[request.url, default: 0] += 1
            return open[request.url, default: 0]
        }
        busiest.change { $0 = max($0, now) }
        defer { open.change { $0[request.url, default: 1] -= 1 } }
        return try await answer(heard, count)
    }

    func forgetConnections() {}

    static let fine = HTTPResponse(status: 204)
}

extension HTTPRequest {
    func value(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }
}

/// A ledger whose listeners are told under a clock that the test moves.
struct WebhookRig: Sendable {
    static let secret = Array("a secret of this test".utf8)

    let rig: UploadRig
    let events = Shared<[WebhookSender.Event]>([])

    init(_ listeners: Webhook...) async throws {
        rig = try await UploadRig()
        await rig.ledger.use(JobPolicy(), listeners: listeners)
    }

    func sender(_ ear: any HTTPTransport, _ urls: String..., ledger: (any WebhookLedger)? = nil) throws
        -> WebhookSender
    {
        WebhookSender(
            ledger: ledger ?? rig.ledger, news: rig.ledger.webhookSignal,
            recipients: try urls.map { WebhookSender.Recipient(try WebhookAddress($0), secret: Self.secret) },
            http: ear, executor: rig.executor, time: rig.clock, wall: rig.calendar, random: SeededSource(3),
            report: { event in events.change { $0.append(event) } })
    }

    func running(_ sender: WebhookSender, _ body: () async throws -> Void) async throws {
        let task = Task { await sender.run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        await task.value
    }

    /// Moves the clock from wait to wait until it is so.
    func pass(until isTrue: () async throws -> Bool) async throws {
        while try await !isTrue() {
            if let next = rig.clock.nextDeadline, next > rig.clock.now {
                rig.clock.advance(by: next - rig.clock.now)
            }
            await Task.yield()
        }
    }

    func waiting(_ url: String) async throws -> [Message] {
        try await rig.ledger.messages(to: url, atMost: 1000)
    }

    func journal() throws -> [String] {
        try LedgerReader(path: rig.folder.file(Ledger.fileName)).journal(limit: 1000).map(\.entry.text)
    }
}
