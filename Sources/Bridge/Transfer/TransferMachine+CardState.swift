extension TransferMachine {
    /// What is known of the photos of one connection, until it ends or cards are changed: references may mean other
    /// photos after that.
    struct Card: Equatable, Sendable {
        var tethering: ConnectedCamera?
        /// What is taken; from the survey on with the event's windows by this camera's clock.
        var filter = CaptureFilter()
        /// Photos that are to be fetched.
        var queue: FetchQueue
        /// What has been looked at, folders included.
        var seen: Set<PhotoReference> = []
        /// What has to be looked at, in order.
        var announced: [PhotoReference] = []
        /// Could not be described yet, and how often that was tried.
        var undescribed: [PhotoReference: Int] = [:]
        /// Asking for it has cost connections: asked for when there is nothing else to do.
        var putOff: [ListedPlace] = []
        /// Given up, and until when: looked at again then.
        var givenUp: [PhotoReference: GivenUp] = [:]
        /// How often what could not be described was given up: each time it is left alone for longer.
        var timesGivenUp: [PhotoReference: Int] = [:]
        var twins = LookalikeNumbering()
        var companions = CompanionBook()
        /// Being fetched or made durable. Without a reference where the camera has given that to another photo.
        var inHand: [CaptureID: PhotoReference?] = [:]
        /// What is here and still on the card, when it is to be deleted there.
        var onCard: [PhotoReference: OnCard] = [:]
        var toDelete: [OnCard] = []
        /// What the body may let go of.
        var toRelease: [OnCard] = []
        /// Rows that could not be written.
        var unrecorded: [Unrecorded] = []
        var wantsList = false
        var listDue: Duration?
        var listBegan: Duration?
        var keepAliveDue: Duration?
        /// The list has been compared since there was something to do.
        var hasListedSinceWork = false
        var haveCardsChanged = false
        /// It says so.
        var isBusy = false
        /// What is being fetched.
        var fetching: FetchQueue.Item?
        /// It had no size when its turn came: the camera is being asked again.
        var asksForSize: FetchQueue.Item?
        var surveyBegan: Duration?
        /// In the survey, which could not say what they are: they may be as old as the others.
        var listedBefore: Set<PhotoReference> = []
        /// Not everything in the survey could be described: what is missed may be among that.
        var owesMissing = false
        /// The camera did not answer when its list was to be compared, so many times in a row.
        var failedLists = 0
        /// The list is to be compared before there is nothing to do.
        var listsAgain = false
        /// The connection has ended while the camera was asked for something that came whole.
        var loss: ConnectionLife.Loss?
        /// Sightings that the ledger has not answered for, as they were handed to it.
        var recording: [[Sighting]] = []
        /// What the survey has brought, counted as the ledger answers.
        var tally = SurveyTally.none
        var deletable = Deletable.unknown

        init(_ settings: Settings) {
            queue = FetchQueue(jpegFirst: settings.jpegFirst)
        }

        struct OnCard: Equatable, Sendable {
            let capture: CaptureID
            let offer: Offer
        }

        /// Whether it is known what may be deleted by now, for those who wait for that.
        enum Deletable: Equatable, Sendable {
            /// The ledger has not been asked since a caller began to wait.
            case unknown
            case asked
            /// A caller has begun to wait since the ledger was asked: its answer is about a moment before.
            case askedBefore
            case known
        }

        struct GivenUp: Equatable, Sendable {
            let until: Duration
        }

        mutating func ledgerHasAnswered(for sightings: [Sighting]) {
            let answered = sightings.lazy.map(\.offer.reference)
            let index = recording.firstIndex { $0.lazy.map(\.offer.reference).elementsEqual(answered) }
            if let index { recording.remove(at: index) }
        }

        /// The camera does not have it any more under this reference.
        mutating func forget(_ reference: PhotoReference) {
            seen.remove(reference)
            undescribed[reference] = nil
            twins.remove(reference)
            onCard[reference] = nil
            givenUp[reference] = nil
            putOff.removeAll { $0.reference == reference }
        }

        /// A flood is answered with one list instead of a question for each.
        mutating func announce(_ reference: PhotoReference) {
            if announced.count < Self.mostAnnounced { announced.append(reference) } else { wantsList = true }
        }

        static let mostAnnounced = 256

        /// Listed, and nothing has been asked about it yet, or nothing that came to an end.
        func isNew(_ reference: PhotoReference) -> Bool {
            !seen.contains(reference) && undescribed[reference] == nil && givenUp[reference] == nil
                && !putOff.contains { $0.reference == reference }
        }
    }

    struct Unrecorded: Equatable, Sendable {
        let sightings: [Sighting]
        let isLive: Bool
    }

    struct SurveyTally: Equatable, Sendable {
        var listed = 0
        var wanted = 0
        var passedOver: [FilterRule: Int] = [:]
        var isReported = false

        /// There was no survey of which anything could be told.
        static let none = SurveyTally(isReported: true)
    }
}
