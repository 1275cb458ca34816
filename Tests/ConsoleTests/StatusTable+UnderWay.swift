import Basics
import Bridge

/// Photos whose bytes move, and one that failed.
extension StatusTable {
    static let underWay = Row(
        name: "photos under way",
        status: {
            var status = BridgeStatus()
            status.at = at("20:00:00")
            (status.isRunning, status.isLive) = (true, true)
            status.event = .init(id: "e", name: "Wedding of Anna and Bert")
            status.jobs = [.queued: 3, .uploading: 2, .completed: 480, .failed: 1]
            status.cameras = [
                .init(address: "a:1", name: "Z 8", state: "connected, fetching P13.JPG", phase: .fetching)
            ]
            status.underWay = BridgeStatus.UnderWay(
                photos: [
                    .init(
                        .from("a:1"), capture: CaptureID(3), name: "DCIM/100/P13.JPG", size: 8_400_000,
                        done: 4_200_000),
                    .init(
                        .to("file:///d"), capture: CaptureID(1), name: "P11.JPG", size: 8_000_000,
                        done: 9_000_000
                    ),
                    .init(.to("file:///d"), capture: CaptureID(2), name: "P12.JPG", size: nil, done: 500),
                ], sent: 1)
            status.destinations = [
                .init(url: "file:///d", kind: .direct, jobs: status.jobs)
            ]
            status.failures = [
                .init(
                    .init(
                        at: at("19:50:00"), photo: "P1.JPG", kind: .failure, reason: "it was refused",
                        advice: "look at it."), place: "file:///d", capture: CaptureID(9), job: JobID(9))
            ]
            return status
        }(),
        text: [
            "Wedding of Anna and Bert: running", "photos     none yet",
            "deliveries 3 queued, 2 uploading, 480 completed, 1 failed",
            "camera     a:1  Z 8  connected, fetching P13.JPG",
            "to         file:///d  3 queued, 2 uploading, 480 completed, 1 failed",
        ],
        json: [
            #""underWay":[{"name":"DCIM/100/P13.JPG","capture":3,"from":"a:1","to":null,"bytes":8400000,"done":4200000}"#,
            // What was sent twice is not more than all.
            #""name":"P11.JPG","capture":1,"from":null,"to":"file:///d","bytes":8000000,"done":8000000}"#,
            #""bytes":null,"done":500}],"sentBytes":1,"failures":[{"at":"2026-11-23T19:50:00.000Z","photo":"P1.JPG","#
                + #""capture":9,"job":9,"place":"file:///d","reason":"it was refused","advice":"look at it.","#
                + #""kind":"failure","needsOperator":true}]"#,
        ])

    static let edited = Row(
        name: "edits on their way",
        status: {
            var status = BridgeStatus()
            status.at = at("20:00:00")
            (status.isRunning, status.isLive) = (true, true)
            status.event = .init(id: "e", name: "Wedding")
            var (one, other) = (
                BridgeStatus.Destination(url: "https://g", kind: .gallery),
                BridgeStatus.Destination(url: "https://h", kind: .gallery)
            )
            one.edits = .init(waiting: 3, withoutUpload: 2, conflicts: 1)
            other.edits = .init(waiting: 1)
            status.destinations = [one, other]
            return status
        }(),
        text: [
            "Wedding: running", "photos     none yet", "deliveries nothing to deliver yet",
            "to         https://g  nothing yet",
            "           3 edits not sent yet, 2 of them before their photo's upload: 'tetherline sync' says more",
            "           1 edit not taken there: 'tetherline sync' shows which",
            "to         https://h  nothing yet",
            "           1 edit not sent yet: 'tetherline sync' says more",
        ],
        json: [#""edits":{"waiting":3,"withoutUpload":2,"conflicts":1},"lastError":null"#])
}
