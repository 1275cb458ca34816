import Basics
import Bridge

/// What goes wrong, and what is not easily shown.
extension StatusTable {
    private static func live(_ change: (inout BridgeStatus) -> Void) -> BridgeStatus {
        var status = BridgeStatus()
        status.at = at("20:00:00")
        status.event = BridgeStatus.Event(id: "e", name: "Wedding")
        (status.isRunning, status.isLive) = (true, true)
        change(&status)
        return status
    }

    static let full = Row(
        name: "full disk",
        status: live { status in
            var camera = BridgeStatus.Camera(
                address: "10.0.0.2:15740", state: "connected, nothing is fetched: no room", phase: .held)
            camera.since = at("19:55:00")
            camera.lastError = .init(
                at: at("19:55:00"), kind: .disk, reason: "no room", advice: "make room.")
            status.cameras = [camera]
            status.photos = [.staged: 2]
            status.stagedBytes = 20_000_000
            var disk = BridgeStatus.Disk(free: 2_000_000, total: 64_000_000_000, reserve: 2_147_483_648)
            (disk.hold, disk.advice) = ("no room", "make room.")
            status.note(disk)
        },
        text: [
            "Wedding: running",
            "photos     2 staged",
            "deliveries nothing to deliver yet",
            "camera     10.0.0.2:15740  connected, nothing is fetched: no room  (since 20:55)",
            "           to do: make room.",
            "spool      2.0 MB free, room for about 0 photos",
            "           nothing is fetched: no room",
        ],
        json: [
            #""phase":"held","loss":null,"since":"2026-11-23T19:55:00.000Z""#,
            #""spool":{"free":2000000,"total":64000000000,"reserve":2147483648,"photosLeft":0,"hold":"no room","advice":"make room."}"#,
        ])

    static let lost = Row(
        name: "camera lost",
        status: live { status in
            var camera = BridgeStatus.Camera(
                address: "10.0.0.2:15740", name: "Nikon Z 9", state: "no connection: no route to it",
                phase: .lost)
            camera.loss = "unreachable"
            camera.since = Timestamp(rfc3339: "2026-11-22T21:10:00Z")
            camera.lastError = .init(
                at: at("19:59:59"), kind: .connection, reason: "no route to it", advice: "check the camera.")
            status.cameras = [camera]
        },
        text: [
            "Wedding: running",
            "photos     none yet",
            "deliveries nothing to deliver yet",
            "camera     10.0.0.2:15740  Nikon Z 9  no connection: no route to it  (since 2026-11-22 22:10)",
            "           to do: check the camera.",
        ],
        json: [
            #""state":"no connection: no route to it","phase":"lost","loss":"unreachable","since":"2026-11-22T21:10:00.000Z""#
        ])

