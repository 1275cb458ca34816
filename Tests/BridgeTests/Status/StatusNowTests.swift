import Basics
import Bridge
import Testing

/// What a status says is so now, beside what has happened before.
@Suite struct StatusNowTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)
    private static let url = "file:///desk"
    private static let place = "a:1"

    private static func fold() -> StatusFold {
        StatusFold(
            event: BridgeEvent(id: "e", name: "W"), cameras: [place],
            destinations: [BridgeStatus.Destination(url: url, kind: .direct)])
    }

    private static func tell(_ fold: inout StatusFold, _ event: TransferEvent, _ seconds: Int) {
        fold.apply(.camera(CameraNews(place: place, event)), at: start + .seconds(seconds))
    }

    private static func job(_ number: Int64) -> Job {
        Job(
            id: JobID(number), capture: CaptureID(number), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: "k", attempts: 0, due: start,
            photo: StagedPhoto(file: "f", size: 8, sha256: ""),
            facts: NameTemplate.Facts(
                event: "e", date: "", time: "", camera: "", serial: "", sequence: number,
                name: "P\(number).JPG"))
    }

    /// As the ledger tells it, with the newest of the jobs that have failed for good.
    private static func ledger(failed: Int) -> BridgeStatus {
        var status = BridgeStatus()
        var place = BridgeStatus.Destination(url: url, kind: .direct, jobs: [.failed: failed])
        if failed > 0 {
            place.lastError = .init(
                at: nil, photo: "P9.JPG", reason: "refused", advice: BridgeStatus.failedAdvice)
        }
        status.destinations = [place]
        return status
    }

    private static func needsNothing(_ trouble: BridgeStatus.Trouble?) -> Bool {
        trouble?.advice.hasPrefix("nothing:") == true
    }

    // MARK: Since when

    @Test(
        "a camera that is tried again and again is away since it was lost, until it is there or away otherwise"
    )
    func away() {
        var fold = Self.fold()
        func since() -> Timestamp? { fold.status.cameras[0].since }
        Self.tell(&fold, .connection(.connecting), 0)
        #expect(since() == Self.start)
        Self.tell(&fold, .connection(.ready), 5)
        Self.tell(&fold, .state(.idle), 6)
        for second in stride(from: 60, to: 3600, by: 20) {
            let reason = "no route, at try \(second)"
            Self.tell(&fold, .connection(.waiting(until: .zero, because: .unreachable(reason))), second)
            #expect(since() == Self.start + .seconds(60), "\(second)")
            Self.tell(&fold, .connection(.connecting), second + 10)
            #expect(since() == Self.start + .seconds(60), "\(second)")
        }
        Self.tell(&fold, .connection(.waiting(until: .zero, because: .asleep("it sleeps"))), 4000)
        #expect(since() == Self.start + .seconds(4000), "another cause")
        Self.tell(&fold, .state(.away), 4001)
        Self.tell(&fold, .connection(.connecting), 4010)
        Self.tell(&fold, .connection(.waitingForOK), 4011)
        #expect(since() == Self.start + .seconds(4011), "it asks something")
        Self.tell(&fold, .connection(.ready), 4020)
        Self.tell(&fold, .state(.idle), 4021)
        #expect(since() == Self.start + .seconds(4021))
        Self.tell(&fold, .connection(.waiting(until: .zero, because: .asleep("it sleeps"))), 5000)
        #expect(since() == Self.start + .seconds(5000), "it was there in between")
    }

    // MARK: What is to be done

    @Test("what a destination needed is no advice any more once it goes on, and stays its last error")
    func released() {
        for end in [UploadEvent.released(url: Self.url), .begun(url: Self.url)] {
            var fold = Self.fold()
            fold.apply(.upload(.held(url: Self.url, .loggedOut, "logged out")), at: Self.start)
            #expect(fold.status.destinations[0].lastError?.advice.contains("log in again") == true)
            fold.apply(.upload(end), at: Self.start + .seconds(9))
            let whole = fold.with(
                ledger: Self.ledger(failed: 0), spool: nil, sending: [:], at: Self.start + .seconds(9))
            for error in [whole.destinations[0].lastError, fold.memory.destinations[Self.url]?.lastError] {
                #expect(error?.reason == "logged out" && error?.at == Self.start)
                #expect(Self.needsNothing(error), "\(String(describing: error))")
            }
        }
    }

    @Test("a camera that is there again needs nothing, a disk that takes no photos still does")
    func thereAgain() {
        var fold = Self.fold()
        func error() -> BridgeStatus.Trouble? { fold.status.cameras[0].lastError }
        Self.tell(&fold, .connection(.waiting(until: .zero, because: .unreachable("no route"))), 0)
        Self.tell(&fold, .connection(.connecting), 5)
        #expect(error()?.advice.contains("is on") == true, "it is still away")
        Self.tell(&fold, .connection(.ready), 6)
        #expect(error()?.reason == "no route" && Self.needsNothing(error()))
        Self.tell(&fold, .state(.held("no room")), 10)
        Self.tell(&fold, .state(.away), 11)
        Self.tell(&fold, .connection(.ready), 12)
        #expect(error()?.advice.contains("make room") == true, "a connection is no room")
        Self.tell(&fold, .state(.fetching("P1.JPG")), 13)
        #expect(error()?.reason == "no room" && Self.needsNothing(error()))
        #expect(Self.needsNothing(StatusMemory(noted: fold.memory.noted).cameras[Self.place]))
    }

    @Test("a photo that was lost and arrives after all needs nothing; another photo changes nothing")
    func arrived() {
        let photo = StagedPhoto(file: "f", size: 1, sha256: "")
        let ends: [TransferEvent] = [
            .staged(CaptureID(1), path: "P1", photo), .duplicate(CaptureID(1), path: "P1", of: CaptureID(2)),
            .empty(CaptureID(1), path: "P1"), .described(path: "P1"),
        ]
        for end in ends {
            var fold = Self.fold()
            Self.tell(&fold, .connection(.ready), 0)
            Self.tell(&fold, .lost(CaptureID(1), path: "P1", "gone"), 1)
            Self.tell(&fold, .staged(CaptureID(2), path: "P2", photo), 2)
            Self.tell(&fold, .connection(.ready), 3)
            #expect(fold.status.cameras[0].lastError?.advice.contains("look for it") == true)
            Self.tell(&fold, end, 4)
            #expect(Self.needsNothing(fold.status.cameras[0].lastError), "\(end)")
        }
    }

    @Test("while jobs have failed for good these are told, and not what passes by itself; then they are over")
    func failures() {
        var fold = Self.fold()
        func error(failed: Int, afterwards: Bool) -> BridgeStatus.Trouble? {
            var ledger = Self.ledger(failed: failed)
            if !afterwards {
                ledger = fold.with(ledger: ledger, spool: nil, sending: [:], at: Self.start)
            } else {
                ledger.add(StatusMemory(noted: fold.memory.noted))
            }
            return ledger.destinations[0].lastError
        }
        fold.apply(
            .upload(.failed(Self.job(1), url: Self.url, "name refused", isFinal: true)), at: Self.start)
        for afterwards in [false, true] {
            #expect(error(failed: 1, afterwards: afterwards)?.photo == "P1.JPG")
            #expect(error(failed: 1, afterwards: afterwards)?.advice == BridgeStatus.failedAdvice)
            // 'retry --failed' has begun it again.
            let over = error(failed: 0, afterwards: afterwards)
            #expect(over?.photo == "P1.JPG" && Self.needsNothing(over), "\(afterwards)")
        }
        fold.apply(.upload(.held(url: Self.url, nil, "no answer")), at: Self.start + .seconds(5))
        for afterwards in [false, true] {
            let left = error(failed: 5, afterwards: afterwards)
            #expect(left?.photo == "P9.JPG" && left?.advice == BridgeStatus.failedAdvice, "\(afterwards)")
            #expect(error(failed: 0, afterwards: afterwards)?.reason == "no answer")
        }
    }
}
