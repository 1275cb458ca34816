package import Bridge
import Posix

/// A status as Prometheus reads it. Seconds, bytes and counts, as its conventions have them; what grows since the bridge
/// began ends in `_total`, and rates are for the reader to work out.
///
/// No label holds a photo's name or a secret: each is an event, a camera, a destination or a word of a fixed list.
package struct MetricsText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"
    /// Cameras and destinations of each that are shown: an event has a few, and each is many series.
    private static let most = 200

    private let status: BridgeStatus
    private var writer = MetricsWriter()
    private typealias Sample = MetricsWriter.Sample
    private typealias Labels = MetricsWriter.Labels

    /// `status` is nothing where there is no event yet.
    package static func render(_ status: BridgeStatus?, _ figures: ProgramFigures) -> String {
        var text = MetricsText(status: status ?? BridgeStatus())
        text.writeBridge(figures)
        if status?.event != nil {
            text.writeEvent()
            text.writeCameras()
            text.writeDestinations()
            text.writePaths()
            text.writeConfirmed()
            text.writeSpool()
            text.writeAlerts()
        }
        text.write(figures.process)
        text.write(figures.imageCache)
        return text.writer.text
    }

    private init(status: BridgeStatus) {
        self.status = status
    }

    private var event: Labels { [(name: "event", value: status.event?.id ?? "")] }
    /// What only announces itself is not ours: any device in the network can make up any number of names.
    private var cameras: [BridgeStatus.Camera] {
        Array(status.cameras.filter { $0.phase != .new }.prefix(Self.most))
    }
    private var destinations: [BridgeStatus.Destination] { Array(status.destinations.prefix(Self.most)) }

    private static func of(_ camera: BridgeStatus.Camera) -> Labels {
        [(name: "camera", value: camera.address)]
    }

    private static func of(_ destination: BridgeStatus.Destination) -> Labels {
        [(name: "destination", value: destination.label)]
    }

    private static func states<State: RawRepresentable<String> & CaseIterable & Hashable>(
        _ labels: Labels, _ counts: [State: some BinaryInteger], of _: State.Type
    ) -> [Sample] {
        State.allCases.map { state in
            Sample(labels + [(name: "state", value: state.rawValue)], counts[state] ?? 0)
        }
    }

    // MARK: The whole

    private mutating func writeBridge(_ figures: ProgramFigures) {
        writer.add(
            "tetherline_build_info", "The version that says this.",
            [Sample([(name: "version", value: figures.version)], 1)])
        writer.add("tetherline_bridge_up", "Whether a bridge runs in this home.", [Sample(status.isRunning)])
        writer.add(
            "tetherline_bridge_live",
            "Whether the bridge has said this itself; otherwise its ledger was read.", [Sample(status.isLive)]
        )
        writer.add(
            "tetherline_status_timestamp_seconds", "When this was so.", [status.at.map { Sample(at: $0) }])
    }

    private mutating func writeAlerts() {
        writer.add(
            "tetherline_alerts", "What the operator has been called for and is not over.",
            AlertRule.allCases.map { rule in
                Sample(
                    [(name: "alert", value: rule.rawValue)], status.alerts.count { $0.rule == rule })
            })
    }

    private mutating func writeEvent() {
        guard let known = status.event else { return }
        writer.add(
            "tetherline_paused", "Whether the operator has paused deliveries.", [Sample(status.isPaused)])
        writer.add(
            "tetherline_event_info", "The event that photos are taken into.",
            [Sample(event + [(name: "name", value: known.name)], 1)])
        writer.add(
            "tetherline_event_photos", "Photos of the event, by what became of them.",
            Self.states(event, status.photos, of: CaptureState.self))
        writer.add(
            "tetherline_event_unattended_photos",
            "Photos shot while no bridge ran for long, of which the operator has said nothing yet.",
            [Sample(event, status.unattended)])
        writer.add(
            "tetherline_event_missing_photos", "Photos that this run has given up or lost, up to a hundred.",
            [Sample(event, status.missing.count)])
        writer.add(
            "tetherline_event_deliveries",
            "Deliveries of the event to all destinations, by where they stand.",
            Self.states(event, status.jobs, of: JobGroup.self))
        writer.add(
            "tetherline_event_delivery_bytes", "Bytes of these deliveries.",
            Self.states(event, status.bytes, of: JobGroup.self))
        writer.add(
            "tetherline_event_cancelled_deliveries", "Deliveries that the operator has taken back.",
            [Sample(event, status.cancelled)])
        writer.add(
            "tetherline_event_oldest_waiting_timestamp_seconds",
            "Since when the photo that waits longest is in the spool.",
            [status.oldest.map { Sample(event, at: $0.since) }])
    }

    // MARK: Cameras

    private mutating func writeCameras() {
        writer.add(
            "tetherline_cameras_not_added", "Cameras that announce themselves and are not connected to.",
            [Sample(status.cameras.count { $0.phase == .new })])
        writer.add(
            "tetherline_camera_info", "The camera at an address, once it has been met.",
            cameras.map { camera in
                camera.name.map { Sample(Self.of(camera) + [(name: "name", value: $0)], 1) }
            })
        writer.add(
            "tetherline_camera_connected", "Whether photos can come from it now.",
            cameras.map { camera in
                camera.phase.map { Sample(Self.of(camera), $0.isConnected) }
            })
        writer.add(
            "tetherline_camera_phase", "What its connection is doing: 1 for that, 0 for all else.",
            cameras.flatMap { camera -> [Sample] in
                guard let phase = camera.phase else { return [] }
                return BridgeStatus.CameraPhase.allCases.filter { $0 != .new }.map {
                    Sample(Self.of(camera) + [(name: "phase", value: $0.rawValue)], $0 == phase)
                }
            })
        writer.add(
            "tetherline_camera_phase_timestamp_seconds",
            "Since when; between two tries to connect, since when it is away.",
            cameras.map { camera in camera.since.map { Sample(Self.of(camera), at: $0) } })
        writer.add(
            "tetherline_camera_waiting_photos",
            "Photos of the event that it has shown and that are not here yet.",
            cameras.map { Sample(event + Self.of($0), $0.toFetch) })
        writer.add(
            "tetherline_camera_deliveries",
            "Deliveries of its photos to all destinations, by where they stand.",
            cameras.flatMap { Self.states(event + Self.of($0), $0.jobs, of: JobGroup.self) })
        writer.add(
            "tetherline_camera_last_photo_timestamp_seconds", "When its latest photo was here.",
            cameras.map { camera in camera.lastPhoto.map { Sample(Self.of(camera), at: $0) } })
    }

    // MARK: Destinations

    private mutating func writeDestinations() {
        writer.add(
            "tetherline_destination_info", "Where photos go.",
            destinations.map {
                let kind = $0.kind == .gallery ? "gallery" : "direct"
                return Sample(Self.of($0) + [(name: "kind", value: kind)], 1)
            })
        writer.add(
            "tetherline_destination_deliveries", "Deliveries of the event there, by where they stand.",
            destinations.flatMap { Self.states(event + Self.of($0), $0.jobs, of: JobGroup.self) })
        writer.add(
            "tetherline_destination_hold",
            "Why nothing goes there: 1 for the cause, 0 for all else; what passes by itself is 'temporary'.",
            destinations.flatMap { destination in
                let cause = destination.hold.map { $0.cause?.rawValue ?? "temporary" }
                return (HoldCause.allCases.map(\.rawValue) + ["temporary"]).map {
                    Sample(Self.of(destination) + [(name: "cause", value: $0)], $0 == cause)
                }
            })
        writer.add(
            "tetherline_destination_hold_timestamp_seconds", "Since when nothing goes there.",
            destinations.map { place in place.hold?.since.map { Sample(Self.of(place), at: $0) } })
        writer.add(
            "tetherline_destination_oldest_waiting_timestamp_seconds",
            "Since when the photo that waits longest for it is in the spool.",
            destinations.map { place in place.oldest.map { Sample(Self.of(place), at: $0.since) } })
        writer.add(
            "tetherline_destination_drain_seconds",
            "Until what waits is there, at the rate of the last two minutes.",
            destinations.map { place in place.untilDrained.map { Sample(Self.of(place), seconds: $0) } })
        writeEdits()
    }

    private mutating func writeEdits() {
        writer.add(
            "tetherline_destination_edits",
            "Captions, ratings and the like that were said here: not sent there yet, or not taken there.",
            destinations.flatMap { place -> [Sample] in
                guard let edits = place.edits else { return [] }
                return [("waiting", edits.waiting), ("conflict", edits.conflicts)].map {
                    Sample(Self.of(place) + [(name: "state", value: $0.0)], $0.1)
                }
            })
    }

    private mutating func writePaths() {
        writer.add(
            "tetherline_destination_upload_limit", "Uploads at a time that its network path bears now.",
            destinations.map { place in place.slots.map { Sample(Self.of(place), $0) } })
        writer.add(
            "tetherline_destination_network_info", "The network interface that leads there.",
            destinations.map { place in
                guard let path = place.path, let interface = path.interface else { return nil }
                return Sample(
                    Self.of(place) + [
                        (name: "interface", value: interface), (name: "kind", value: path.kind.rawValue),
                    ], 1)
            })
        writer.add(
            "tetherline_destination_network_up", "Whether a network leads there.",
            destinations.map { place in place.path.map { Sample(Self.of(place), $0.isUp) } })
        writer.add(
            "tetherline_destination_network_metered", "Whether bytes cost on the way there.",
            destinations.map { place in place.path.map { Sample(Self.of(place), $0.isMetered) } })
    }

    private mutating func writeConfirmed() {
        let known = destinations.compactMap { place in place.confirmed.map { (Self.of(place), $0) } }
        writer.add(
            "tetherline_destination_confirmed_photos_total", .counter,
            "Photos that it has confirmed since the bridge began.", known.map { Sample($0, $1.photos) })
        writer.add(
            "tetherline_destination_confirmed_bytes_total", .counter, "Bytes of these photos.",
            known.map { Sample($0, $1.bytes) })
        writer.addHistogram(
            "tetherline_destination_shutter_to_confirmed_seconds",
            "From the shutter to the receipt, of the photos confirmed since the bridge began.",
            bounds: ConfirmedTotals.bounds, known.map { ($0, counts: $1.spans, sum: $1.sum) })
        writer.add(
            "tetherline_destination_promised_photos_total", .counter,
            "Photos confirmed since the bridge began that should arrive by a moment (deliver.within).",
            known.map { Sample($0, $1.promised) })
        writer.add(
            "tetherline_destination_in_time_photos_total", .counter, "Of those, confirmed by then.",
            known.map { Sample($0, $1.inTime) })
    }

    // MARK: The machine

    private mutating func writeSpool() {
        guard let spool = status.spool else { return }
        writer.add("tetherline_spool_free_bytes", "Free on the spool's disk.", [Sample(spool.free)])
        writer.add(
            "tetherline_spool_size_bytes", "What the spool's disk holds in all.", [Sample(spool.total)])
        writer.add(
            "tetherline_spool_reserve_bytes", "What stays free of it.", [spool.reserve.map { Sample($0) }])
        writer.add(
            "tetherline_spool_room_photos", "More photos of the event's mean size that fit.",
            [spool.photosLeft.map { Sample($0) }])
        writer.add("tetherline_spool_full", "Whether it takes no photos now.", [Sample(spool.hold != nil)])
    }

    /// Not under the usual names: a collector that reads this as a file has those of its own process, and refuses all of it
    /// when they are there twice.
    private mutating func write(_ process: ProcessFigures?) {
        guard let process else { return }
        writer.add(
            "tetherline_process_cpu_seconds_total", .counter, "Processor time that the bridge has taken.",
            [Sample(number: process.processorSeconds)])
        writer.add(
            "tetherline_process_resident_memory_bytes", "Memory that the bridge holds.",
            [Sample(process.residentBytes)])
        writer.add(
            "tetherline_process_virtual_memory_bytes", "Addresses that the bridge has mapped.",
            [Sample(process.virtualBytes)])
        writer.add(
            "tetherline_process_open_fds", "Files that the bridge has open.", [Sample(process.openFiles)])
        writer.add(
            "tetherline_process_max_fds", "Files that it may have open.", [Sample(process.mostFiles)])
    }

    private mutating func write(_ cache: ProgramFigures.ImageCache?) {
        guard let cache else { return }
        let found = [
            ("memory", cache.fromMemory), ("disk", cache.fromDisk), ("network", cache.fromNetwork),
            ("failed", cache.failed),
        ]
        writer.add(
            "tetherline_image_cache_requests_total", .counter,
            "Pictures that were asked for, by where they were found.",
            found.map { Sample([(name: "source", value: $0.0)], $0.1) })
        writer.add(
            "tetherline_image_cache_bytes", "What the cache of pictures holds.",
            [
                Sample([(name: "place", value: "memory")], cache.memoryBytes),
                Sample([(name: "place", value: "disk")], cache.diskBytes),
            ])
    }
}
