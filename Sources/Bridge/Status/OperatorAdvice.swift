import Basics

/// What an operator can do about what stands still: one sentence for each cause, the same in every view.
extension HoldCause {
    /// `url` is the destination's.
    public func advice(for url: String) -> String {
        switch self {
        case .loggedOut: "log in again: 'tetherline login'; it goes on by itself then."
        case .consent: "read and give the consent: 'tetherline consent --give'; it goes on by itself then."
        case .credits:
            "the gallery's account has no credits left: its host can add some; it goes on by itself then."
        case .certificate:
            "check the clock of this machine and the destination's certificate or host key; the settings name a private "
                + "authority or a key."
        case .settings:
            "correct the destination's address, name or key: 'tetherline destination test' tries \(url) without a photo."
        case .eventExpired: "the event has ended at the gallery: its host can make it last longer."
        }
    }
}

extension BridgeStatus {
    /// What is said where nothing has to be done.
    static let triedAgain = "nothing: it is tried again by itself."
    static let isOver = "nothing: it is over."
    public static let failedAdvice = "mend the cause, then 'tetherline retry --failed' begins it again."

    static let lostAdvice = "look for it on the camera's cards: 'tetherline verify' names what is not here."
    static let givenUpAdvice = "nothing: it is tried again later. 'tetherline verify' names what is not here."

    static func advice(for hold: Destination.Hold, at url: String) -> String {
        hold.cause?.advice(for: url) ?? triedAgain
    }

    /// Where the disk takes no photos. With no meaning it is the ledger that takes nothing, and its reason says what helps.
    static func advice(for meaning: DiskError.Meaning?) -> String {
        switch meaning {
        case .noRoom: "make room on the disk of the spool; it goes on by itself then."
        case .notWritable:
            "let this user write into the spool, or mount its disk for writing; it goes on by itself then."
        case .missing:
            "a folder of the spool is gone: if it was a disk's, mount that again; it goes on by itself. 'tetherline store "
                + "check' names photos that went with it."
        case .tooManyOpen:
            "let the bridge open more files ('ulimit -n', or LimitNOFILE of its service); it goes on by itself then."
        case .failing:
            "do not trust the disk of the spool any more: end this run, and begin it with a home on another disk."
        case .tooLarge, .other, nil: "do what the reason says; it goes on by itself then."
        }
    }
}

extension BridgeStatus.Trouble {
    /// It has happened, and is told as that.
    mutating func needsNothing() {
        (kind, advice, needsOperator) = (.over, BridgeStatus.isOver, false)
    }

    /// No bridge asks for the camera: what is pressed on it now changes nothing.
    mutating func waitsForRun() {
        (advice, needsOperator) = (
            "nothing: no bridge runs, and the next one connects to it by itself.", false
        )
    }

    /// Whether a camera's trouble is over when this happens there.
    func isEnded(by event: TransferEvent) -> Bool {
        switch event {
        case .staged(_, let path, _), .duplicate(_, let path, _), .empty(_, let path), .described(let path):
            photo == path
        // A connection makes no room on the disk.
        case .connection(.ready): kind == .connection
        case .state(.fetching), .state(.suspect), .state(.idle): kind == .disk
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .passedOver, .began, .lost,
            .suspected, .givenUp, .deleted, .notDeleted, .held, .released, .remark, .clock:
            false
        }
    }

    /// What goes on is one trouble and not many: its moment is renewed once a minute.
    func unlessRepeated(_ last: BridgeStatus.Trouble?) -> BridgeStatus.Trouble {
        guard let last, last.reason == reason, last.photo == photo, last.kind == kind, last.advice == advice,
            let before = last.at, let at, at >= before, at - before < .seconds(60)
        else { return self }
        return last
    }
}

extension ConnectionLife.Loss {
    /// Nothing has to be done by a person.
    var passesByItself: Bool {
        switch self {
        case .lost, .flood: true
        case .unreachable, .busy, .needsPerson, .asleep: false
        }
    }

    /// The reason often names what to press; this says who moves next.
    var advice: String {
        switch self {
        case .lost, .flood: BridgeStatus.triedAgain
        case .unreachable:
            "check that the camera is on, in this network and within range; it is tried again by itself."
        case .busy: "close the other program that is connected to the camera; it is tried again by itself."
        case .needsPerson: "do on the camera what the reason says; it is tried again by itself."
        case .asleep: "press the shutter halfway to wake the camera; it is tried again by itself."
        }
    }
}
