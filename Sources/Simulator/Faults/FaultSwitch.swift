/// Everything that can be made to go wrong with a simulated camera, by the name it has in a fault script.
/// Each was seen on a real camera, or follows from the standard, or is what a hostile peer would do.
///
/// What a switch does and what may be set about it stands in the topics, a file for each.
public enum FaultSwitch: String, CaseIterable, Sendable {
    // Connecting
    case holdAck = "hold-ack"
    case initFail = "init-fail"
    case refuseEventLink = "refuse-event-link"
    case connectionNumber = "connection-number"
    case silentAccept = "silent-accept"
    case demandGUID = "demand-guid"
    case dropLateEventLink = "drop-late-event-link"
    case sessionID = "session-id"
    case unstableGUID = "unstable-guid"
    // Data
    case packets
    case unknownTotal = "unknown-total"
    case wrongTotal = "wrong-total"
    case splitWrites = "split-writes"
    case stall
    case cut
    case reset
    case lostFin = "lost-fin"
    case wrongSentCount = "wrong-sent-count"
    case outOfStep = "out-of-step"
    case noDataPhase = "no-data-phase"
    case refuseParts = "refuse-parts"
    case ignoreOffset = "ignore-offset"
    case partLength = "part-length"
    case refuseEnd = "refuse-end"
    // Notices
    case duplicateNotices = "duplicate-notices"
    case earlyNotice = "early-notice"
    case missingNotices = "missing-notices"
    case onlyCaptureComplete = "only-capture-complete"
    case noticeFlood = "notice-flood"
    case oddEvents = "odd-events"
    case unknownPackets = "unknown-packets"
    // Objects
    case notReady = "not-ready"
    case lateSize = "late-size"
    case sameName = "same-name"
    case firstNumber = "first-number"
    case hugeObject = "huge-object"
    case cardSwap = "card-swap"
    case renumber
    case oddFolderDate = "odd-folder-date"
    case inMemory = "in-memory"
    case noPartialReads = "no-partial-reads"
    case noWholeObjects = "no-whole-objects"
    case wrongSize = "wrong-size"
    case foreignBeginning = "foreign-beginning"
    case emptyObject = "empty-object"
    case protected
    case objectProperties = "object-properties"
    case noStableIDs = "no-stable-ids"
    case listByLevel = "list-by-level"
    case listByStorage = "list-by-storage"
    case vanish
    // Errors
    case refuse
    case busy
    case accessLock = "access-lock"
    case sessionAlreadyOpen = "session-already-open"
    case staleHandles = "stale-handles"
    case storeFull = "store-full"
    case poison
    // Others
    case sleep
    case probe
    case probeOnCommand = "probe-on-command"
    case ignoreProbes = "ignore-probes"
    case lateProbes = "late-probes"
    case hangUpOnProbe = "hang-up-on-probe"
    case staleResponse = "stale-response"
    case trailingBytes = "trailing-bytes"
    case truncateStrings = "truncate-strings"
    case shortStorageInfo = "short-storage-info"
    case fiveParameters = "five-parameters"
    case hang
    case flood
    // Canon
    case canonDeletes = "canon-deletes"
    case canonDestination = "canon-destination"
    case canonLateCard = "canon-late-card"
    case canonLongNames = "canon-long-names"
    case canonEventTail = "canon-event-tail"
    case canonProperties = "canon-properties"
    case canonShutdown = "canon-shutdown"
    case canonWithdraw = "canon-withdraw"
    case canonLocks = "canon-locks"
    // Nikon
    case nikonPaired = "nikon-paired"
    case nikonPairing = "nikon-pairing"
    case nikonInMemory = "nikon-in-memory"
    case nikonPictureTransfer = "nikon-picture-transfer"
    case nikonBrokenEvents = "nikon-broken-events"
    case nikonWantsProbe = "nikon-wants-probe"
    // Sony
    case sonyAdobeRGB = "sony-adobe-rgb"
    case sonyContents = "sony-contents"
    case sonyEmptyInfo = "sony-empty-info"
    case sonyGreetingLimit = "sony-greeting-limit"
    case sonyKeepsCut = "sony-keeps-cut"
    case sonyLateCard = "sony-late-card"
    case sonyMemory = "sony-memory"
    case sonyOneSession = "sony-one-session"
    case sonyPairAsOne = "sony-pair-as-one"
    case sonyPairing = "sony-pairing"
    case sonyRenewedList = "sony-renewed-list"
    case sonySaves = "sony-saves"
    case sonySendToComputer = "sony-send-to-computer"
    case sonySilent = "sony-silent"
    case sonyWarmUp = "sony-warm-up"

    /// What the camera does, in a line for `camsim --faults help`.
    public var explanation: String { facts.explanation }

    /// The settings it takes, besides those that all take.
    var parameters: [FaultParameter] { facts.parameters }

    /// One of these has to be there.
    var alternatives: [String] { facts.alternatives }

    private var facts: FaultFacts {
        guard let facts = Self.table[self] else { preconditionFailure("\(rawValue) stands in no topic") }
        return facts
    }

    private static let table = Dictionary(
        FaultTopic.all.flatMap(\.switches), uniquingKeysWith: { first, _ in first })
}

/// What there is to say of one switch.
struct FaultFacts: Sendable {
    let explanation: String
    let parameters: [FaultParameter]
    let alternatives: [String]

    init(_ explanation: String, _ parameters: FaultParameter..., oneOf alternatives: [String] = []) {
        self.explanation = explanation
        self.parameters = parameters
        self.alternatives = alternatives
    }
}

/// Switches that are about the same thing.
struct FaultTopic: Sendable {
    let title: String
    let switches: KeyValuePairs<FaultSwitch, FaultFacts>

    static let all = [connecting, data, notices, objects, errors, others, canon, nikon, sony]
}
