import Basics
import Bridge
import Testing

/// Statuses as they come up in an evening, and how each is read: the text's lines were written down by hand, one hour east
/// of UTC, and so was what has to stand in the JSON.
enum StatusTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let status: BridgeStatus
        let text: [String]
        let json: [String]

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        idle, running, paused, closed, held, full, lost, waitingForOK, failures, many, strange, silent,
        called, underWay, edited,
    ]

    static func at(_ time: String) -> Timestamp {
        Timestamp(rfc3339: "2026-11-23T\(time)Z") ?? Timestamp(milliseconds: 0)
    }

    private static func wedding(_ change: (inout BridgeStatus) -> Void) -> BridgeStatus {
        var status = BridgeStatus()
        status.at = at("20:00:00")
        status.event = BridgeStatus.Event(id: "e", name: "Wedding")
        change(&status)
        return status
    }

    private static func live(_ change: (inout BridgeStatus) -> Void) -> BridgeStatus {
        wedding { status in
            (status.isRunning, status.isLive) = (true, true)
            change(&status)
        }
    }

    private static func desk(_ jobs: [JobGroup: Int] = [:]) -> BridgeStatus.Destination {
        BridgeStatus.Destination(url: "file:///desk", kind: .direct, jobs: jobs)
    }

    private static func camera(
        _ phase: BridgeStatus.CameraPhase?, _ state: String?, since: String? = nil
    ) -> BridgeStatus.Camera {
        var camera = BridgeStatus.Camera(
            address: "192.168.1.1:15740", name: "Canon EOS R5 042", state: state, phase: phase)
        camera.since = since.map { at($0) }
        return camera
    }

    private static let idle = Row(
        name: "idle",
        status: wedding { $0.destinations = [desk()] },
        text: [
            "Wedding: not running",
            "photos     none yet",
            "deliveries nothing to deliver yet",
            "to         file:///desk  nothing yet",
        ],
        json: [#""running":false,"live":false"#, #""oldest":null,"cameras":[]"#, #""spool":null"#])

    private static let running = Row(
        name: "running",
        status: live { status in
            status.photos = [.staged: 12, .receiving: 1]
            status.jobs = [.completed: 10, .queued: 1, .uploading: 1]
            status.bytes = [.completed: 80_000_000]
            let oldest = BridgeStatus.Waiting(
                capture: CaptureID(11), name: "P11.JPG", since: at("19:59:50"))
            status.oldest = oldest
            var body = camera(.fetching, "connected, fetching P13.JPG", since: "19:40:00")
            body.toFetch = 1
            body.jobs = [.completed: 10, .queued: 1, .uploading: 1]
            status.cameras = [body]
            var place = desk([.completed: 10, .queued: 1, .uploading: 1])
            place.way = "wlan0 is Wi-Fi: 3 at a time"
            place.slots = 3
            place.rate = BridgeStatus.Rate(photosPerMinute: 12.5, bytesPerMinute: 96_000_000)
            place.untilDrained = .milliseconds(9600)
            place.oldest = oldest
            place.confirmation = BridgeStatus.Confirmation(
                photos: 10, median: .milliseconds(4100), p95: .seconds(12), promised: 10, inTime: 9)
            status.destinations = [place]
            status.stagedBytes = 96_000_000
            status.note(BridgeStatus.Disk(free: 12_300_000_000, total: 64_000_000_000, reserve: 300_000_000))
        },
        text: [
            "Wedding: running",
            "photos     1 receiving, 12 staged",
            "deliveries 1 queued, 1 uploading, 10 completed",
            "oldest     P11.JPG waits since 20:59, for 10 s",
            "camera     192.168.1.1:15740  Canon EOS R5 042  connected, fetching P13.JPG, 1 to fetch",
            "           deliveries: 1 queued, 1 uploading, 10 completed",
            "to         file:///desk  1 queued, 1 uploading, 10 completed  (wlan0 is Wi-Fi: 3 at a time)",
            "           12.5 photos, 96.0 MB a minute; what waits is there in 9.6 s",
            "           confirmed 4.1 s after the shutter, 95 in 100 within 12 s; 90 % as promised",
            "spool      12.3 GB free, room for about 1500 photos",
        ],
        json: [
            #""at":"2026-11-23T20:00:00.000Z","running":true,"live":true,"paused":false"#,
            #""oldest":{"capture":11,"name":"P11.JPG","since":"2026-11-23T19:59:50.000Z"}"#,
            #""jobs":{"queued":1,"uploading":1,"awaiting":0,"completed":10,"failed":0},"hold":null"#,
            #""toFetch":1,"jobs":{"queued":1,"uploading":1,"awaiting":0,"completed":10,"failed":0},"lastError":null}"#,
            #""rate":{"photosPerMinute":12.5,"bytesPerMinute":96000000},"drainedInSeconds":9.6"#,
            #""shutterToConfirmed":{"photos":10,"medianSeconds":4.1,"p95Seconds":12.0,"promised":10,"#
                + #""inTime":9,"inTimeShare":0.9}"#,
            #""spool":{"free":12300000000,"total":64000000000,"reserve":300000000,"photosLeft":1500,"hold":null,"advice":null}"#,
        ])

    private static let paused = Row(
        name: "paused",
        status: live { status in
            status.isPaused = true
            status.jobs = [.queued: 3]
            status.destinations = [desk([.queued: 3])]
        },
        text: [
            "Wedding: running, PAUSED: 'tetherline resume' goes on",
            "photos     none yet",
            "deliveries 3 queued",
            "to         file:///desk  3 queued",
        ],
        json: [#""paused":true"#])

    private static let closed = Row(
        name: "window closed",
        status: wedding { status in
            status.window = EventWindow(
                openedAt: at("08:00:00"), closedAt: at("18:30:00"))
            status.unattended = 4
            status.photos = [.staged: 2]
            status.jobs = [.completed: 2]
            status.destinations = [desk([.completed: 2])]
        },
        text: [
            "Wedding: not running",
            "closed     19:30: what was shot since stays on the card; a run opens the event again",
            "left out   4 photos that were shot while no bridge ran: 'tetherline events take' downloads them, "
                + "'tetherline events decline' leaves them on the card",
            "photos     2 staged",
            "deliveries 2 completed",
            "to         file:///desk  2 completed",
        ],
        json: [
            #""window":{"openedAt":"2026-11-23T08:00:00.000Z","closedAt":"2026-11-23T18:30:00.000Z"},"unattended":4"#
        ])

    private static let held = Row(
        name: "held destination",
        status: live { status in
            status.jobs = [.queued: 7]
            var gallery = BridgeStatus.Destination(
                url: "https://g", kind: .gallery, jobs: [.queued: 4],
                hold: .init(cause: .consent, reason: "consent is missing", since: at("19:58:30")))
            gallery.lastError = .init(
                at: at("19:58:30"), kind: .connection, reason: "consent is missing", advice: "a")
            var server = BridgeStatus.Destination(
                url: "sftp://s", kind: .direct, jobs: [.queued: 3],
                hold: .init(cause: nil, reason: "no answer", since: at("19:59:00")),
                way: "no way leads there: 0", slots: 0)
            server.lastError = .init(
                at: at("19:50:00"), photo: "P1.JPG", kind: .photo, reason: "it was refused",
                advice: "look at it.")
            status.destinations = [gallery, server]
        },
        text: [
            "Wedding: running",
            "photos     none yet",
            "deliveries 7 queued",
            "to         https://g  4 queued",
            "           waits since 20:58: consent is missing",
            "           to do: read and give the consent: 'tetherline consent --give'; it goes on by itself then.",
            "to         sftp://s  3 queued",
            "           no way for photos: no way leads there: 0 at a time; 'tetherline network' says more",
            "           waits since 20:59: no answer",
            "           last error 20:50: P1.JPG: it was refused",
            "           to do: look at it.",
        ],
        json: [
            #""hold":{"cause":"consent","reason":"consent is missing","since":"2026-11-23T19:58:30.000Z","#,
            #""hold":{"cause":null,"reason":"no answer","since":"2026-11-23T19:59:00.000Z","advice":"nothing: "#,
            #""lastError":{"at":"2026-11-23T19:50:00.000Z","photo":"P1.JPG","reason":"it was refused","advice":"look at it.","kind":"photo","needsOperator":true}"#,
        ])
}