    static let waitingForOK = Row(
        name: "waiting for OK",
        status: live { status in
            var camera = BridgeStatus.Camera(
                address: "10.0.0.2:15740", state: "press OK on the camera", phase: .waitingForOK)
            camera.since = at("19:59:00")
            status.cameras = [camera]
        },
        text: [
            "Wedding: running",
            "photos     none yet",
            "deliveries nothing to deliver yet",
            "camera     10.0.0.2:15740  press OK on the camera  (since 20:59)",
        ],
        json: [#""phase":"waitingForOK""#])

    static let failures = Row(
        name: "failures",
        status: live { status in
            status.photos = [.staged: 3, .abandoned: 1]
            status.jobs = [.completed: 1, .failed: 2]
            var place = BridgeStatus.Destination(
                url: "file:///desk", kind: .direct, jobs: [.completed: 1, .failed: 2])
            place.lastError = .init(
                at: nil, photo: "P3.JPG", kind: .failure, reason: "name refused", advice: "retry it.")
            status.destinations = [place]
            status.missing = [
                .init(camera: "10.0.0.2:15740", capture: CaptureID(4), path: "100/P4.JPG", reason: "cut")
            ]
            status.notes = ["the ledger cannot be written: disk full"]
        },
        text: [
            "Wedding: running",
            "photos     3 staged, 1 given up for now ('tetherline journal' says why)",
            "deliveries 1 completed, 2 failed",
            "to         file:///desk  1 completed, 2 failed",
            "           last error: P3.JPG: name refused",
            "           to do: retry it.",
            "missing    100/P4.JPG: cut",
            "note       the ledger cannot be written: disk full",
        ],
        json: [
            #""lastError":{"at":null,"photo":"P3.JPG","reason":"name refused","advice":"retry it.","kind":"failure","needsOperator":true}"#,
            #""missing":[{"camera":"10.0.0.2:15740","capture":4,"path":"100/P4.JPG","reason":"cut"}]"#,
            #""notes":["the ledger cannot be written: disk full"]"#,
        ])

    static let many = Row(
        name: "a hundred thousand jobs",
        status: live { status in
            status.photos = [.staged: 100_000]
            status.jobs = [.queued: 99_000, .completed: 1000]
            status.bytes = [.queued: 990_000_000_000]
            var place = BridgeStatus.Destination(
                url: "file:///desk", kind: .direct, jobs: [.queued: 99_000, .completed: 1000])
            place.rate = .init(photosPerMinute: 300, bytesPerMinute: 3_000_000_000)
            place.untilDrained = .seconds(19_800)
            status.destinations = [place]
        },
        text: [
            "Wedding: running",
            "photos     100000 staged",
            "deliveries 99000 queued, 1000 completed",
            "to         file:///desk  99000 queued, 1000 completed",
            "           300 photos, 3.0 GB a minute; what waits is there in 5 h 30 min",
        ],
        json: [#""bytes":{"queued":990000000000,"#, #""drainedInSeconds":19800.0"#])

    static let strange = Row(
        name: "names with control characters and wide characters",
        status: live { status in
            status.event = .init(id: "e", name: "結婚式\u{1B}[2J")
            status.oldest = .init(
                capture: CaptureID(1), name: "写真\u{202E}GPJ.\u{7}", since: at("18:00:00"))
            status.cameras = [.init(address: "a:1", name: "x\ny", state: "connected", phase: .idle)]
        },
        text: [
            #"結婚式\u{1B}[2J: running"#,
            "photos     none yet",
            "deliveries nothing to deliver yet",
            #"oldest     写真\u{202E}GPJ.\u{7} waits since 19:00, for 2 h"#,
            #"camera     a:1  x\u{A}y  connected"#,
        ],
        json: [#""name":"結婚式\u001b[2J""#, #""name":"写真"# + "\u{202E}" + #"GPJ.\u0007""#, #""name":"x\ny""#])

    static let silent = Row(
        name: "a bridge that gives no answer",
        status: live { status in
            status.isLive = false
            status.jobs = [.queued: 1, .uploading: 2]
            status.destinations = [
                .init(
                    url: "file:///desk", kind: .direct, jobs: [.queued: 1, .uploading: 2],
                    hold: .init(cause: nil, reason: "no answer"))
            ]
            status.count(sending: [:])
        },
        text: [
            "Wedding: a bridge runs and does not answer; this is what its ledger says",
            "photos     none yet",
            "deliveries 3 queued",
            "to         file:///desk  3 queued",
            "           waits: no answer",
        ],
        json: [#""running":true,"live":false"#, #""jobs":{"queued":3,"uploading":0,"awaiting":0"#])

    static let called = Row(
        name: "the operator has been called",
        status: live { status in
            status.alerts = [
                .init(
                    rule: .cameraLost, subject: "10.0.0.2:15740", since: at("19:58:00"),
                    text: "Nikon Z 9 (10.0.0.2:15740) is not connected", advice: "look at it."),
                .init(
                    rule: .diskLow, since: at("19:30:00"), text: "room for about 12 more photos",
                    advice: "make room."),
            ]
        },
        text: [
            "Wedding: running",
            "ALERT      Nikon Z 9 (10.0.0.2:15740) is not connected  (since 20:58)",
            "ALERT      room for about 12 more photos  (since 20:30)",
            "           to do: make room.",
            "photos     none yet",
            "deliveries nothing to deliver yet",
        ],
        json: [
            #""alerts":[{"alert":"cameraLost","subject":"10.0.0.2:15740","since":"2026-11-23T19:58:00.000Z","#,
            #"{"alert":"diskLow","subject":null,"since":"2026-11-23T19:30:00.000Z","text":"room for about 12 more "#
                + #"photos","advice":"make room."}]"#,
        ])
}
