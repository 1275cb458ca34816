/// One photo's way into the gallery, as a value: what has happened changes it, and it tells the caller what may be done.
///
/// Lost, doubled and reordered requests are its everyday. Whatever their order, one photo comes out of it.
package struct UploadStateMachine: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// A place has been given, and no bytes are known to lie at any. Left when bytes are found, or when the last
        /// place has ended and nothing lies there.
        case pending
        /// Whole bytes lie at this key and are worked on, or will be. Left when that has come to an end.
        case processing(key: String)
        /// There is a photo. Nothing changes that any more.
        case completed(photo: String, key: String)
        /// It did not become a photo. Left when a new place is asked for, when other bytes are found, or, where time
        /// may have cured the cause, when the client wants it tried again; never, when its host has dismissed it.
        case failed(Failure, key: String?)
        /// The last place has ended, and nothing lay there. Left when a new place is asked for, and by bytes that are
        /// found all the same.
        case expired
    }

    package enum Happening: Equatable, Sendable {
        case placeWanted
        /// Bytes of the right number, and the right hash where one was given, lie there.
        case landed(key: String)
        /// All places have ended, and nothing lies at any of them.
        case nothingCame
        case processed(key: String, photo: String)
        case refused(key: String, Failure)
        case retried
        /// The host wants to hear no more of it.
        case dismissed
    }

    package enum Answer: Equatable, Sendable {
        case moved
        /// It is so already, or it does not matter any more.
        case nothing
        /// What was asked for makes no sense now.
        case conflict(String)
    }

    package private(set) var state: State

    package init(_ state: State = .pending) {
        self.state = state
    }

    package mutating func handle(_ happening: Happening) -> Answer {
        switch happening {
        case .placeWanted: placeWanted()
        case .landed(let key): landed(key)
        case .nothingCame: nothingCame()
        case .processed(let key, let photo): ended(key) { .completed(photo: photo, key: key) }
        case .refused(let key, let failure): ended(key) { .failed(failure, key: key) }
        case .retried: retried()
        case .dismissed: dismissed()
        }
    }

    private mutating func placeWanted() -> Answer {
        switch state {
        case .failed(let failure, _) where failure.code == .dismissed: return .conflict(failure.message)
        case .pending, .failed, .expired:
            state = .pending
            return .moved
        case .processing: return .conflict("its bytes are here and are being worked on; ask for its status")
        case .completed: return .conflict("it is a photo already; ask for its status")
        }
    }

    private mutating func landed(_ key: String) -> Answer {
        switch state {
        case .pending, .expired:
            state = .processing(key: key)
            return .moved
        case .failed(let failure, let old):
            // The same bytes would only fail again.
            if old == key || failure.code == .dismissed { return .nothing }
            state = .processing(key: key)
            return .moved
        case .processing, .completed: return .nothing
        }
    }

    private mutating func nothingCame() -> Answer {
        switch state {
        case .pending:
            state = .expired
            return .moved
        case .processing, .completed, .failed, .expired: return .nothing
        }
    }

    private mutating func ended(_ key: String, _ next: () -> State) -> Answer {
        switch state {
        case .processing(key: key):
            state = next()
            return .moved
        case .processing, .pending, .completed, .failed, .expired: return .nothing
        }
    }

    private mutating func retried() -> Answer {
        switch state {
        case .failed(let failure, let key?) where failure.code.isCurable:
            state = .processing(key: key)
            return .moved
        case .failed(let failure, _) where failure.code.isCurable:
            return .conflict("its bytes are not kept any more; upload it again")
        case .failed(let failure, _):
            return .conflict("trying again would change nothing: \(failure.message)")
        case .pending, .processing, .completed, .expired: return .conflict("it has not failed")
        }
    }

    private mutating func dismissed() -> Answer {
        switch state {
        case .failed(let failure, _) where failure.code == .dismissed: return .nothing
        case .failed:
            state = .failed(
                Failure(.dismissed, "the host has dismissed it, and does not want it any more"), key: nil)
            return .moved
        case .pending, .processing, .completed, .expired: return .conflict("it has not failed")
        }
    }

    package struct Failure: Equatable, Sendable {
        package let code: Code
        package let message: String

        package init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }
    }

    /// Why bytes did not become a photo. An open set: a newer gallery may have written others.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let notAnImage = Code(rawValue: "NOT_AN_IMAGE")
        package static let notAVideo = Code(rawValue: "NOT_A_VIDEO")
        package static let typeMismatch = Code(rawValue: "TYPE_MISMATCH")
        package static let truncated = Code(rawValue: "TRUNCATED")
        package static let tooLarge = Code(rawValue: "TOO_LARGE")
        package static let unsupported = Code(rawValue: "UNSUPPORTED")
        package static let wrongHash = Code(rawValue: "CHECKSUM_MISMATCH")
        package static let decoderCrashed = Code(rawValue: "DECODER_CRASHED")
        package static let timeout = Code(rawValue: "PROCESSING_TIMEOUT")
        package static let storage = Code(rawValue: "STORAGE_ERROR")
        package static let noCredits = Code(rawValue: "INSUFFICIENT_CREDITS")
        /// What guests of the event may spend of its host's credits is spent.
        package static let guestLimit = Code(rawValue: "GUEST_LIMIT_REACHED")
        package static let eventGone = Code(rawValue: "EVENT_GONE")
        /// Not counted among those that failed, and in no list; who asks for it by its id is told.
        package static let dismissed = Code(rawValue: "DISMISSED")

        /// The same bytes may become a photo at another time.
        package var isCurable: Bool { Self.curable.contains(self) }
        package static let curable: [Code] = [.timeout, .storage, .noCredits, .guestLimit]
    }
}
