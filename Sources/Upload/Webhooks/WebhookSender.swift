package import Basics
package import Bridge
import Digest
package import Posix

/// Tells other programs, in the network, what has happened to photos: each message at least once, with the same key at
/// each try, in order, one at a time for each listener.
package actor WebhookSender {
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A listener, and what it knows us by.
    package struct Recipient: Sendable {
        package let address: WebhookAddress
        /// Nothing for one that does not look at signatures.
        package let secret: [UInt8]?
        /// Where requests go, where that is not the address itself.
        package let target: String

        package init(_ address: WebhookAddress, secret: [UInt8]?, target: String? = nil) {
            self.address = address
            self.secret = secret
            self.target = target ?? address.url
        }
    }

    package enum Event: Equatable, Sendable {
        /// A listener cannot be told; it is tried again by itself.
        case held(name: String, String)
        case released(name: String)
        case givenUp(name: String, key: String, String)
        case ledgerFailed(String)
    }

    private let ledger: any WebhookLedger
    private let news: Signal
    private let http: any HTTPTransport
    private let time: any TimeSource
    private let wall: any WallTime
    private let report: @Sendable (Event) -> Void
    private var randomness: Randomness
    private var queues: [Queue]

    private struct Queue {
        let recipient: Recipient
        var state: WebhookQueue
        let signal = Signal()
    }

    /// So many are taken from the ledger together.
    private static let batch = 100
    private static let ledgerPause = Duration.seconds(2)
    /// The calendar is looked at this often, because it may be set while we wait.
    private static let longestWait = Duration.seconds(60)
    /// More than this is no answer.
    private static let answerLimit = 64 << 10

    /// `news` is the ledger's signal; this is the one that waits at it.
    package init(
        ledger: any WebhookLedger, news: Signal, recipients: [Recipient], http: any HTTPTransport,
        settings: WebhookQueue.Settings = WebhookQueue.Settings(),
        executor: any SerialExecutor & TaskExecutor, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, report: @escaping @Sendable (Event) -> Void
    ) {
        self.ledger = ledger
        self.news = news
        self.http = http
        self.executor = executor
        self.time = time
        self.wall = wall
        self.report = report
        randomness = Randomness(random)
        queues = recipients.map { Queue(recipient: $0, state: WebhookQueue(settings: settings)) }
    }

    /// Until the task is cancelled. A message that is under way then is told again by the next run.
    package func run() async {
        let signals = queues.map(\.signal)
        await withDiscardingTaskGroup { group in
            for index in signals.indices {
                group.addTask(executorPreference: executor) { await self.serve(index) }
            }
            while !Task.isCancelled {
                await news.waitUnlessCancelled()
                for signal in signals { signal.fire() }
            }
        }
    }

    private func serve(_ index: Int) async {
        let url = queues[index].recipient.address.url
        while !Task.isCancelled {
            var messages: [Message] = []
            let isRead = await untilDone { ledger in
                messages = try await ledger.messages(to: url, atMost: Self.batch)
            }
            guard isRead else { return }
            if messages.isEmpty {
                await queues[index].signal.waitUnlessCancelled()
                continue
            }
            for message in messages {
                guard await tell(message, index) else { return }
            }
        }
    }

    /// Until it has been told or is given up. False when we are ending.
    private func tell(_ message: Message, _ index: Int) async -> Bool {
        var message = message
        while await waitUntilDue(message, index) {
            let answer = await send(message, to: queues[index].recipient)
            let now = wall.wallNow
            let before = queues[index].state.hold
            let step = queues[index].state.handle(answer, to: message, at: now, using: &randomness)
            say(before, index)
            let name = queues[index].recipient.address.name
            let stays = message
            switch step {
            case .told: return await untilDone { ledger in try await ledger.told(stays.id) }
            case .nothing: return false
            case .again(let moment, let counts, let problem):
                let isWritten = await untilDone { ledger in
                    try await ledger.notTold(stays, because: problem, again: moment, counts: counts)
                }
                guard isWritten else { return false }
                message = Message(
                    id: message.id, url: message.url, key: message.key, body: message.body,
                    attempts: message.attempts + (counts ? 1 : 0), due: moment, expires: message.expires)
            case .givenUp(let problem):
                let isWritten = await untilDone { ledger in
                    try await ledger.givenUp(stays, because: problem, by: name)
                }
                guard isWritten else { return false }
                report(.givenUp(name: name, key: message.key, problem))
                return true
            }
        }
        return false
    }

    private func say(_ before: String?, _ index: Int) {
        let name = queues[index].recipient.address.name
        switch (before, queues[index].state.hold) {
        case (nil, let hold?): report(.held(name: name, hold))
        case (let before?, let hold?) where before != hold: report(.held(name: name, hold))
        case (_?, nil): report(.released(name: name))
        case (nil, nil), (_?, _?): break
        }
    }

    // MARK: One message

    private func send(_ message: Message, to recipient: Recipient) async -> MessageAnswer {
        await Self.send(message, to: recipient, by: http, wall)
    }

    /// Once, whatever comes of it.
    package static func send(
        _ message: Message, to recipient: Recipient, by http: any HTTPTransport, _ wall: any WallTime
    ) async -> MessageAnswer {
        do throws(HTTPFailure) {
            let response = try await http.send(
                request(message, to: recipient, at: wall.wallNow, answerLimit: answerLimit))
            return MessageAnswer(response, at: wall.wallNow)
        } catch {
            return Task.isCancelled ? .cancelled : MessageAnswer(error)
        }
    }

    /// The signature is the HMAC-SHA256, with the secret as the key, of the timestamp's digits, a full stop and the body
    /// as it is sent, in lower-case hexadecimal behind `sha256=`. The time is in it so that an old message cannot be sent
    /// again much later: a listener refuses what is older than a few minutes.
    private static func request(
        _ message: Message, to recipient: Recipient, at now: Timestamp, answerLimit: Int
    ) -> HTTPRequest {
        var headers = [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-Tetherline-Delivery", message.key),
        ]
        if let secret = recipient.secret {
            let timestamp = String(now.seconds)
            let code = HMACSHA256.code(of: Array("\(timestamp).\(message.body)".utf8), key: secret)
            headers += [
                HTTPHeader("X-Tetherline-Timestamp", timestamp),
                HTTPHeader("X-Tetherline-Signature", "sha256=\(Hexadecimal.text(code))"),
            ]
        }
        return HTTPRequest(
            "POST", recipient.target, headers: headers, body: .bytes(Array(message.body.utf8)),
            answerLimit: answerLimit)
    }

    // MARK: Waiting

    /// False when we are ending.
    private func waitUntilDue(_ message: Message, _ index: Int) async -> Bool {
        while !Task.isCancelled {
            let now = wall.wallNow
            let left = queues[index].state.moment(for: message, at: now) - now
            if left <= .zero { return true }
            await queues[index].signal.wait(until: time.now + min(left, Self.longestWait), of: time)
        }
        return false
    }

    /// Nothing goes on before the ledger has answered. False when we are ending.
    private func untilDone(_ body: (any WebhookLedger) async throws -> Void) async -> Bool {
        while true {
            do {
                try await body(ledger)
                return true
            } catch {
                report(.ledgerFailed("\(error)"))
            }
            do {
                try await time.sleep(until: time.now + Self.ledgerPause)
            } catch {
                return false
            }
        }
    }
}
