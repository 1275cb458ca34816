import Basics
import Bridge
import Console
import HTTPServer
import Posix
import Store

/// What goes to those who look: the status and the tiles that have changed, a few times a second at the most, whatever
/// happens and however slow one of them is.
actor HudWire {
    nonisolated let executor: any SerialExecutor & TaskExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let desk: HudDesk
    private let bridge: any HudBridge
    private let time: any TimeSource
    /// A page that has missed more loads everything again.
    nonisolated let feed = EventFeed(remembers: 64)
    private nonisolated let changed = Signal()

    private var last: UInt64 = 0
    private var status = ""
    private var statusAt = Duration.zero
    private var tiles: [CaptureID: String] = [:]
    private var wasWatched = false
    private var problem: String?

    /// Between two looks, and the longest that something unreported waits for one.
    private static let pause = Duration.milliseconds(250)
    private static let beat = Duration.seconds(1)
    /// What has not changed is said again so often, so that a page knows that it is heard.
    private static let sign = Duration.seconds(5)

    init(
        desk: HudDesk, bridge: any HudBridge, time: any TimeSource,
        executor: any SerialExecutor & TaskExecutor
    ) {
        self.desk = desk
        self.bridge = bridge
        self.time = time
        self.executor = executor
    }

    /// Something has changed that the bridge does not report.
    nonisolated func lookAgain() { changed.fire() }

    /// Until the bridge ends.
    func follow(_ news: NewsSubscription) async {
        while await news.nextBatch() != nil { changed.fire() }
    }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await changed.wait(until: time.now + Self.beat, of: time)
            await publish()
            do {
                try await time.sleep(until: time.now + Self.pause)
            } catch {
                break
            }
        }
        feed.sendAway()
    }

    private func publish() async {
        guard feed.listeners > 0 else {
            // What happens meanwhile is not said: a page that comes back loads everything again.
            if wasWatched { send("again", "{}") }
            wasWatched = false
            return
        }
        wasWatched = true
        do {
            let status = try await bridge.status()
            let photos = try await desk.latest()
            send(status)
            send(photos)
            problem = nil
        } catch {
            // A page shows it in the place of what it cannot know.
            let text = "the ledger cannot be read: \(error)"
            if problem != text {
                send("trouble", JSONValue.object([(key: "text", value: .string(text))]).compact)
            }
            problem = text
        }
    }

    private func send(_ status: BridgeStatus) {
        var still = status
        still.at = nil
        let text = Self.json(still).compact
        guard text != self.status || time.now - statusAt >= Self.sign else { return }
        (self.status, statusAt) = (text, time.now)
        send("status", Self.json(status).compact)
    }

    private func send(_ photos: [HudPhoto]) {
        var now: [CaptureID: String] = [:]
        var fresh: [String] = []
        for photo in photos {
            let text = photo.json.compact
            now[photo.entry.id] = text
            if tiles[photo.entry.id] != text { fresh.append(text) }
        }
        tiles = now
        if !fresh.isEmpty { send("photos", "{\"photos\":[\(fresh.joined(separator: ","))]}") }
    }

    private func send(_ name: String, _ data: String) {
        last += 1
        feed.publish(ServerEvent(id: last, name: name, data: data))
    }

    static func json(_ status: BridgeStatus) -> JSONValue {
        ["status": status.json, "headline": StatusHeadline(status).json]
    }

    /// Everything, and behind which message it was looked at.
    func snapshot() async throws -> (position: UInt64, status: BridgeStatus, photos: [HudPhoto]) {
        let position = last
        let status = try await bridge.status()
        return (position, status, try await desk.latest())
    }
}
