package import Bridge
import Camera
import Synchronization

/// Moves the photos of any number of cameras into one event, from the first connection to the last.
///
/// The session is bound to its event for its whole life. Each camera has a ``CameraTransfer`` on its own thread;
/// what they share is the ledger. Nobody here waits for a destination: a dead uplink does not slow a shutter.
package struct TransferSession: Sendable {
    package struct Settings: Sendable {
        package var filter = CaptureFilter()
        package var since = Since.session
        /// The same bytes a second time in the event are not kept a second time.
        package var skipsDuplicates = true
        /// SHA-256 of what arrives. An operator who only copies files may do without.
        package var hashes = true
        /// Any camera that answers is taken, also another one than was known at its address.
        package var acceptsNewBodies = false
        /// What else somebody can do who means another camera than was known there.
        package var adviceOnNewBodies = ""
        /// Told of bytes as they come.
        package var onMoved: @Sendable (UInt64) -> Void = { _ in }
        package var machine = TransferMachine.Settings()
        package var life = ConnectionLife.Settings()

        package init() {}
    }

    /// What an old photo is.
    package enum Since: Equatable, Sendable {
        /// What was shot before the session began.
        case session
        /// What was shot before the newest photo that the ledger has of the camera.
        case lastSeen
        /// What was shot before this, by the camera's own clock.
        case date(Int64)
        /// Nothing is too old.
        case all
    }

    package let event: BridgeEvent
    package let settings: Settings
    let ledger: any TransferLedger
    let wall: any WallTime
    let random: any RandomSource
    package let boot: String
    let time: any TimeSource
    /// When this process joined the session, by the clock that is never set, and how old the session was then:
    /// photos that are older than both together are old.
    let joined: Duration
    let ageWhenJoined: Duration
    let report: @Sendable (CameraNews) -> Void
    /// What "last seen" meant when this session first met each camera.
    private let lastSeen = LastSeen()
    private let nameless = NamelessBodies()

    package init(
        event: BridgeEvent, settings: Settings, ledger: any TransferLedger, wall: any WallTime,
        random: any RandomSource, boot: String, time: any TimeSource, ageWhenJoined: Duration = .zero,
        report: @escaping @Sendable (CameraNews) -> Void
    ) {
        self.event = event
        self.settings = settings
        self.ledger = ledger
        self.wall = wall
        self.random = random
        self.boot = boot
        self.time = time
        joined = time.now
        self.ageWhenJoined = ageWhenJoined
        self.report = report
    }

    // MARK: Meeting a camera

    /// What is known of the body that answers at this place. Two bodies without serial numbers that are connected at the
    /// same time are two, however alike they are; the one that came second is told apart by its place from then on.
    func recall(_ identity: CameraIdentity, serial: String?, at place: String) async throws -> KnownBody? {
        guard serial == nil else { return try await ledger.body(identity) }
        let apart = identity.told(apartBy: place)
        if let known = try await ledger.bodies(at: place).first(where: { $0.identity == apart }) {
            return known
        }
        guard nameless.take(identity, at: place) else { return KnownBody(identity: apart, driver: "") }
        return try await ledger.body(identity)
    }

    /// The connection at this place is over.
    func left(_ place: String) { nameless.leave(place) }

    /// Who has been connected to, in the ledger, and what of its photos is taken.
    func greet(_ camera: any CameraDriver, at place: String) async throws -> Tethering {
        let body = await camera.body
        try await refuseUnknown(body, at: place)
        let id = try await ledger.meet(body.identity, at: place)
        try await ledger.learn(body)
        let abilities = await camera.abilities
        return Tethering(
            camera: id, connection: Randomness.uuid(from: random), filter: try await filter(camera, id),
            canDelete: abilities.canDelete, keepAliveEvery: abilities.keepAliveEvery)
    }

    /// Addresses are given out anew, and bodies are alike: one that was never met is not taken where another was known.
    private func refuseUnknown(_ body: KnownBody, at place: String) async throws {
        guard !settings.acceptsNewBodies else { return }
        let known = try await ledger.bodies(at: place)
        guard let expected = known.first,
            known.allSatisfy({ $0.contradicts(body.identity, serial: body.serial) }),
            try await ledger.body(body.identity) == nil
        else { return }
        throw UnknownBody(
            place: place, expected: expected.identity, found: body.identity,
            advice: settings.adviceOnNewBodies)
    }

    /// The rules, with "since" in the camera's own time.
    private func filter(_ camera: any CameraDriver, _ id: CameraID) async throws -> CaptureFilter {
        var filter = settings.filter
        switch settings.since {
        case .all: filter.since = nil
        case .date(let seconds): filter.since = seconds
        case .lastSeen:
            // A photo from the future, of a clock that was wrong then, would shut out everything since.
            let start = try await sessionStart(on: camera)
            let known = try await lastSeen.of(id) { try await ledger.lastSeen(of: id) }
            filter.since = min(known ?? start, start)
        case .session: filter.since = try await sessionStart(on: camera)
        }
        return filter
    }

    /// When the session began, as the camera's clock showed it: photographers' clocks are wrong, and in other zones.
    private func sessionStart(on camera: any CameraDriver) async throws -> Int64 {
        let now = wall.wallNow
        let here = now.seconds + wall.localOffset(at: now)
        let there = try await camera.clock() ?? here
        // Dates have seconds, and asking takes a moment: one photo too many costs less than one too few.
        let age = time.now - joined + ageWhenJoined
        return there - age.components.seconds - 2
    }
}

/// What was asked once and is not asked again.
private final class LastSeen: Sendable {
    private let known = Mutex<[CameraID: Int64?]>([:])

    func of(_ camera: CameraID, _ ask: () async throws -> Int64?) async throws -> Int64? {
        if let answer = known.withLock({ $0[camera] }) { return answer }
        let answer = try await ask()
        known.withLock { $0[camera] = answer }
        return answer
    }
}

/// The bodies without serial numbers that are connected, and where.
private final class NamelessBodies: Sendable {
    private let places = Mutex<[CameraIdentity: String]>([:])

    /// Whether that name is this body's: no other body bears it now.
    func take(_ identity: CameraIdentity, at place: String) -> Bool {
        places.withLock { places in
            if let other = places[identity], other != place { return false }
            places[identity] = place
            return true
        }
    }

    func leave(_ place: String) {
        places.withLock { places in places = places.filter { $0.value != place } }
    }
}

/// A camera that was never met answers where another one was known.
package struct UnknownBody: Error, CustomStringConvertible {
    package let place: String
    package let expected: CameraIdentity
    package let found: CameraIdentity
    package var advice = ""

    package var description: String {
        "another camera answers at \(place): it was \(expected), it is \(found). Nothing of it was taken. Look up the address "
            + "again\(advice)."
    }
}
