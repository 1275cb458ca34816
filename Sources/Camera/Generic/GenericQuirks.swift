import PTP

/// How one body differs from the standard, as the ledger keeps it and as an operator may say it: words and values.
///
/// What the operator says counts more than what was learned, and that more than what is usual.
struct GenericQuirks: Equatable, Sendable {
    enum Offering: String, Sendable {
        /// As DeviceInfo lists it.
        case listed
        /// Listed, and refused when asked for.
        case refused
        /// Given from the object's beginning whatever offset is asked for.
        case fromBeginning = "from-beginning"
    }

    var peculiarities = Peculiarities()
    var parts = Offering.listed
    var wholes = Offering.listed
    /// How long it may say nothing while it lists a card, in seconds, where it needs longer than most.
    var listSeconds: Int?
    var canon = CanonTraits()
    var nikon = NikonTraits()
    var sony = SonyTraits()

    init() {}

    /// A word that this version does not know is passed over: a newer one has noted it.
    init(words: [String: String]) {
        apply(words: words)
    }

    /// Everything that is not usual.
    var words: [String: String] {
        let usual = Peculiarities()
        var words: [String: String] = [:]
        if parts != .listed { words["parts"] = parts.rawValue }
        if wholes != .listed { words["wholes"] = wholes.rawValue }
        if peculiarities.parameters == .alwaysFive { words["parameters"] = "five" }
        if peculiarities.noneOrIncoming != usual.noneOrIncoming {
            words["data-phase"] = String(peculiarities.noneOrIncoming.rawValue)
        }
        if case .fixed(let number) = peculiarities.sessionNumber,
            peculiarities.sessionNumber != usual.sessionNumber
        {
            words["session"] = String(number)
        }
        if peculiarities.openSessionTransaction != usual.openSessionTransaction {
            words["open-session-transaction"] = String(peculiarities.openSessionTransaction.rawValue)
        }
        if !peculiarities.closesSession { words["close-session"] = "no" }
        if peculiarities.probesAfterHandshake { words["probe-after-handshake"] = "yes" }
        if !peculiarities.answersProbes { words["answers-probes"] = "no" }
        if !peculiarities.answersProbesInCalls { words["answers-probes-in-calls"] = "no" }
        if let listSeconds { words["list-seconds"] = String(listSeconds) }
        if peculiarities.cancelling == .dropLinks { words["cancel"] = "no" }
        words.merge(canon.words) { own, _ in own }
        words.merge(nikon.words) { own, _ in own }
        words.merge(sony.words) { own, _ in own }
        return words
    }

    mutating func apply(words: [String: String]) {
        for (word, value) in words { apply(word, value) }
    }

    /// With what the operator says, which is nothing that was learned.
    func saying(_ words: [String: String]) -> GenericQuirks {
        var traits = self
        traits.apply(words: words)
        return traits
    }

    private mutating func apply(_ word: String, _ value: String) {
        switch word {
        case "parts": parts = Offering(rawValue: value) ?? parts
        case "wholes": wholes = Offering(rawValue: value) ?? wholes
        case "parameters": peculiarities.parameters = value == "five" ? .alwaysFive : .asNeeded
        case "data-phase":
            if let number = UInt32(value) { peculiarities.noneOrIncoming = DataPhaseInfo(rawValue: number) }
        case "session":
            if let number = UInt32(value), number != 0 { peculiarities.sessionNumber = .fixed(number) }
        case "open-session-transaction":
            if let number = UInt32(value) {
                peculiarities.openSessionTransaction = TransactionID(rawValue: number)
            }
        case "close-session": peculiarities.closesSession = value != "no"
        case "probe-after-handshake": peculiarities.probesAfterHandshake = value == "yes"
        case "answers-probes":
            peculiarities.answersProbes = value != "no"
            peculiarities.hasAnsweredProbes = value == "yes"
        case "answers-probes-in-calls": peculiarities.answersProbesInCalls = value != "no"
        case "list-seconds": listSeconds = Int(value)
        case "cancel": peculiarities.cancelling = value == "no" ? .dropLinks : .packets
        default:
            canon.apply(word, value)
            nikon.apply(word, value)
            sony.apply(word, value)
        }
    }

    /// What is known of a maker's bodies. It counts from the first answer on, and from the first packet of the next
    /// connection.
    mutating func apply(known device: DeviceInfo) {
        switch device.vendor {
        // "Canon EOS from about 2016 on answer 0x2005 to everything after a CloseSession."
        case .canon:
            peculiarities.closesSession = false
            peculiarities.retries.append(.canonNotReady)
        // "Send ProbeRequest right after InitEventAck, otherwise the session hangs."
        case .nikon: peculiarities.probesAfterHandshake = true
        default: break
        }
        // "Theta documents Cancel as not supported."
        if device.model.uppercased().contains("THETA") { peculiarities.cancelling = .dropLinks }
        // "The host pings every second and gets no answer."
        if device.manufacturer.uppercased().hasPrefix("LEICA") { peculiarities.answersProbes = false }
    }
}

extension GenericConnector {
    /// What an operator may say of a body that differs from others: words, and the values of each.
    public static let vocabulary: [String: [String]] = [
        "parts": ["listed", "refused", "from-beginning"], "wholes": ["listed", "refused"],
        "parameters": ["as-needed", "five"], "data-phase": ["0", "1", "3"],
        "open-session-transaction": ["0", "1"], "close-session": ["yes", "no"],
        "probe-after-handshake": ["yes", "no"], "answers-probes": ["yes", "no"],
        "answers-probes-in-calls": ["yes", "no"], "cancel": ["yes", "no"],
    ].merging(CanonTraits.vocabulary) { own, _ in own }.merging(NikonTraits.vocabulary) { own, _ in own }
        .merging(SonyTraits.vocabulary) { own, _ in own }
}
