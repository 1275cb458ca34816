import Basics
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
        (.confirmingCode, .idle, .confirmingCode, "compare the code"),
        (.waiting(until: .zero, because: .asleep("it sleeps")), nil, .asleep, "it sleeps"),
        (.waiting(until: .zero, because: .lost("cut")), .fetching("a"), .lost, "cut"),
        (.waiting(until: .zero, because: .flood("poured")), nil, .lost, "poured"),
        (.ended, .idle, .ended, "ended"), (.ready, nil, .listing, "listed"),
        (.ready, .away, .listing, "listed"),
        (.ready, .listing, .listing, "listed"), (.ready, .fetching("100/P1.JPG"), .fetching, "100/P1.JPG"),
        (.ready, .suspect("100/P2.JPG"), .suspect, "100/P2.JPG"), (.ready, .busy, .busy, "busy"),
        (.ready, .held("no room", .noRoom), .held, "no room"), (.ready, .idle, .idle, "connected"),
    ]

    @Test("the connection's state counts first, then what the transfer does")
    func cameraPhases() {
        for (life, transfer, phase, part) in Self.words {
            var fold = fold()
            if let transfer { fold.apply(.camera(CameraNews(place: Self.first, .state(transfer)))) }
            fold.apply(.camera(CameraNews(place: Self.first, .connection(life))))
            #expect(phases(fold) == [phase, nil], "\(life), \(String(describing: transfer))")
            if case .waiting(_, let loss) = life {
                #expect(fold.status.cameras[0].loss == loss.word)
            } else {
                #expect(fold.status.cameras[0].loss == nil)
            }
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

    @Test("a code is shown instead of the question before it, and where to connect while it is connected to")
    func codeAndAdvice() {
        var fold = fold(.connection(.connecting), .advice("On the Z 8: Network menu."))
        #expect(fold.status.cameras[0].state == "connecting. On the Z 8: Network menu.")
        for event in [
            TransferEvent.connection(.waitingForOK), .personNeeded("press OK there"),
            .connection(.confirmingCode), .personNeeded("is it 1234?"),
        ] { fold.apply(.camera(CameraNews(place: Self.first, event))) }
        #expect(fold.status.cameras[0].state == "is it 1234?" && phases(fold)[0] == .confirmingCode)
    }

    @Test("two cameras are told apart, and a camera that is not ours is left out")
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
            .held(reason, nil),
            .released, .state(.idle))
        #expect(again.progress == 0 && again.troubles == 0)
    }

    @Test("what did not arrive is trouble, once each, and what was never described is named")
    func troubles() {
        var fold = fold(
            .lost(CaptureID(1), path: "a", "gone"), .givenUp(CaptureID(2), path: "b", "refused"),
            .givenUp(CaptureID(2), path: "b", "refused again"),
            .givenUp(nil, path: "object 0x00010007", "cut"), .givenUp(nil, path: "object 0x00010007", "cut"),
            .empty(CaptureID(3), path: "c"), .notDeleted(CaptureID(4), path: "d", "no"))
        #expect(fold.troubles == 3)
        #expect(fold.notDescribed == ["\(Self.first) object 0x00010007"])
        let missing = fold.with(ledger: BridgeStatus(), spool: nil).missing
        #expect(missing.map(\.path) == ["a", "b", "object 0x00010007"])
        #expect(missing.map(\.reason) == ["gone", "refused again", "cut"])
        #expect(missing.map(\.capture) == [CaptureID(1), CaptureID(2), nil])
        // The same name at another camera is another object.
        fold.apply(.camera(CameraNews(place: Self.second, .givenUp(nil, path: "object 0x00010007", "cut"))))
        #expect(fold.troubles == 4)
    }

    @Test("what arrives after all, or turns out to be nothing, is trouble no more")
    func arrivesLater() {
        let given: [TransferEvent] = (1...3).map { .givenUp(CaptureID($0), path: "\($0)", "cut") }
        var fold = fold(
            .lost(CaptureID(4), path: "4", "gone"), .givenUp(nil, path: "object 0x00010007", "cut"))
        for event in given { fold.apply(.camera(CameraNews(place: Self.first, event))) }
        #expect(fold.troubles == 5)
        let ends: [TransferEvent] = [
            .staged(CaptureID(1), path: "1", Self.photo),
            .duplicate(CaptureID(2), path: "2", of: CaptureID(1)),
            .empty(CaptureID(3), path: "3"), .staged(CaptureID(4), path: "4", Self.photo),
            .described(path: "object 0x00010007"),
        ]
        for (index, event) in ends.enumerated() {
            fold.apply(.camera(CameraNews(place: Self.first, event)))
            #expect(fold.troubles == 4 - index, "\(event)")
        }
        #expect(fold.notDescribed.isEmpty && fold.with(ledger: BridgeStatus(), spool: nil).missing.isEmpty)
        // What is described has yet to arrive.
        #expect(fold.progress == 3)
    }

    @Test("of very many missing photos the first are told, and all count")
    func manyMissing() {
        var fold = fold()
        for number in Int64(1)...150 {
            fold.apply(
                .camera(CameraNews(place: Self.first, .lost(CaptureID(number), path: "p", "gone"))))
        }
        #expect(fold.troubles == 150)
        let missing = fold.with(ledger: BridgeStatus(), spool: nil).missing
        #expect(missing.map(\.capture?.number) == (1...100).map { $0 })
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
        #expect(
            destinations.map(\.hold)
                == [.init(cause: .loggedOut, reason: "log in", since: Timestamp(milliseconds: 0)), nil])
        #expect(destinations.map(\.slots) == [nil, 3] && destinations.map(\.way) == [nil, "wlan0"])
        #expect(fold.status.notes.count == 1 && fold.status.notes[0].contains("disk full"))
        #expect(fold.progress == 0 && fold.troubles == 0)
    }

    @Test(
        "a delivery that waits for the operator is trouble until it is there, and shows that the ledger is written"
    )
    func deliveredAfterAll() {
        var fold = fold()
        let url = "https://a"
        func fail(_ number: Int64, isFinal: Bool) -> UploadEvent {
            .failed(.some(number), url: url, "no", isFinal: isFinal)
        }
        for event in [
            fail(1, isFinal: false), fail(1, isFinal: true), fail(2, isFinal: true), fail(2, isFinal: true),
        ] {
            fold.apply(.upload(event))
        }
        fold.apply(.upload(.ledgerFailed("disk full")))
        #expect(fold.troubles == 2 && fold.status.notes.count == 1)
        fold.apply(.upload(.delivered(.some(1), url: url, Receipt(key: "a", size: 1, sha256: ""))))
        #expect(fold.troubles == 1 && fold.status.notes.isEmpty && fold.progress == 1)
        fold.apply(.upload(.delivered(.some(2), url: url, Receipt(key: "b", size: 1, sha256: ""))))
        #expect(fold.troubles == 0 && fold.progress == 2)
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
        #expect(whole.cameras[1].name == "R5", "no camera was met in this run yet")
        #expect(whole.destinations.map(\.jobs) == [[.queued: 3]])
        #expect(whole.destinations.map(\.hold?.reason) == ["no answer"])
        #expect(whole.notes == ["believed"])
    }

    @Test("a camera that a search brings is one of the status's, a new one with what to do, until they go")
    func search() {
        var fold = fold()
        let place = "10.9.0.2:15740"
        fold.apply(.search(.new(place: place, name: "Canon EOS R6", advice: "add it")))
        #expect(
            fold.status.cameras.last
                == BridgeStatus.Camera(address: place, name: "Canon EOS R6", state: "add it", phase: .new))
        fold.apply(.search(.notNew(place: place)))
        fold.apply(.search(.tethers(place: place)))
        #expect(fold.status.cameras.count == 3 && fold.status.cameras.last?.phase == nil)
        fold.apply(.camera(CameraNews(place: place, .connection(.connecting))))
        #expect(fold.status.cameras.last?.phase == .connecting)
        fold.apply(.search(.leaves(place: place)))
        fold.apply(.camera(CameraNews(place: place, .connection(.ended))))
        #expect(fold.status.cameras.map(\.address) == [Self.first, Self.second])
    }
}

extension StatusFold {
    /// At no moment in particular.
    mutating func apply(_ news: BridgeNews) { apply(news, at: Timestamp(milliseconds: 0)) }

    func with(ledger: BridgeStatus, spool: BridgeStatus.Disk?) -> BridgeStatus {
        with(ledger: ledger, spool: spool, sending: [:], at: Timestamp(milliseconds: 0))
    }
}
