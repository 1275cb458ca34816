import Basics

/// What happens to one camera's photos, as a value: which are asked about, fetched, made durable, tried again, put
/// last, given to the operator and deleted from the card, and in which order.
///
/// The machine is told what happened and answers with what to do; it knows no camera, no disk and no clock. It lives as
/// long as the run: connections come and go, cards are changed, and what each photo has cost stays known.
///
/// A camera is asked one thing at a time (``Errand``). While a photo comes in, others are made durable, at most two, so
/// that a slow disk slows the camera and not the other way round. **One object among many**: whatever a single photo
/// does to the connection, it is charged with that, goes behind the others, then last, then to the operator by name;
/// the others arrive meanwhile.
public struct TransferMachine: Equatable, Sendable {
    public struct Settings: Equatable, Sendable {
        public var jpegFirst = false
        public var deletesFromCard = false
        /// How often the camera's list is compared with what is known: some cameras do not tell of every shot.
        public var listAgain = Duration.seconds(10)
        /// How long a photo may pause.
        public var timeout = Duration.seconds(20)
        /// What comes after the first list is fetched as well.
        public var followsCard = true
        /// Only these, by their names in the first connection; nothing for everything.
        public var only: Set<PhotoReference>?

        public init() {}
    }

    public enum Happening: Equatable, Sendable {
        /// A camera has been greeted, or its cards have changed and everything begins anew.
        case connected(ConnectedCamera)
        /// The connection stands no more, and nothing that was under way in it is.
        case disconnected
        case noticed(CameraChange)
        /// The connection has ended by itself. `whenIdle`: what that is called where nothing was asked of the camera.
        case ended(ConnectionLife.Loss, whenIdle: String? = nil)
        /// What the errand came to.
        case surveyed(Survey)
        case listed(Set<PhotoReference>)
        /// The same for others: what is new in it is looked at here as well.
        case listedForOthers(Set<PhotoReference>)
        case described(PhotoReference, Offer?)
        case done(Errand)
        case failed(Errand, FailureImpact, reason: String, about: ListedPlace?)
        /// The first byte is about to come: there was room for it.
        case began(CaptureID, from: UInt64)
        case fetched(CaptureID, FetchEnd, FetchEffort)
        case finished(CaptureID, FinishEnd)
        /// The ledger has these rows, in the order of the sightings.
        case recorded([Sighting], [Capture], ConnectedCamera, isLive: Bool)
        case notRecorded([Sighting], ConnectedCamera, isLive: Bool, reason: String)
        /// Photos all of whose deliveries have their receipts.
        case deletable([CaptureID])
        /// Something could not be written, and why.
        case stuck(String)
        /// Another caller wants to know what is on the card, or that what may be deleted has been.
        case surveyWanted
        case deletionWanted
        /// ``nextDeadline`` has come.
        case timePassed
    }

    /// What the camera is asked for. One thing at a time.
    public enum Errand: Equatable, Sendable {
        /// Everything that it has.
        case survey
        /// The same for others, who compare it with the ledger.
        case surveyForOthers
        /// What there is, undescribed.
        case list
        case describe(PhotoReference)
        case fetch(CaptureID)
        /// What the body keeps in its memory is here: it may let go of it.
        case release(CaptureID, Offer)
        case delete(CaptureID, Offer)
        case keepAlive
    }

    public enum Action: Equatable, Sendable {
        case survey(SurveyOptions)
        case surveyForOthers(SurveyOptions)
        case list
        case describe(PhotoReference, withRating: Bool)
        case fetch(FetchOrder)
        case release(CaptureID, Offer)
        /// Looked at once more, and deleted when it is still the same.
        case delete(CaptureID, Offer)
        case keepAlive
        case finish(FinishOrder)
        case record([Sighting], ConnectedCamera, isLive: Bool)
        /// What is wanted and was not among what was listed is gone: deleted on the camera, on a card that was taken
        /// out, or lost with the memory it was in.
        case settleMissing(ConnectedCamera)
        case settle(CaptureID, CaptureState, path: String, reason: String)
        case charge(CaptureID, FailedFetchCost)
        /// Another photo has the reference now.
        case detach(CaptureID)
        case discard(CaptureID)
        case distrust(CaptureID)
        case askForDeletable(ConnectedCamera)
        case learn(KnownBody)
        case journal(JournalEntry.Level, CaptureID?, String)
        /// Cards have changed: the connection gets another name in the ledger, and `connected` is said again.
        case beginAnew
        case endConnection(ConnectionLife.Loss)
        /// Those who want to know what is on the card are told, behind the rows that are being written.
        /// `underWay`: which of the listed photos are about to be in the ledger.
        case answerSurveyWanted(underWay: Set<PhotoReference>)
        case answerDeletionWanted
        case report(TransferEvent)
    }

