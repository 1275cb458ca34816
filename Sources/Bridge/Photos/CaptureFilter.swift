/// Why a photo that a camera has is not taken.
public enum FilterRule: String, Equatable, Sendable, CaseIterable {
    /// Shot before the event began, or before what was asked for.
    case older
    /// Shot after the event was closed here, and before it was begun again.
    case outside
    /// Shot while no bridge ran for long: the operator has to say whether it is wanted.
    case unattended
    /// The same, and it is not wanted.
    case declined
    /// JPEG only, or RAW only, and it is the other one.
    case kind
    case format
    case unprotected
    case rating
    case small
    /// There is a file, and not a byte in it.
    case empty

    /// Which photos are wanted, and not which event they belong to: it counts less than that nothing is lost.
    var isSelection: Bool {
        switch self {
        case .unattended, .kind, .format, .unprotected, .rating, .small: true
        case .older, .outside, .declined, .empty: false
        }
    }

    public var sentence: String {
        switch self {
        case .older: "shot before the event began here ('--since all' downloads older ones)"
        case .outside: "shot while the event was closed here"
        case .unattended:
            "shot while no bridge ran for a long time ('tetherline events take' downloads them, 'tetherline events "
                + "decline' leaves them on the card)"
        case .declined: "shot while no bridge ran for a long time, and declined"
        case .kind: "of a kind that is not wanted (--take)"
        case .format: "of a format that is not wanted (--formats)"
        case .unprotected: "not protected on the camera (--only-protected)"
        case .rating: "rated too low (--min-rating)"
        case .small: "too small (--min-size)"
        case .empty: "empty: there is not a byte in it on the card"
        }
    }
}

/// What of a camera's photos is taken: a value that answers for one photo at a time.
public struct CaptureFilter: Equatable, Sendable {
    public enum Kinds: String, CaseIterable, Sendable {
        case both
        case jpeg
        case raw
        /// Everything, but no RAW before the last JPEG.
        case jpegFirst = "jpeg-first"
    }

    public var kinds: Kinds = .both
    /// Extensions in upper case; empty for all.
    public var formats: Set<String> = []
    public var onlyProtected = false
    public var minimumRating: Int?
    public var minimumSize: UInt64 = 0
    /// By the camera's own clock.
    public var taking = TakingRule.everything

    public init() {}

    /// An extension as `formats` holds it: upper case, without a dot, and one spelling for those that have two.
    public static func usual(_ ending: String) -> String {
        let plain = ending.uppercased().drop { $0 == "." || $0 == " " }
        return switch plain {
        case "JPEG": "JPG"
        case "TIFF": "TIF"
        default: String(plain)
        }
    }

    /// The rule that speaks against it; nothing when it is taken. `isLive`: it has appeared while we looked. A photo
    /// without a readable date is never too old: taking one too many costs a second, one too few costs a photo.
    public func objection(to offer: Offer, isLive: Bool = false) -> FilterRule? {
        let identity = offer.identity
        if isLive || offer.isInMemory {
            if let rule = taking.objectionToLive { return rule }
        } else if let takenAt = identity.takenAt, let rule = taking.objection(to: takenAt) {
            return rule
        }
        switch (kinds, identity.kind) {
        case (.jpeg, .raw), (.jpeg, .other), (.raw, .picture), (.raw, .other): return .kind
        case (.both, _), (.jpegFirst, _), (.jpeg, .picture), (.raw, .raw): break
        }
        if !formats.isEmpty, !formats.contains(Self.usual(identity.ending)) { return .format }
        if onlyProtected, !offer.isProtected { return .unprotected }
        if let minimumRating, (offer.rating ?? 0) < minimumRating { return .rating }
        if offer.hasFinalSize, identity.size < minimumSize { return .small }
        return nil
    }
}

extension PhotoIdentity {
    /// The extension in upper case, without the dot.
    public var ending: String {
        let stem = stem
        return stem.count == name.count ? "" : name.dropFirst(stem.count + 1).uppercased()
    }
}
