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
                at: nil, photo: "P9.JPG", kind: .failure, reason: "refused", advice: BridgeStatus.failedAdvice
            )
        }
        status.destinations = [place]
        return status
    }

    private static func needsNothing(_ trouble: BridgeStatus.Trouble?) -> Bool {
        trouble?.needsOperator == false && trouble?.kind == .over
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
        Self.tell(&fold, .state(.held("no room", .noRoom)), 10)
        Self.tell(&fold, .state(.away), 11)
        Self.tell(&fold, .connection(.ready), 12)
        #expect(error()?.advice.contains("make room") == true, "a connection is no room")
        Self.tell(&fold, .state(.fetching("P1.JPG")), 13)
        #expect(error()?.reason == "no room" && Self.needsNothing(error()))
        #expect(Self.needsNothing(StatusMemory(noted: fold.memory.noted).cameras[Self.place]))
    }

    @Test(
        "what helps against a disk that takes no photos is said by what is the matter with it",
        arguments: [
            (DiskError.Meaning?.some(.noRoom), "make room"), (.notWritable, "let this user write"),
            (.missing, "folder of the spool is gone"), (.tooManyOpen, "ulimit -n"),
            (.failing, "another disk"), (.other, "what the reason says"), (nil, "what the reason says"),
        ])
    func disks(meaning: DiskError.Meaning?, cure: String) throws {
        var fold = Self.fold()
        Self.tell(&fold, .connection(.ready), 0)
        Self.tell(&fold, .state(.held("it does not", meaning)), 1)
        let whole = fold.with(
            ledger: BridgeStatus(), spool: .init(free: 9, total: 9), sending: [:], at: Self.start)
        let error = try #require(whole.cameras.first?.lastError)
        #expect(error.kind == .disk && error.needsOperator && error.advice.contains(cure), "\(error)")
        #expect(whole.spool?.hold == "it does not" && whole.spool?.advice == error.advice)
        let headline = StatusHeadline(whole)
        #expect(headline.detail == "it does not. To do: \(error.advice)")
        if meaning != .noRoom { #expect(!"\(whole)".contains("make room")) }
    }

    @Test("a photo that is fetched shows that the disk takes those of a camera that has gone, too")
    func othersRoom() {
        let other = "b:1"
        func fold() -> StatusFold {
            var fold = StatusFold(
                event: BridgeEvent(id: "e", name: "W"), cameras: [Self.place, other], destinations: [])
            for place in [Self.place, other] {
                fold.apply(.camera(CameraNews(place: place, .connection(.ready))), at: Self.start)
            }
            Self.tell(&fold, .state(.held("no room", .noRoom)), 1)
            return fold
        }
        func fetched(_ fold: inout StatusFold) {
            fold.apply(.camera(CameraNews(place: other, .state(.fetching("P1.JPG")))), at: Self.start)
        }
        var away = fold()
        Self.tell(&away, .state(.away), 2)
        Self.tell(&away, .connection(.ended), 2)
        #expect(away.memory.diskHold == "no room")
        fetched(&away)
        #expect(away.memory.diskHold == nil)
        #expect(away.memory.cameras[Self.place]?.kind == .over)
        // A camera that is there says itself when there is room for its own, which are larger.
        var here = fold()
        fetched(&here)
        #expect(here.memory.diskHold == "no room" && here.status.cameras[0].lastError?.kind == .disk)
        for news in [SearchNews.leaves(place: Self.place), .notNew(place: Self.place)] {
            var forgotten = fold()
            forgotten.apply(.search(news), at: Self.start)
            #expect(forgotten.memory.diskHold == nil, "\(news)")
        }
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
                ledger.add(StatusMemory(noted: fold.memory.noted), isRunning: false)
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

    // MARK: Notes of other versions

    @Test("a note is known by its kind, whatever it advises; one without a kind by what was advised then")
    func kinds() throws {
        func trouble(_ kind: String, _ advice: String) throws -> BridgeStatus.Trouble {
            let memory = StatusMemory(
                noted:
                    #"{"destinations":[{"url":"file:///desk","hold":null,"lastError":{"at":null,"photo":null,"#
                    + #""reason":"r",\#(kind)"advice":"\#(advice)"}}],"cameras":[],"diskHold":null}"#)
            return try #require(memory.destinations[Self.url]?.lastError)
        }
        // As the versions before wrote them.
        let failed = "mend the cause, then 'tetherline retry --failed' begins it again."
        let full = "make room on the disk of the spool; it goes on by itself then."
        #expect(try trouble("", failed).kind == .failure && trouble("", failed).needsOperator)
        #expect(try trouble("", full).kind == .disk && trouble("", full).needsOperator)
        let over = try trouble("", "nothing: it is over.")
        #expect(over.kind == .over && !over.needsOperator)
        #expect(try !trouble("", "nothing: it is tried again by itself.").needsOperator)
        #expect(try trouble("", "press OK").kind == .connection)
        for kind in BridgeStatus.Trouble.Kind.allCases {
            let noted = try trouble(#""kind":"\#(kind.rawValue)","needsOperator":false,"#, failed)
            #expect(noted.kind == kind && !noted.needsOperator)
        }
        // One of a failure is over when none is left, in whatever words it advised.
        var ledger = Self.ledger(failed: 0)
        var memory = StatusMemory()
        memory.destinations[Self.url] = .init(lastError: try trouble(#""kind":"failure","#, "in other words"))
        ledger.add(StatusMemory(noted: memory.noted), isRunning: false)
        #expect(ledger.destinations[0].lastError?.kind == .over)
        ledger = Self.ledger(failed: 2)
        ledger.add(StatusMemory(noted: memory.noted), isRunning: false)
        #expect(ledger.destinations[0].lastError?.advice == "in other words")
    }
}
