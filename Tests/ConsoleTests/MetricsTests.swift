import Basics
import Bridge
import Console
import Posix
import TestSupport
import Testing

/// The figures of the same table of statuses, as Prometheus reads them.
@Suite struct MetricsTests {
    private static func figures(_ status: BridgeStatus?) -> String {
        MetricsText.render(status, ProgramFigures(version: "1.2"))
    }

    private static func lines(_ status: BridgeStatus?) -> Set<String> {
        Set(figures(status).split(separator: "\n").map(String.init))
    }

    private static func row(_ name: String) throws -> StatusTable.Row {
        try #require(StatusTable.rows.first { $0.name == name })
    }

    private static let camera = #"camera="192.168.1.1:15740""#
    private static let body = #"camera="10.0.0.2:15740""#
    private static let desk = #"destination="file:///desk""#

    /// Written down by hand: what each status of the table has to show. 2026-11-23 20:00:00 UTC is 1795464000 (date -u +%s).
    private static let golden: [String: [String]] = [
        "idle": [
            "tetherline_bridge_up 0", "tetherline_bridge_live 0", "tetherline_paused 0",
            #"tetherline_build_info{version="1.2"} 1"#, "tetherline_status_timestamp_seconds 1795464000",
            #"tetherline_event_info{event="e",name="Wedding"} 1"#,
            #"tetherline_event_photos{event="e",state="staged"} 0"#,
            #"tetherline_destination_info{\#(desk),kind="direct"} 1"#,
            #"tetherline_destination_deliveries{event="e",\#(desk),state="queued"} 0"#,
        ],
        "running": [
            "tetherline_bridge_up 1", "tetherline_bridge_live 1",
            #"tetherline_event_photos{event="e",state="staged"} 12"#,
            #"tetherline_event_photos{event="e",state="receiving"} 1"#,
            #"tetherline_event_deliveries{event="e",state="completed"} 10"#,
            #"tetherline_event_delivery_bytes{event="e",state="completed"} 80000000"#,
            #"tetherline_event_oldest_waiting_timestamp_seconds{event="e"} 1795463990"#,
            #"tetherline_camera_info{\#(camera),name="Canon EOS R5 042"} 1"#,
            "tetherline_camera_connected{\(camera)} 1",
            #"tetherline_camera_phase{\#(camera),phase="fetching"} 1"#,
            #"tetherline_camera_phase{\#(camera),phase="lost"} 0"#,
            "tetherline_camera_phase_timestamp_seconds{\(camera)} 1795462800",
            #"tetherline_camera_waiting_photos{event="e",\#(camera)} 1"#,
            #"tetherline_camera_deliveries{event="e",\#(camera),state="failed"} 0"#,
            #"tetherline_destination_deliveries{event="e",\#(desk),state="uploading"} 1"#,
            #"tetherline_destination_hold{\#(desk),cause="temporary"} 0"#,
            "tetherline_destination_upload_limit{\(desk)} 3",
            "tetherline_destination_drain_seconds{\(desk)} 9.6",
            "tetherline_destination_oldest_waiting_timestamp_seconds{\(desk)} 1795463990",
            "tetherline_spool_free_bytes 12300000000", "tetherline_spool_size_bytes 64000000000",
            "tetherline_spool_reserve_bytes 300000000", "tetherline_spool_room_photos 1500",
            "tetherline_spool_full 0",
        ],
        "paused": ["tetherline_paused 1", #"tetherline_event_deliveries{event="e",state="queued"} 3"#],
        "window closed": [
            #"tetherline_event_unattended_photos{event="e"} 4"#, "tetherline_bridge_up 0",
        ],
        "held destination": [
            #"tetherline_destination_hold{destination="https://g",cause="consent"} 1"#,
            #"tetherline_destination_hold{destination="https://g",cause="temporary"} 0"#,
            #"tetherline_destination_hold{destination="sftp://s",cause="temporary"} 1"#,
            #"tetherline_destination_hold_timestamp_seconds{destination="https://g"} 1795463910"#,
            #"tetherline_destination_info{destination="https://g",kind="gallery"} 1"#,
            #"tetherline_destination_upload_limit{destination="sftp://s"} 0"#,
        ],
        "full disk": [
            "tetherline_spool_full 1", "tetherline_spool_room_photos 0",
            #"tetherline_camera_phase{\#(body),phase="held"} 1"#, "tetherline_camera_connected{\(body)} 1",
        ],
        "camera lost": [
            "tetherline_camera_connected{\(body)} 0", #"tetherline_camera_phase{\#(body),phase="lost"} 1"#,
        ],
        "waiting for OK": [
            "tetherline_camera_connected{\(body)} 0",
            #"tetherline_camera_phase{\#(body),phase="waitingForOK"} 1"#,
        ],
        "failures": [
            #"tetherline_destination_deliveries{event="e",\#(desk),state="failed"} 2"#,
            #"tetherline_event_missing_photos{event="e"} 1"#,
            #"tetherline_event_photos{event="e",state="abandoned"} 1"#,
        ],
        "edits on their way": [
            #"tetherline_destination_edits{destination="https://g",state="waiting"} 3"#,
            #"tetherline_destination_edits{destination="https://g",state="conflict"} 1"#,
            #"tetherline_destination_edits{destination="https://h",state="conflict"} 0"#,
        ],
        "a hundred thousand jobs": [
            #"tetherline_event_delivery_bytes{event="e",state="queued"} 990000000000"#,
            "tetherline_destination_drain_seconds{\(desk)} 19800",
        ],
        // A backslash is written twice; what a terminal would obey is not there at all.
        "names with control characters and wide characters": [
            #"tetherline_event_info{event="e",name="結婚式\\u{1B}[2J"} 1"#,
            #"tetherline_camera_info{camera="a:1",name="x\\u{A}y"} 1"#,
        ],
        "the operator has been called": [
            #"tetherline_alerts{alert="cameraLost"} 1"#, #"tetherline_alerts{alert="diskLow"} 1"#,
            #"tetherline_alerts{alert="queueOld"} 0"#,
        ],
        "photos under way": [
            #"tetherline_event_deliveries{event="e",state="uploading"} 2"#,
            #"tetherline_destination_deliveries{event="e",destination="file:///d",state="completed"} 480"#,
            #"tetherline_destination_deliveries{event="e",destination="file:///d",state="failed"} 1"#,
        ],
        "a bridge that gives no answer": ["tetherline_bridge_up 1", "tetherline_bridge_live 0"],
    ]

    @Test("each status shows the figures that were written down by hand", arguments: StatusTable.rows)
    func table(_ row: StatusTable.Row) throws {
        let lines = Self.lines(row.status)
        for line in try #require(Self.golden[row.name]) { #expect(lines.contains(line), "\(line)") }
    }

    @Test("what is not known is left out, and not zero")
    func unknown() throws {
        let text = Self.figures(try Self.row("idle").status)
        for name in [
            "oldest_waiting", "spool_", "drain_seconds", "upload_limit", "confirmed", "process_",
            "image_cache",
            "camera_connected",
        ] {
            #expect(!text.contains(name), "\(name)")
        }
        #expect(
            Set(Self.lines(nil).filter { !$0.hasPrefix("#") }) == [
                #"tetherline_build_info{version="1.2"} 1"#, "tetherline_bridge_up 0",
                "tetherline_bridge_live 0",
            ])
    }

