/// How a survey of a camera's photos is to go about it.
public struct SurveyOptions: Equatable, Sendable {
    /// Ratings cost a question for each photo and are asked for only on demand.
    public var withRatings: Bool
    /// A camera that lists more is not believed.
    public var limit: Int
    /// Objects that are not described now, because asking for them has cost connections. A folder that others lie in is
    /// asked for all the same, behind everything else: without its name they would be taken for other photos.
    public var puttingOff: Set<PhotoReference>
    /// The same by their places in the camera's list, for bodies that rename everything at each connection.
    public var puttingOffPlaces: Set<Int>
    /// Of these, what has been given up: not asked for in any case. What lies in it is named without it.
    public var leavingOut: Set<PhotoReference>
    public var leavingOutPlaces: Set<Int>
    /// A shorter silence at one object than this says nothing of it; one that is long beside what the others take, and
    /// longer than this, is its own, and it is put off. Nothing where there is time for each.
    public var shortestSilence: Duration?

    public static let usualLimit = 100_000

    public init(
        withRatings: Bool = false, limit: Int = SurveyOptions.usualLimit,
        puttingOff: Set<PhotoReference> = [],
        puttingOffPlaces: Set<Int> = [], leavingOut: Set<PhotoReference> = [],
        leavingOutPlaces: Set<Int> = [],
        shortestSilence: Duration? = nil
    ) {
        self.withRatings = withRatings
        self.limit = limit
        self.puttingOff = puttingOff
        self.puttingOffPlaces = puttingOffPlaces
        self.leavingOut = leavingOut
        self.leavingOutPlaces = leavingOutPlaces
        self.shortestSilence = shortestSilence
    }
}

/// What a survey found.
public struct Survey: Equatable, Sendable {
    public var offers: [Offer]
    /// Everything there was, folders and what was put off included.
    public var references: Set<PhotoReference>
    /// Listed and not described: deleted meanwhile, or not ready. With the reason.
    public var unreadable: [PhotoReference: String]
    /// Not asked for, or asked for in vain until the time was over: it is asked for behind all others.
    public var putOff: [ListedPlace]
    /// The last that was asked for, when the camera did not answer: what it does not answer after that is the same silence.
    public var unanswered: PhotoReference?
    /// Why an object of ``putOff`` is not described.
    public static let whyPutOff = "connections have ended when the camera was asked for it"
    /// Which of it belongs to the event, by the camera's clock; nothing where that does not come from an event.
    public var taking: TakingRule?
    /// There is a card whose list is all of its photos. A camera that only hands photos through has none.
    public var hasCard: Bool
    /// Why it does not show all there is, where that lies in how the camera works.
    public var remark: String?
    /// How long the list itself took, without what describing its objects took; nothing where that is not known.
    public var listTook: Duration?

    public init(
        offers: [Offer] = [], references: Set<PhotoReference> = [],
        unreadable: [PhotoReference: String] = [:],
        putOff: [ListedPlace] = [], hasCard: Bool = false
    ) {
        self.offers = offers
        self.references = references
        self.unreadable = unreadable
        self.putOff = putOff
        self.hasCard = hasCard
    }
}

/// One object of a camera's list.
public struct ListedPlace: Hashable, Sendable {
    public var reference: PhotoReference
    /// The how-manieth in the list, from 0; nothing for one that was asked for by itself.
    public var place: Int?

    public init(_ reference: PhotoReference, place: Int? = nil) {
        self.reference = reference
        self.place = place
    }
}
