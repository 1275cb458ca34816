import Bridge
import TestSupport
import Testing

/// Every happening at every stage of a photo's way.
@Suite struct TransferMachineTests {
    /// How far the only photo of a card is, or what the connection is doing instead.
    enum Stage: CaseIterable, Sendable {
        case away
        case surveying
        /// The camera is asked what it is.
        case announced
        /// Its row is being written.
        case described
        /// Others are served first.
        case toFetch
        case inHand
        case finishing
        case staged
        case givenUp
        /// Delivered, and being deleted from the card.
        case deleting
        case renewing
        case leaving
    }

    enum Event: CaseIterable, Sendable {
        case connected, disconnected, added, removed, mayHaveMore, cardsChanged, ended
        case surveyed, listedWithout, listedWith, isPhoto, isFolder, notDescribed
        case whole, never, endsConnection, finished
        case recorded, notRecorded, deletable, deleted
        case stuck, surveyWanted, listedForOthers, deletionWanted, timePassed
    }

    private static let photo = CardBench.offer(1)
    private static let id = CaptureID(1)

    private static func bench(at stage: Stage) -> CardBench {
        var bench = CardBench { $0.deletesFromCard = true }
        let described: [TransferMachine.Happening] = [
            .noticed(.added(CardBench.first)), .described(CardBench.first, photo),
        ]
        let recorded = happening(.recorded, .described)
        let fetched = described + [recorded, happening(.whole, .inHand)]
        let staged = fetched + [happening(.finished, .finishing), .listed([CardBench.first])]
        let way: [TransferMachine.Happening] =
            switch stage {
            case .away: [.disconnected]
            case .surveying: [.disconnected, .connected(CardBench.tethering)]
            case .announced: [.noticed(.added(CardBench.first))]
            case .described: described
            case .toFetch: described + [.surveyWanted, recorded]
            case .inHand: described + [recorded]
            case .finishing: fetched
            case .staged: staged
            case .givenUp: described + [recorded, happening(.never, .inHand), .listed([CardBench.first])]
            case .deleting: staged + [.noticed(.mayHaveMore), .listed([CardBench.first]), .deletable([id])]
            case .renewing: [.noticed(.cardsChanged)]
            case .leaving: [.ended(CardBench.cut)]
            }
        bench.idle()
        for happening in way { bench.tell(happening) }
        return bench
    }

    private static func happening(_ event: Event, _ stage: Stage) -> TransferMachine.Happening {
        // The ledger answers what it was asked in this connection, or in one before.
        let tethering = stage == .described ? CardBench.tethering : CardBench.later
        let sightings = [CardBench.sighting(1)]
        return switch event {
        case .connected: .connected(CardBench.later)
        case .disconnected: .disconnected
        case .added: .noticed(.added(CardBench.first))
        case .removed: .noticed(.removed(CardBench.first))
        case .mayHaveMore: .noticed(.mayHaveMore)
        case .cardsChanged: .noticed(.cardsChanged)
        case .ended: .ended(CardBench.cut)
        case .surveyed: .surveyed(Survey(offers: [photo], references: [CardBench.first], hasCard: true))
        case .listedWithout: .listed([])
        case .listedWith: .listed([CardBench.first])
        case .isPhoto: .described(CardBench.first, photo)
        case .isFolder: .described(CardBench.first, nil)
        case .notDescribed: .failed(.describe(CardBench.first), .notNow, reason: "no", about: nil)
        case .whole: .fetched(id, .whole(Fetched(offer: photo, size: 100_000)), FetchEffort())
        case .never: .fetched(id, .failed(.never, "no"), FetchEffort())
        case .endsConnection:
            .fetched(id, .failed(.connectionOver(CardBench.cut, mayBeItsDoing: true), "no"), FetchEffort())
        case .finished: .finished(id, .staged(StagedPhoto(file: "f", size: 100_000, sha256: "")))
        case .recorded: .recorded(sightings, [CardBench.capture(1)], tethering, isLive: true)
        case .notRecorded: .notRecorded(sightings, tethering, isLive: true, reason: "full")
        case .deletable: .deletable([id])
        case .deleted: .done(.delete(id, photo))
        case .stuck: .stuck("full")
        case .surveyWanted: .surveyWanted
        case .listedForOthers: .listedForOthers([CardBench.first])
        case .deletionWanted: .deletionWanted
        case .timePassed: .timePassed
        }
    }

