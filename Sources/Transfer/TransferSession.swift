package import Bridge

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
        /// Card objects are deleted once every destination has given its receipt.
        package var deletesFromCard = false
        /// How often the camera's handles are compared with what is known: some cameras do not tell of every shot.
        package var listAgain = Duration.seconds(10)
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
    /// When this process joined the session, by the clock that is never set, and how old the session was then:
    /// photos that are older than both together are old.
    let joined: Duration
    let ageWhenJoined: Duration
    let report: @Sendable (TransferEvent) -> Void

    package init(
        event: BridgeEvent, settings: Settings, ledger: any TransferLedger, wall: any WallTime,
        random: any RandomSource, boot: String, joined: Duration, ageWhenJoined: Duration = .zero,
        report: @escaping @Sendable (TransferEvent) -> Void
    ) {
        self.event = event
        self.settings = settings
        self.ledger = ledger
        self.wall = wall
        self.random = random
        self.boot = boot
        self.joined = joined
        self.ageWhenJoined = ageWhenJoined
        self.report = report
    }
}

/// What happens on the way, for whoever shows it.
package enum TransferEvent: Equatable, Sendable {
    case connection(address: String, ConnectionLife.State)
    case camera(address: String, CameraIdentity)
    /// The card has been held against the ledger: photos listed, wanted, and passed over by each rule.
    case reconciled(address: String, listed: Int, wanted: Int, passedOver: [FilterRule: Int])
    /// Shot just now, and not taken by a rule.
    case passedOver(path: String, FilterRule)
    case began(path: String, size: UInt64, from: UInt64)
    case staged(path: String, CaptureID, StagedPhoto)
    case duplicate(path: String, of: CaptureID)
    case lost(path: String, String)
    case givenUp(path: String, String)
    case deleted(path: String)
    /// It stays on the card, because.
    case notDeleted(path: String, String)
    /// The disk does not take photos; it goes on by itself.
    case held(address: String, String)
    case released(address: String)
}