    public enum Phase: Equatable, Sendable {
        /// No camera is connected. Left by `connected`.
        case away
        /// Cards have changed: the connection is being given another name. Left by `connected`, and with the
        /// connection.
        case renewing
        /// The camera's photos are being listed and described. Left when they are, and with the connection.
        case surveying
        /// The list is known: photos are described, fetched, made durable and deleted. Left when cards change, and with
        /// the connection.
        case working
        /// The connection is over, or is being ended; nothing is asked of it any more. Left by `disconnected`.
        case leaving
    }

    let settings: Settings
    public internal(set) var phase = Phase.away
    /// What the camera is doing for us.
    public internal(set) var errand: Errand?
    /// What is good for one connection, or until cards change.
    var card: Card
    /// Photos being made durable.
    var finishing: [CaptureID: Finishing] = [:]
    /// Photos with which something went wrong.
    var histories: [CaptureID: FetchFailureHistory] = [:]
    /// Given up for now, by what finds their rows.
    var leftAlone: [String: CaptureID] = [:]
    /// Objects that could not even be described, by what they are called and by their place in the list.
    var undescribable = UndescribableObjects()
    /// Of those, and of what the camera refused to describe, what the operator has been told of.
    var toldUndescribed: Set<PhotoReference> = []
    /// What was asked of the camera when it did not answer: if it does not answer the next question either, that is
    /// why.
    var unanswered: Errand?
    /// Nothing is fetched before this: the disk.
    var hold: Hold?
    var hasBeenConnected = false
    var surveysWanted = 0
    var deletionsWanted = 0
    /// Since when there is nothing to do; nothing while there is, or while no camera is connected.
    public internal(set) var idleSince: Duration?
    /// Nothing was left to do when the camera was last asked for anything: if it is away now, nothing is missed.
    public internal(set) var hadNothingLeft = false
    /// Photos of this run that have arrived.
    var arrived = 0
    /// How long the slowest of those took that came in one go, and what is expected before the first.
    var slowestFetch: Duration?
    var expectedFetch: Duration?
    /// No shorter pause in a photo is a sign of anything, on the fastest of links either. Grows where that was wrong.
    var shortestPause = Duration.milliseconds(300)
    /// The same of objects that are described. Grows with each that was silent for longer: if that was the camera, it is
    /// given more time.
    var shortestSilence = Duration.milliseconds(150)
    /// Grows when something gets further: described for the first time, more bytes than ever, whole. Connecting
    /// again is nothing of the kind.
    public internal(set) var progress: UInt64 = 0
    /// What is shown of it.
    public internal(set) var shown = TransferState.away

    struct Finishing: Equatable, Sendable {
        let order: FinishOrder
        let item: FetchQueue.Item
    }

    /// When something last happened: what was due then has been looked at.
    var lastLook = Duration.zero

    struct Hold: Equatable, Sendable {
        let reason: String
        /// Nothing where it is the ledger that takes nothing.
        let meaning: DiskError.Meaning?
        /// Tried again then. It is over when something goes well.
        var until: Duration
    }

    public init(settings: Settings = Settings()) {
        self.settings = settings
        card = Card(settings)
    }

    public mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        let asked = errand
        let actions =
            switch happening {
            case .connected(let tethering): connected(tethering, at: now)
            case .disconnected: disconnected()
            case .noticed(let change): noticed(change)
            case .ended(let loss, let whenIdle): ended(loss, whenIdle)
            case .surveyed(let survey): surveyed(survey, at: now)
            case .listed(let references): listed(references, at: now)
            case .listedForOthers(let references): listedForOthers(references)
            case .described(let reference, let offer): described(reference, offer, at: now)
            case .done(let errand): done(errand, at: now)
            case .failed(let errand, let trouble, let reason, let object):
                failed(errand, trouble, reason, object, at: now)
            case .began(let capture, let from): began(capture, from: from)
            case .fetched(let capture, let end, let effort): fetched(capture, end, effort, at: now)
            case .finished(let capture, let end): finished(capture, end, at: now)
            case .recorded(let sightings, let captures, let tethering, let isLive):
                recorded(sightings, captures, tethering, isLive: isLive, at: now)
            case .notRecorded(let sightings, let tethering, let isLive, let reason):
                notRecorded(sightings, tethering, isLive: isLive, reason, at: now)
            case .deletable(let captures): deletable(captures)
            case .stuck(let reason): held(reason, nil, at: now)
            case .surveyWanted: surveyWanted()
            case .deletionWanted: deletionWanted()
            case .timePassed: [Action]()
            }
        lastLook = now
        if asked != nil, errand == nil { heard(at: now) }
        return actions + proceed(at: now)
    }

    private mutating func surveyWanted() -> [Action] {
        surveysWanted += 1
        return []
    }

    /// When `timePassed` has to be said, if nothing else happens before.
    public var nextDeadline: Duration? {
        guard phase == .working, errand == nil else { return nil }
        let fetch = finishing.count < Self.mostFinishing ? card.queue.nextDelayed : nil
        let moments = [card.listDue, card.keepAliveDue, hold?.until, fetch].compactMap { $0 }
        return moments.filter { $0 > lastLook }.min()
    }

    /// Photos that may be on their way to the disk while another comes in.
    public static let mostFinishing = 2
}