    /// At each stage, what each happening leads to: the actions, then where the connection is, if elsewhere. Without
    /// words it is only noted. What is not here changes nothing: the machine does not wait for it.
    static let table: [Stage: [Event: String]] = [
        .away: [.connected: "survey → surveying"],
        .surveying: [
            .surveyed: "record r1 → working", .added: "", .mayHaveMore: "", .cardsChanged: "", .ended: "",
        ],
        .announced: [
            .isPhoto: "record r1 live", .isFolder: "", .notDescribed: "", .added: "", .mayHaveMore: "",
            .cardsChanged: "", .ended: "",
        ],
        .described: [
            .recorded: "fetch 1", .added: "describe r1", .removed: "", .mayHaveMore: "list",
            .cardsChanged: "begin anew → renewing", .ended: "end → leaving",
            .surveyWanted: "survey for others", .deletionWanted: "deletions are done",
        ],
        .toFetch: [
            .removed: "discard 1, 1 is lost, journal, lost 1", .added: "", .mayHaveMore: "",
            .cardsChanged: "", .ended: "", .listedForOthers: "the list is told, fetch 1",
        ],
        .inHand: [
            .whole: "finish 1", .never: "charge 1 0, 1 is abandoned, journal, given up 100/P1.JPG, list",
            .endsConnection: "charge 1 1, end → leaving", .added: "", .removed: "", .mayHaveMore: "",
            .cardsChanged: "", .ended: "",
        ],
        .finishing: [
            .finished: "arrived 1, list", .added: "describe r1", .removed: "", .mayHaveMore: "list",
            .cardsChanged: "begin anew → renewing", .ended: "end → leaving",
            .surveyWanted: "survey for others", .deletionWanted: "deletions are done",
        ],
        .staged: [
            .added: "describe r1", .removed: "", .mayHaveMore: "ask what may be deleted, list",
            .cardsChanged: "begin anew → renewing", .ended: "end → leaving",
            .surveyWanted: "survey for others", .deletionWanted: "ask what may be deleted",
        ],
        .givenUp: [
            .added: "describe r1", .removed: "", .mayHaveMore: "list", .cardsChanged: "begin anew → renewing",
            .ended: "end → leaving", .surveyWanted: "survey for others",
            .deletionWanted: "deletions are done",
        ],
        .deleting: [
            .deleted: "deleted 1", .added: "", .removed: "", .mayHaveMore: "", .cardsChanged: "", .ended: "",
        ],
        .renewing: [
            .connected: "survey → surveying", .ended: "end → leaving", .added: "", .mayHaveMore: "",
            .cardsChanged: "",
        ],
        .leaving: [:],
    ]

    /// The same at every stage where the table does not say otherwise.
    static func everywhere(_ event: Event, _ stage: Stage) -> String? {
        switch event {
        case .disconnected: stage == .away ? nil : "→ away"
        case .stuck, .notRecorded: "held"
        // The caller is answered when the camera has time.
        case .surveyWanted, .deletionWanted: ""
        default: nil
        }
    }

    @Test("every happening at every stage leads where the table says", arguments: Stage.allCases)
    func everyHappening(stage: Stage) throws {
        let row = try #require(Self.table[stage])
        for event in Event.allCases {
            let before = Self.bench(at: stage)
            var bench = before
            var found = bench.tell(Self.happening(event, stage))
            let phase = bench.machine.phase
            if phase != before.machine.phase { found += found.isEmpty ? "→ \(phase)" : " → \(phase)" }
            let expected = row[event] ?? Self.everywhere(event, stage)
            #expect(found == expected ?? "", "\(stage), \(event)")
            #expect(
                (bench.machine == before.machine) == (expected == nil), "\(stage), \(event): is it noted?")
        }
    }

    @Test("every stage is what it is called")
    func stages() {
        let expected: [Stage: (TransferMachine.Phase, TransferMachine.Errand?)] = [
            .away: (.away, nil), .surveying: (.surveying, .survey),
            .announced: (.working, .describe(CardBench.first)), .described: (.working, nil),
            .toFetch: (.working, .surveyForOthers), .inHand: (.working, .fetch(Self.id)),
            .finishing: (.working, nil), .staged: (.working, nil), .givenUp: (.working, nil),
            .deleting: (.working, .delete(Self.id, Self.photo)), .renewing: (.renewing, nil),
            .leaving: (.leaving, nil),
        ]
        for stage in Stage.allCases {
            let machine = Self.bench(at: stage).machine
            #expect(machine.phase == expected[stage]?.0 && machine.errand == expected[stage]?.1, "\(stage)")
            #expect((machine.idleSince != nil) == [.staged, .givenUp].contains(stage), "\(stage)")
        }
    }
}
