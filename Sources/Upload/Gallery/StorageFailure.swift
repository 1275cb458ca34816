import Basics

/// Why the place that a gallery gave for a photo does not have it, or the gallery takes none of its kind.
enum StorageFailure {
    case noPlaceYet
    case unusablePlace
    case noAnswer(HTTPFailure)
    case certificate(HTTPFailure)
    /// What an answer of this status means there.
    case answered(Int, Answer)
    /// No photo, by its name and its first bytes.
    case noPhoto(name: String)
    /// What the gallery said of a photo that it has.
    case couldNotUse(code: String, message: String)

    enum Answer {
        case page
        case damaged
        case placeOver
        /// Its clock is so far ahead of ours, or behind it, that signatures do not hold.
        case clock(ahead: Duration)
        case tooLarge(UInt64)
        case unexplained
    }
}

extension StorageFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .noPlaceYet: "there is no place for it yet"
        case .unusablePlace: "the place that the gallery gave cannot be used"
        case .noAnswer(let failure): "the storage did not answer: \(failure)"
        case .certificate(let failure): "the storage: \(failure)"
        case .answered(let status, let answer): "the storage answered \(status)\(answer.sentence)"
        case .noPhoto(let name): "filtered: galleries take photos, and '\(name)' is none that they know"
        case .couldNotUse(let code, let message):
            "the gallery could not use it: \(code)\(message.isEmpty ? "" : ": \(message)")"
        }
    }
}

extension StorageFailure.Answer {
    /// With what stands between it and the status.
    fileprivate var sentence: String {
        switch self {
        case .page: " with a web page; is something between us and the storage?"
        case .damaged: ": it found the photo to be damaged"
        case .placeOver: ": the place is not valid any more"
        case .clock(let ahead):
            ": its clock is \(abs(ahead.components.seconds)) s \(ahead > .zero ? "ahead of" : "behind") ours"
        case .tooLarge(let size): ": it takes no file of \(size) bytes"
        case .unexplained: ""
        }
    }
}
