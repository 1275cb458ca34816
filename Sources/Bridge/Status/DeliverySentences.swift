/// What is said of deliveries that do not go on, for the operator: the ledger keeps these sentences, and every view shows
/// them.
extension SpoolFileFailure: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(sentence)" }

    private var sentence: String {
        switch self {
        case .missing(let path): "\(path) is not in the spool any more"
        case .otherSize(let path, let found, let staged):
            "\(path) has \(found) bytes and had \(staged) when it was staged"
        case .otherBytes(let path): "\(path) has another SHA-256 than when it was staged"
        }
    }
}

extension GalleryFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .forgetsUploads: "the gallery forgets uploads as soon as they are begun."
        case .forgetsPhoto: "the gallery forgets this photo"
        case .letsPlaceExpire: "the gallery lets the place for this photo expire"
        case .photosDoNotArrive:
            "photos leave and do not arrive: no answer came, and the gallery waits for them"
        case .again(let failure): "\(failure) each time it is sent"
        }
    }
}

extension JobChange {
    public static let cancelledByOperator = "cancelled by the operator"
    public static let cancelledWithDestination = "cancelled by the operator, who removed its destination"
}

extension JobMismatch: CustomStringConvertible {
    public var description: String {
        "job \(change.job) was not \(change.from.rawValue) when it should become \(change.to.rawValue); "
            + "please report this with 'tetherline store export'."
    }
}