    /// Every figure that there is.
    private static func everything() throws -> String {
        var status = try row("running").status
        var totals = ConfirmedTotals()
        let shot = StatusTable.at("19:00:00")
        for (seconds, deadline) in [(0.4, 30.0), (2, 30), (2.001, 1), (4000, nil)] as [(Double, Double?)] {
            totals.confirmed(
                bytes: 1000, shot: shot, deadline: deadline.map { shot + .milliseconds(Int64($0 * 1000)) },
                at: shot + .milliseconds(Int64(seconds * 1000)))
        }
        totals.confirmed(bytes: 500, shot: nil, deadline: nil, at: shot)
        status.destinations[0].confirmed = totals
        var path = NetworkPath(interface: "wlan0")
        path.kind = .wifi
        path.metered = .init(true, because: "it says so")
        status.destinations[0].path = path
        status.cameras[0].lastPhoto = StatusTable.at("19:59:50")
        status.cameras.append(.init(address: "9.9.9.9:15740", name: "Nobody", phase: .new))
        var cache = ProgramFigures.ImageCache()
        (cache.fromMemory, cache.fromDisk, cache.fromNetwork, cache.failed) = (7, 5, 3, 1)
        (cache.memoryBytes, cache.diskBytes) = (1024, 4096)
        let process = ProcessFigures(
            processorSeconds: 12.5, residentBytes: 40_000_000, virtualBytes: 900_000_000, openFiles: 33,
            mostFiles: 1024)
        return MetricsText.render(
            status, ProgramFigures(version: "1.2", process: process, imageCache: cache))
    }

