import Basics

/// What is seen in a status of everything that is watched. What begins at one figure is over at another, so that a figure
/// which goes up and down around the first is one alert.
extension AlertMachine {
    struct Observation: Equatable, Sendable {
        var sign: AlertSign
        var text: String
        var advice = ""
        /// How long it has to last before it is an alert. Most carry their time in themselves.
        var delay = Duration.zero

        /// A camera or a destination that is not there any more.
        static func gone(_ key: Key) -> Observation {
            Observation(sign: .notSo, text: "\(key.subject ?? "it") is not watched any more")
        }
    }

    func observations(
        of status: BridgeStatus, _ clockAhead: Duration?, of reference: String, _ now: Duration
    ) -> [Key: Observation] {
        var seen: [Key: Observation] = [:]
        func see(_ rule: AlertRule, _ subject: String? = nil, _ observation: (Key) -> Observation) {
            guard settings.isOn(rule) else { return }
            let key = Key(rule: rule, subject: subject)
            seen[key] = observation(key)
        }
        // What only announces itself is not awaited.
        for camera in status.cameras where camera.phase != .new {
            see(.cameraLost, camera.address) { _ in presence(of: camera) }
            see(.nothingShot, camera.address) { _ in silence(of: camera, now) }
            see(.clockWrong, camera.address) { clock(of: camera, isOngoing($0)) }
        }
        for destination in status.destinations {
            see(.failedJobs, destination.label) { failures(at: destination, isOngoing($0)) }
        }
        see(.diskLow) { room(of: status, isOngoing($0)) }
        see(.queueOld) { wait(in: status, isOngoing($0)) }
        see(.clockWrong) { clock(of: status, clockAhead, of: reference, isOngoing($0)) }
        return seen
    }

    private func presence(of camera: BridgeStatus.Camera) -> Observation {
        switch camera.phase {
        case .listing, .fetching, .idle, .suspect, .busy, .held:
            return Observation(sign: .notSo, text: "\(camera.called) is connected again")
        case .new, nil: return Observation(sign: .unknown, text: "")
        case .lost, .connecting, .waitingForOK, .confirmingCode, .asleep, .ended: break
        }
        // A photo's trouble is no reason for that.
        let error = camera.lastError.flatMap { $0.photo == nil ? $0 : nil }
        let advice = error.flatMap { $0.needsOperator ? $0.advice : nil }
        return Observation(
            sign: .so, text: "\(camera.called) is not connected\(error.map { ": \($0.reason)" } ?? "")",
            advice: advice ?? "look whether it is on, awake, and within range of its network.",
            delay: isAsleep(camera) ? settings.cameraAsleep : settings.cameraLost.after)
    }

    private func silence(of camera: BridgeStatus.Camera, _ now: Duration) -> Observation {
        guard let span = quietness(of: camera, at: now) else {
            return Observation(sign: .notSo, text: "\(camera.called) is not connected any more")
        }
        guard span >= settings.nothingShot.after else {
            return Observation(sign: .notSo, text: "photos of \(camera.called) come again")
        }
        return Observation(
            sign: .so,
            text: "\(camera.called) is connected, and nothing has come from it for \(Human.span(span))",
            advice: "take a photo, and see whether it comes; the camera may write onto its other card.")
    }

    private func failures(at destination: BridgeStatus.Destination, _ isOngoing: Bool) -> Observation {
        let failed = destination.jobs[.failed, default: 0]
        guard failed >= (isOngoing ? 1 : settings.failedJobs.photos) else {
            return Observation(sign: .notSo, text: "no failed delivery to \(destination.label) is left")
        }
        let deliveries = failed == 1 ? "1 delivery" : "\(failed) deliveries"
        let reason = destination.lastError.map { ": \($0.reason)" } ?? ""
        return Observation(
            sign: .so, text: "\(deliveries) to \(destination.label) failed for good\(reason)",
            advice: BridgeStatus.failedAdvice)
    }

