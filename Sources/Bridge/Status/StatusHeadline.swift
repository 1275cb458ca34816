public import Basics

/// What a status comes to, for a person who has one second: a colour, a title, and one sentence of what to do.
public struct StatusHeadline: Equatable, Sendable {
    public enum Tone: String, Equatable, Sendable, CaseIterable {
        /// Photos flow, or there is nothing to do.
        case good
        /// Something stands still and goes on by itself, or the operator has stopped it.
        case warning
        /// Photos wait until a person does something.
        case bad
    }

    public var tone: Tone
    public var title: String
    public var detail: String

    public init(_ tone: Tone, _ title: String, _ detail: String) {
        self.tone = tone
        self.title = title
        self.detail = detail
    }

    /// What costs photos comes first; what passes by itself comes behind what waits for a person.
    public init(_ status: BridgeStatus) {
        self =
            Self.disk(status) ?? Self.waitingDestination(status) ?? Self.failures(status) ?? Self.pause(
                status)
            ?? Self.camera(status) ?? Self.uplink(status) ?? Self.flow(status)
    }

    // MARK: What waits for a person

    private static func disk(_ status: BridgeStatus) -> StatusHeadline? {
        guard let hold = status.spool?.hold else { return nil }
        let advice = status.spool?.advice.map { " To do: \($0)" } ?? ""
        return StatusHeadline(.bad, "The disk takes no photos", "\(sentence(hold))\(advice)")
    }

    private static func waitingDestination(_ status: BridgeStatus) -> StatusHeadline? {
        for destination in status.destinations {
            guard let hold = destination.hold, hold.cause != nil else { continue }
            let advice = BridgeStatus.advice(for: hold, at: destination.url)
            return StatusHeadline(
                .bad, "\(destination.shortName) waits for you", "\(sentence(hold.reason)) To do: \(advice)")
        }
        return nil
    }

    private static func failures(_ status: BridgeStatus) -> StatusHeadline? {
        let failed = status.jobs[.failed, default: 0]
        guard failed > 0 else { return nil }
        let last = status.destinations.compactMap(\.lastError).first
        return StatusHeadline(
            .bad, failed == 1 ? "One delivery has failed" : "\(failed) deliveries have failed",
            "\(last.map { sentence($0.reason) + " " } ?? "")To do: \(last?.advice ?? BridgeStatus.failedAdvice)"
        )
    }

    // MARK: What stands still

    private static func pause(_ status: BridgeStatus) -> StatusHeadline? {
        guard status.isPaused else { return nil }
        return StatusHeadline(
            .warning, "Paused", "Cameras go on, and photos are kept here until deliveries are resumed.")
    }

    private static func camera(_ status: BridgeStatus) -> StatusHeadline? {
        let troubled = status.cameras.first { $0.phase?.needsPerson == true }
        let away = status.cameras.first { $0.phase?.isAway == true }
        guard let camera = troubled ?? away else { return nil }
        let name = camera.name ?? camera.address
        return StatusHeadline(
            .warning, troubled == nil ? "\(name) is away" : "\(name) needs a hand",
            sentence(camera.state ?? "it is connected to again by itself"))
    }

    private static func uplink(_ status: BridgeStatus) -> StatusHeadline? {
        for destination in status.destinations {
            if let hold = destination.hold {
                return StatusHeadline(
                    .warning, "No photos reach \(destination.shortName)",
                    "\(sentence(hold.reason)) Photos are safe here, and go by themselves when it is back.")
            }
            if destination.slots == 0, let way = destination.way {
                return StatusHeadline(
                    .warning, "No network for \(destination.shortName)",
                    "\(sentence(way)) Photos are safe here, and go by themselves when there is a way.")
            }
        }
        return nil
    }

    // MARK: What is well

    private static func flow(_ status: BridgeStatus) -> StatusHeadline {
        let open = [JobGroup.queued, .uploading, .awaiting].reduce(0) { $0 + status.jobs[$1, default: 0] }
        let staged = status.photos[.staged, default: 0]
        let coming = status.cameras.reduce(0) { $0 + $1.toFetch }
        if status.destinations.isEmpty, staged > 0 {
            return StatusHeadline(
                .good, "Photos are kept here",
                "The event has no destination; 'tetherline destination add URL' names one.")
        }
        if open + coming > 0 {
            let parts = [
                coming > 0 ? "\(coming) still on the camera" : nil,
                open > 0 ? "\(open) on \(open == 1 ? "its" : "their") way" : nil,
            ]
            return StatusHeadline(
                .good, "Photos are flowing", sentence(parts.compactMap(\.self).joined(separator: ", ")))
        }
        guard staged > 0 else {
            return StatusHeadline(.good, "Ready", "The first photo appears here when it is shot.")
        }
        return StatusHeadline(
            .good, "Everything is delivered", "\(staged) \(staged == 1 ? "photo" : "photos") so far.")
    }

    /// Reasons come with and without a full stop.
    private static func sentence(_ text: String) -> String {
        text.last.map { ".!?".contains($0) } == true ? text : "\(text)."
    }

    public var json: JSONValue {
        ["tone": .string(tone.rawValue), "title": .string(title), "detail": .string(detail)]
    }
}

extension BridgeStatus.CameraPhase {
    /// A person beside the camera has to do something.
    var needsPerson: Bool {
        switch self {
        case .waitingForOK, .confirmingCode, .busy, .asleep: true
        case .connecting, .listing, .fetching, .idle, .suspect, .held, .lost, .ended, .new: false
        }
    }

    var isAway: Bool {
        switch self {
        case .lost, .connecting: true
        case .waitingForOK, .confirmingCode, .listing, .fetching, .idle, .suspect, .busy, .held, .asleep,
            .ended, .new:
            false
        }
    }
}

extension BridgeStatus.Destination {
    /// The last part of a folder's path, or the host: enough where one line has to do.
    public var shortName: String {
        let parts = url.split(separator: "/", omittingEmptySubsequences: true)
        guard let scheme = parts.first, parts.count > 1 else { return url }
        let place = scheme == "file:" ? parts[parts.count - 1] : parts[1]
        return String(place.split(separator: "@").last?.split(separator: "?").first ?? place)
    }
}