    @Test(
        "from the shutter to the receipt is a histogram: buckets that hold those before them, sum and count")
    func histogram() throws {
        let lines = Set(try Self.everything().split(separator: "\n").map(String.init))
        let name = "tetherline_destination_shutter_to_confirmed_seconds"
        // 0.4 s, 2 s, 2.001 s and 4000 s; the photo whose shutter is not known counts as one, and took no time.
        let buckets = [
            ("1", 1), ("2", 2), ("5", 3), ("10", 3), ("20", 3), ("30", 3), ("60", 3), ("120", 3), ("300", 3),
            ("600", 3), ("1800", 3), ("3600", 3), ("+Inf", 4),
        ]
        for (bound, count) in buckets {
            #expect(lines.contains("\(name)_bucket{\(Self.desk),le=\"\(bound)\"} \(count)"), "\(bound)")
        }
        #expect(lines.contains("\(name)_sum{\(Self.desk)} 4004.401"))
        #expect(lines.contains("\(name)_count{\(Self.desk)} 4"))
        #expect(lines.contains("tetherline_destination_confirmed_photos_total{\(Self.desk)} 5"))
        #expect(lines.contains("tetherline_destination_confirmed_bytes_total{\(Self.desk)} 4500"))
        #expect(lines.contains("tetherline_destination_promised_photos_total{\(Self.desk)} 3"))
        #expect(lines.contains("tetherline_destination_in_time_photos_total{\(Self.desk)} 2"))
        #expect(
            lines.contains(
                #"tetherline_destination_network_info{\#(Self.desk),interface="wlan0",kind="wifi"} 1"#))
        #expect(lines.contains("tetherline_destination_network_metered{\(Self.desk)} 1"))
        #expect(lines.contains(#"tetherline_image_cache_requests_total{source="disk"} 5"#))
        #expect(lines.contains("tetherline_process_cpu_seconds_total 12.5"))
        #expect(lines.contains("tetherline_process_open_fds 33"))
        #expect(lines.contains("tetherline_camera_last_photo_timestamp_seconds{\(Self.camera)} 1795463990"))
        // What any device in the network can announce makes no series.
        #expect(lines.contains("tetherline_cameras_not_added 1"))
        #expect(!lines.contains { $0.contains("9.9.9.9") || $0.contains("Nobody") })
    }

    @Test("no label holds a password or a photo's name, and many cameras do not make many series")
    func labels() throws {
        var status = try Self.row("failures").status
        status.destinations[0].url = "sftp://ann:hunter2@desk.example/in?name={name}"
        status.oldest = .init(capture: CaptureID(1), name: "P1.JPG", since: StatusTable.at("19:00:00"))
        status.cameras = (0..<1000).map { .init(address: "10.0.\($0 / 250).\($0 % 250):1", phase: .idle) }
        let text = Self.figures(status)
        #expect(text.contains(#"destination="sftp://ann@desk.example/in?name={name}""#))
        for secret in ["hunter2", "P1.JPG", "P3.JPG", "P4.JPG"] { #expect(!text.contains(secret)) }
        let connected = text.split(separator: "\n").count { $0.hasPrefix("tetherline_camera_connected{") }
        #expect(connected == 200)
    }

    @Test("no series is there twice, and what belongs together stands together", arguments: StatusTable.rows)
    func unique(_ row: StatusTable.Row) {
        var seen: Set<Substring> = []
        var families: [Substring] = []
        for line in Self.figures(row.status).split(separator: "\n") {
            if line.hasPrefix("# TYPE ") { families.append(line.split(separator: " ")[2]) }
            guard !line.hasPrefix("#"), let end = line.lastIndex(of: " ") else { continue }
            #expect(seen.insert(line[..<end]).inserted, "\(line)")
            #expect(line.hasPrefix(families.last ?? "?"), "\(line)")
        }
        #expect(Set(families).count == families.count)
    }

    @Test("quotes, backslashes and ends of lines in names stay in their label")
    func escapes() throws {
        var status = try Self.row("idle").status
        status.event = .init(id: "e", name: #"Ann "& Bob" C:\new"#)
        #expect(
            Self.lines(status).contains(
                #"tetherline_event_info{event="e",name="Ann \"& Bob\" C:\\new"} 1"#))
    }

    @Test(
        "Prometheus' own program finds nothing to say about any of them, and something about what is wrong",
        .enabled(if: Tool.isThere("promtool"), "promtool is not installed"))
    func promtool() throws {
        let promtool = try #require(Tool("promtool"))
        func judged(_ text: String) throws -> (code: Int32, said: String) {
            let answer = try promtool.run(["check", "metrics"], input: Array(text.utf8))
            return (answer.code, answer.text + answer.errors)
        }
        let texts =
            StatusTable.rows.map { Self.figures($0.status) } + [Self.figures(nil), try Self.everything()]
        for text in texts {
            let (code, said) = try judged(text)
            #expect(code == 0 && said.isEmpty, "\(said)")
        }
        let whole = try Self.everything()
        for broken in [
            whole.replacing("_photos_total", with: "_photos"), whole + "# TYPE tetherline_paused gauge\n",
            whole.replacing("Wedding", with: "Wed\"ding"), whole.replacing("_seconds", with: "_minutes"),
        ] {
            let (code, said) = try judged(broken)
            #expect(code != 0, "\(said)")
        }
    }
}