    private func room(of status: BridgeStatus, _ isOngoing: Bool) -> Observation {
        if let hold = status.spool?.hold {
            return Observation(
                sign: .so, text: "the disk takes no more photos: \(hold)", advice: status.spool?.advice ?? "")
        }
        // Before the first photo it is not known how large they are.
        guard let left = status.spool?.photosLeft else { return Observation(sign: .unknown, text: "") }
        let wanted = UInt64(settings.diskLow.photos)
        let isLow = left < (isOngoing ? wanted + wanted / 4 : wanted)
        return Observation(
            sign: isLow ? .so : .notSo, text: "the spool's disk has room for about \(left) more photos",
            advice: isLow ? "make room on it, or let delivered photos go: 'spool.keep' in the settings." : "")
    }

    private func wait(in status: BridgeStatus, _ isOngoing: Bool) -> Observation {
        let age = status.oldest.flatMap { oldest in status.at.map { $0 - oldest.since } } ?? .zero
        let limit = settings.queueOld.after
        guard status.oldest != nil, age >= (isOngoing ? limit / 2 : limit) else {
            return Observation(sign: .notSo, text: "no photo waits for long any more")
        }
        let waiting =
            status.jobs[.queued, default: 0] + status.jobs[.uploading, default: 0]
            + status.jobs[.awaiting, default: 0]
        let text =
            "\(waiting == 1 ? "1 delivery waits" : "\(waiting) deliveries wait"), one for \(Human.span(age))"
        if status.isPaused {
            return Observation(
                sign: .so, text: "\(text): deliveries are paused", advice: "'tetherline resume' goes on.")
        }
        let held = status.destinations.first { $0.hold != nil && $0.oldest?.since == status.oldest?.since }
        guard let held, let hold = held.hold else {
            return Observation(
                sign: .so, text: text,
                advice: "'tetherline status' says how fast it goes, and by which network.")
        }
        return Observation(
            sign: .so, text: "\(text): \(held.label): \(hold.reason)",
            advice: hold.cause?.advice(for: held.label) ?? "'tetherline network' says which way leads there.")
    }

    private func clock(of camera: BridgeStatus.Camera, _ isOngoing: Bool) -> Observation {
        guard let ahead = camera.clockAhead else { return Observation(sign: .unknown, text: "") }
        let limit = isOngoing ? settings.clockWrong.after / 2 : settings.clockWrong.after
        let span = max(ahead, .zero - ahead)
        guard span >= limit else {
            return Observation(sign: .notSo, text: "the clock of \(camera.called) is right again")
        }
        return Observation(
            sign: .so,
            text:
                "the clock of \(camera.called) is \(Human.span(span)) \(ahead > .zero ? "ahead of" : "behind") this machine's",
            advice:
                "set it in the camera's menu, the time zone and summer time as well: photos are sorted by it."
        )
    }

    private func clock(
        of status: BridgeStatus, _ ahead: Duration?, of reference: String, _ isOngoing: Bool
    ) -> Observation {
        let limit = isOngoing ? settings.clockWrong.after / 2 : settings.clockWrong.after
        let advice = "compare it with a phone, and set it ('timedatectl set-ntp true')."
        // What has been written down already cannot lie ahead.
        if let at = status.at, let opened = status.window?.openedAt, opened - at >= limit {
            return Observation(
                sign: .so,
                text:
                    "this machine's clock is \(Human.span(opened - at)) before the moment at which the event began",
                advice: advice)
        }
        guard let ahead else {
            return Observation(
                sign: isOngoing ? .notSo : .unknown, text: "nothing is wrong with the clock any more")
        }
        let span = max(ahead, .zero - ahead)
        guard span >= limit else {
            return Observation(sign: .notSo, text: "this machine's clock is right again")
        }
        return Observation(
            sign: .so,
            text:
                "this machine's clock is \(Human.span(span)) \(ahead > .zero ? "ahead of" : "behind") \(reference)",
            advice: advice)
    }
}

extension BridgeStatus.Camera {
    fileprivate var called: String { name.map { "\($0) (\(address))" } ?? "the camera at \(address)" }
}

extension BridgeStatus.Destination {
    /// Its address for those who may not see everything. The ledger's have no password; one that came in by another way goes
    /// no further.
    public var label: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
            return url
        }
        return String(url[..<colon]) + String(url[at...])
    }
}
