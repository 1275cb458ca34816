import Bridge
import Testing

/// What has happened, folded into how it is.
@Suite struct StatusFoldTests {
    private static let first = "192.168.1.1:15740"
    private static let second = "192.168.1.2:15740"
    private static let id = CaptureID(1)
    private static let photo = StagedPhoto(file: "f", size: 1, sha256: "")

    private func fold(_ events: TransferEvent..., at place: String = StatusFoldTests.first) -> StatusFold {
        var fold = StatusFold(
            event: BridgeEvent(id: "e", name: "Wedding"), cameras: [Self.first, Self.second],
            destinations: [
                BridgeStatus.Destination(url: "https://a", kind: .gallery),
                BridgeStatus.Destination(url: "https://b", kind: .direct),
            ])
        for event in events { fold.apply(.camera(CameraNews(place: place, event))) }
        return fold
    }

    private func phases(_ fold: StatusFold) -> [BridgeStatus.CameraPhase?] {
        fold.status.cameras.map(\.phase)
    }

    /// By what a connection is, and what its transfer does, if that counts: the word and something of the sentence.
    private static let words: [(ConnectionLife.State, TransferState?, BridgeStatus.CameraPhase?, String)] = [
        (.idle, .idle, nil, ""), (.connecting, .idle, .connecting, "connecting"),
        (.waitingForOK, .idle, .waitingForOK, "press OK"),
        (.waiting(until: .zero, because: .asleep("it sleeps")), nil, .asleep, "it sleeps"),
        (.waiting(until: .zero, because: .lost("cut")), .fetching("a"), .lost, "cut"),
        (.waiting(until: .zero, because: .flood("poured")), nil, .lost, "poured"),
        (.ended, .idle, .ended, "ended"), (.ready, nil, .listing, "listed"),
        (.ready, .away, .listing, "listed"),
        (.ready, .listing, .listing, "listed"), (.ready, .fetching("100/P1.JPG"), .fetching, "100/P1.JPG"),
        (.ready, .suspect("100/P2.JPG"), .suspect, "100/P2.JPG"), (.ready, .busy, .busy, "busy"),
        (.ready, .held("no room"), .held, "no room"), (.ready, .idle, .idle, "connected"),
    ]

    @Test("the connection's state counts first, then what the transfer does")
    func cameraPhases() {
        for (life, transfer, phase, part) in Self.words {
            var fold = fold()
            if let transfer { fold.apply(.camera(CameraNews(place: Self.first, .state(transfer)))) }
            fold.apply(.camera(CameraNews(place: Self.first, .connection(life))))
            #expect(phases(fold) == [phase, nil], "\(life), \(String(describing: transfer))")
            #expect(fold.status.cameras[0].state?.contains(part) ?? part.isEmpty, "\(life)")
        }
    }

    @Test("what a person has to do is shown as long as the camera waits for it")
    func person() {
        var fold = fold(.connection(.waitingForOK), .personNeeded("press the joystick"))
        #expect(fold.status.cameras[0].state == "press the joystick")
        fold.apply(.camera(CameraNews(place: Self.first, .connection(.ready))))
        fold.apply(.camera(CameraNews(place: Self.first, .connection(.waitingForOK))))
        #expect(fold.status.cameras[0].state != "press the joystick", "another time it may be something else")
    }

    @Test("two cameras are told apart, and one that is not ours is nobody")
    func places() {
        var fold = fold(.connection(.ready), .state(.fetching("P1")), at: Self.second)
        fold.apply(.camera(CameraNews(place: "elsewhere", .connection(.connecting))))
        let met = CameraIdentity(manufacturer: "Canon", model: "R5", body: "42")
        fold.apply(.camera(CameraNews(place: Self.second, .met(met))))
        #expect(phases(fold) == [nil, .fetching])
        #expect(fold.status.cameras.map(\.name) == [nil, "R5 (42)"])
    }

    @Test("what arrives is progress; connecting, listing and asking again are none")
    func progress() {
        let reason = "no"
        #expect(
            fold(.staged(Self.id, path: "a", Self.photo), .duplicate(Self.id, path: "b", of: Self.id))
                .progress == 2)
        let again = fold(
            .connection(.connecting), .connection(.ready), .reconciled(listed: 9, wanted: 9, passedOver: [:]),
            .began(Self.id, path: "a", size: 1, from: 0), .suspected(Self.id, path: "a", reason),
            .held(reason),
            .released, .state(.idle))
        #expect(again.progress == 0 && again.troubles == 0)
    }

    @Test("what did not arrive is trouble, and what was never described is named")
    func troubles() {
        let fold = fold(
            .lost(Self.id, path: "a", "gone"), .givenUp(Self.id, path: "b", "refused"),
            .givenUp(nil, path: "object 0x00010007", "cut"), .givenUp(nil, path: "object 0x00010007", "cut"),
            .empty(Self.id, path: "c"), .notDeleted(Self.id, path: "d", "no"))
        #expect(fold.troubles == 4)
        #expect(fold.notDescribed == ["\(Self.first) object 0x00010007"])
    }

    @Test("deliveries are progress, and trouble only when they wait for the operator")
    func deliveries() {
        var fold = fold()
        for event: UploadEvent in [
            .held(url: "https://a", .loggedOut, "log in"), .slots(url: "https://b", 3),
            .way(url: "https://b", "wlan0"), .held(url: "https://b", nil, "no answer"),
            .released(url: "https://b"),
            .ledgerFailed("disk full"),
        ] {
            fold.apply(.upload(event))
        }
        let destinations = fold.status.destinations
        #expect(destinations.map(\.hold) == [.init(cause: .loggedOut, reason: "log in"), nil])
        #expect(destinations.map(\.slots) == [nil, 3] && destinations.map(\.way) == [nil, "wlan0"])
        #expect(fold.status.notes.count == 1 && fold.status.notes[0].contains("disk full"))
        #expect(fold.progress == 0 && fold.troubles == 0)
    }

    @Test("the ledger's counts and what happens now are one status")
    func withLedger() {
        var fold = fold(.connection(.ready), .state(.idle))
        fold.apply(.paused(true))
        fold.apply(.upload(.held(url: "https://a", nil, "no answer")))
        var ledger = BridgeStatus()
        ledger.photos = [.staged: 7]
        ledger.cameras = [
            BridgeStatus.Camera(address: "old", name: "Old"),
            BridgeStatus.Camera(address: Self.first, name: "R5"),
        ]
        ledger.destinations = [BridgeStatus.Destination(url: "https://a", kind: .gallery, jobs: [.queued: 3])]
        ledger.notes = ["believed"]
        let disk = BridgeStatus.Disk(free: 1, total: 2)
        let whole = fold.with(ledger: ledger, spool: disk)
        #expect(whole.isRunning && whole.isPaused && whole.photos == [.staged: 7] && whole.spool == disk)
        #expect(whole.cameras.map(\.address) == ["old", Self.first, Self.second])
        #expect(whole.cameras.map(\.phase) == [nil, .idle, nil])
        #expect(whole.cameras[1].name == "R5", "nobody was met in this run yet")
        #expect(whole.destinations.map(\.jobs) == [[.queued: 3]])
        #expect(whole.destinations.map(\.hold?.reason) == ["no answer"])
        #expect(whole.notes == ["believed"])
    }
}
