import Basics

/// When an operator is called: looks at a status now and then, and says what is to be sent. A value without a clock.
public struct AlertMachine: Equatable, Sendable {
    struct Key: Hashable, Comparable, Sendable {
        let rule: AlertRule
        var subject: String?

        static func < (left: Key, right: Key) -> Bool {
            (left.rule.rawValue, left.subject ?? "") < (right.rule.rawValue, right.subject ?? "")
        }
    }

    /// Things that are watched at a time: an event has a few cameras and destinations.
    static let most = 1000

    let settings: AlertSettings
    private var courses: [Key: AlertCourse] = [:]
    private var alerts: [Key: BridgeStatus.Alert] = [:]
    /// Since when a camera that is connected has brought nothing, and which was its last photo then.
    private var quiet: [String: Quiet] = [:]

    /// Cameras that sleep or were switched off: while one is tried again its status does not say so.
    private var asleep: Set<String> = []

    private struct Quiet: Equatable, Sendable {
        var since: Duration
        var lastPhoto: Timestamp?
    }

    public init(settings: AlertSettings) {
        self.settings = settings
    }

    /// What the operator was called for and is not over.
    public var ongoing: [BridgeStatus.Alert] {
        alerts.sorted { $0.key < $1.key }.map(\.value)
    }

    /// `now` is a clock's that is never set. `clockAhead`: by how much this machine's clock is ahead of `reference`,
    /// one that is known.
    public mutating func look(
        at status: BridgeStatus, clockAhead: Duration?, of reference: String = "the gallery's", now: Duration
    ) -> [AlertNews] {
        noteQuiet(status, now)
        noteSleep(status)
        let seen = observations(of: status, clockAhead, of: reference, now)
        let wall = status.at ?? Timestamp(milliseconds: 0)
        var news: [AlertNews] = []
        for key in Set(seen.keys).union(courses.keys).sorted() {
            let observation = seen[key] ?? .gone(key)
            guard courses[key] != nil || courses.count < Self.most else { continue }
            var course = courses[key] ?? AlertCourse(at: now)
            let step = course.look(
                observation.sign, delay: observation.delay, grace: settings.grace,
                repeats: settings.repeats, at: now, wall)
            let isForgotten = seen[key] == nil && course.isIdle(at: now, repeats: settings.repeats)
            courses[key] = isForgotten ? nil : course
            if let told = self.news(of: key, step, course, observation, wall) { news.append(told) }
        }
        return news
    }

    private mutating func news(
        of key: Key, _ step: AlertCourse.Step?, _ course: AlertCourse, _ observation: Observation,
        _ wall: Timestamp
    ) -> AlertNews? {
        if step == .over {
            let former = alerts.removeValue(forKey: key)
            return AlertNews(
                .over,
                BridgeStatus.Alert(
                    rule: key.rule, subject: key.subject, since: former?.since ?? wall,
                    text: observation.text,
                    advice: ""))
        }
        guard course.isSaid else { return nil }
        // How it is now; while it is not known, or not quite over, as it was.
        if observation.sign == .so || alerts[key] == nil {
            alerts[key] = BridgeStatus.Alert(
                rule: key.rule, subject: key.subject, since: course.began ?? wall, text: observation.text,
                advice: observation.advice)
        }
        guard let step, let alert = alerts[key] else { return nil }
        return AlertNews(step == .began ? .began : .goesOn, alert)
    }

    // MARK: What is remembered of cameras

    private mutating func noteQuiet(_ status: BridgeStatus, _ now: Duration) {
        var still: [String: Quiet] = [:]
        for camera in status.cameras.prefix(Self.most) where camera.isConnected {
            let known = quiet[camera.address]
            still[camera.address] =
                known?.lastPhoto == camera.lastPhoto
                ? known ?? Quiet(since: now, lastPhoto: camera.lastPhoto)
                : Quiet(since: now, lastPhoto: camera.lastPhoto)
        }
        quiet = still
    }

    private mutating func noteSleep(_ status: BridgeStatus) {
        var still: Set<String> = []
        for camera in status.cameras.prefix(Self.most) {
            let tries = camera.phase == .connecting && asleep.contains(camera.address)
            if camera.phase == .asleep || tries { still.insert(camera.address) }
        }
        asleep = still
    }

    func isAsleep(_ camera: BridgeStatus.Camera) -> Bool { asleep.contains(camera.address) }

    func isOngoing(_ key: Key) -> Bool { courses[key]?.isOngoing ?? false }

    /// Nothing where it is not connected.
    func quietness(of camera: BridgeStatus.Camera, at now: Duration) -> Duration? {
        quiet[camera.address].map { now - $0.since }
    }
}

extension BridgeStatus.Camera {
    var isConnected: Bool { phase?.isConnected ?? false }
}

extension BridgeStatus.CameraPhase {
    /// Its photos can come.
    public var isConnected: Bool {
        switch self {
        case .listing, .fetching, .idle, .suspect, .busy, .held: true
        case .connecting, .waitingForOK, .confirmingCode, .asleep, .lost, .ended, .new: false
        }
    }
}
