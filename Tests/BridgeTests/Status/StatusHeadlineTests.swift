import Bridge
import Testing

/// What a status comes to in one second's look: the table was written from what an operator has to know first.
@Suite struct StatusHeadlineTests {
    private static func status(_ change: (inout BridgeStatus) -> Void) -> BridgeStatus {
        var status = BridgeStatus()
        (status.isRunning, status.isLive) = (true, true)
        status.destinations = [BridgeStatus.Destination(url: "https://gallery.example/", kind: .gallery)]
        change(&status)
        return status
    }

    private static func hold(_ cause: HoldCause?, _ reason: String) -> BridgeStatus.Destination.Hold {
        BridgeStatus.Destination.Hold(cause: cause, reason: reason)
    }

    private static func camera(_ phase: BridgeStatus.CameraPhase, _ state: String) -> BridgeStatus.Camera {
        BridgeStatus.Camera(address: "192.168.1.1:15740", name: "Z 8", state: state, phase: phase)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: BridgeStatus
        let tone: StatusHeadline.Tone
        /// These words stand in the title, and these in the sentence.
        let title: String
        let detail: String

        init(
            _ name: String, _ tone: StatusHeadline.Tone, _ title: String, _ detail: String,
            _ change: (inout BridgeStatus) -> Void
        ) {
            testDescription = name
            status = StatusHeadlineTests.status(change)
            (self.tone, self.title, self.detail) = (tone, title, detail)
        }
    }

    static let rows = [
        Row("nothing yet", .good, "Ready", "first photo") { _ in },
        Row("photos on their way", .good, "flowing", "2 still on the camera, 4 on their way") { status in
            status.photos = [.staged: 9]
            status.jobs = [.queued: 3, .uploading: 1, .completed: 5]
            var body = camera(.fetching, "fetching")
            body.toFetch = 2
            status.cameras = [body]
        },
        Row("all is there", .good, "delivered", "1 photo so far") { status in
            status.photos = [.staged: 1]
            status.jobs = [.completed: 1]
        },
        Row("no destination", .good, "kept here", "destination add") { status in
            status.destinations = []
            status.photos = [.staged: 1]
        },
        Row("a dead uplink", .warning, "No photos reach gallery.example", "did not answer. Photos are safe") {
            $0.destinations[0].hold = hold(nil, "it did not answer")
            $0.jobs = [.queued: 4]
        },
        Row("no network", .warning, "No network for gallery.example", "metered") { status in
            (status.destinations[0].slots, status.destinations[0].way) = (0, "usb0 is metered: 0")
        },
        Row("a camera that is away", .warning, "Z 8 is away", "no answer.") {
            $0.cameras = [camera(.idle, "connected"), camera(.lost, "no answer")]
        },
        Row("a camera that waits for OK, before one that is away", .warning, "needs a hand", "press OK") {
            $0.cameras = [camera(.lost, "no answer"), camera(.waitingForOK, "press OK on the camera")]
        },
        Row("paused, before a camera's trouble", .warning, "Paused", "kept here") { status in
            status.isPaused = true
            status.cameras = [camera(.lost, "no answer")]
        },
        Row(
            "failed, before the pause", .bad, "3 deliveries have failed",
            "the name is refused. To do: mend it"
        ) {
            $0.isPaused = true
            $0.jobs = [.failed: 3]
            $0.destinations[0].lastError = BridgeStatus.Trouble(
                at: nil, kind: .failure, reason: "the name is refused", advice: "mend it")
        },
        Row("logged out, before what failed", .bad, "gallery.example waits for you", "log in again") {
            status in
            status.jobs = [.failed: 3]
            status.destinations[0].hold = hold(.loggedOut, "the log-in has ended")
        },
        Row("a full disk, before all else", .bad, "The disk takes no photos", "make room") { status in
            status.destinations[0].hold = hold(.loggedOut, "the log-in has ended")
            status.spool = BridgeStatus.Disk(free: 1, total: 2)
            status.spool?.hold = "there is no room."
            status.spool?.advice = "make room."
        },
    ]

    @Test("what costs photos comes first, and what passes by itself last", arguments: rows)
    func headlines(row: Row) {
        let headline = StatusHeadline(row.status)
        #expect(headline.tone == row.tone)
        #expect(headline.title.contains(row.title), "\(headline.title)")
        #expect(headline.detail.contains(row.detail), "\(headline.detail)")
    }

    @Test(
        "a destination's short name is its host, or the last part of a folder",
        arguments: [
            ("https://gallery.example:8080/", "gallery.example:8080"),
            ("s3://weddings/2026?region=x", "weddings"),
            ("sftp://desk@10.0.0.5/photos", "10.0.0.5"), ("file:///media/desk/wedding?link=hard", "wedding"),
            ("file:///", "file:///"),
        ])
    func shortNames(url: String, name: String) {
        #expect(BridgeStatus.Destination(url: url, kind: .direct).shortName == name)
    }
}
