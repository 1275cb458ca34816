import Basics

/// What an operator can do about what stands still: one sentence for each cause, the same in every view.
extension HoldCause {
    /// `url` is the destination's.
    func advice(for url: String) -> String {
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

    static let diskAdvice = "make room on the disk of the spool; it goes on by itself then."
    static let lostAdvice = "look for it on the camera's cards: 'tetherline verify' names what is not here."
    static let givenUpAdvice = "nothing: it is tried again later. 'tetherline verify' names what is not here."

    static func advice(for hold: Destination.Hold, at url: String) -> String {
        hold.cause?.advice(for: url) ?? triedAgain
    }
}

extension BridgeStatus.Trouble {
    /// It has happened, and is told as that.
    mutating func needsNothing() { advice = BridgeStatus.isOver }

    /// Whether a camera's trouble is over when this happens there.
    func isEnded(by event: TransferEvent) -> Bool {
        switch event {
        case .staged(_, let path, _), .duplicate(_, let path, _), .empty(_, let path), .described(let path):
            photo == path
        // A connection makes no room on the disk.
        case .connection(.ready): photo == nil && advice != BridgeStatus.diskAdvice
        case .state(.fetching), .state(.suspect), .state(.idle): advice == BridgeStatus.diskAdvice
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .passedOver, .began, .lost,
            .suspected, .givenUp, .deleted, .notDeleted, .held, .released, .remark:
            false
        }
    }

    /// What goes on is one trouble and not many: its moment is renewed once a minute.
    func unlessRepeated(_ last: BridgeStatus.Trouble?) -> BridgeStatus.Trouble {
        guard let last, last.reason == reason, last.photo == photo, last.advice == advice,
            let before = last.at, let at, at >= before, at - before < .seconds(60)
        else { return self }
        return last
    }
}

extension ConnectionLife.Loss {
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
