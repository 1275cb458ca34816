import Basics
import Bridge
import Testing

/// Rates, times and memories, every moment an argument.
@Suite struct StatusFiguresTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)
    private static let url = "file:///desk"

    private static func job(_ number: Int64, shot: Timestamp?, deadline: Timestamp? = nil) -> Job {
        var job = Job(
            id: JobID(number), capture: CaptureID(number), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: "k", attempts: 0, due: start,
            photo: StagedPhoto(file: "f", size: 8, sha256: ""),
            facts: NameTemplate.Facts(
                event: "e", date: "", time: "", camera: "", serial: "", sequence: number,
                name: "P\(number).JPG"))
        (job.shot, job.deadline) = (shot, deadline)
        return job
    }

    private static func fold() -> StatusFold {
        StatusFold(
            event: BridgeEvent(id: "e", name: "W"), cameras: ["a:1"],
            destinations: [BridgeStatus.Destination(url: url, kind: .direct)])
    }

    private static func ledger(_ jobs: [JobGroup: Int]) -> BridgeStatus {
        var status = BridgeStatus()
        status.jobs = jobs
        status.destinations = [BridgeStatus.Destination(url: url, kind: .direct, jobs: jobs)]
        return status
    }

    // MARK: Pace

    @Test("a steady pace is shown as it is, soon after it begins and for ever after")
    func steady() {
        var pace = DeliveryPace()
        #expect(pace.rate(at: Self.start) == nil)
        // One photo of 6 MB every two seconds: 30 photos and 180 MB a minute.
        for second in stride(from: 0, through: 1200, by: 2) {
            let now = Self.start + .seconds(second)
            pace.confirmed(bytes: 6_000_000, at: now)
            guard second >= 60 else { continue }
            let rate = pace.rate(at: now)
            #expect((28...32).contains(rate?.photosPerMinute ?? 0), "\(second)")
            #expect((168_000_000...192_000_000).contains(rate?.bytesPerMinute ?? 0), "\(second)")
        }
    }

    @Test(
        "when nothing comes any more the pace falls to nothing within two minutes, and one photo is no flood")
    func stops() {
        var pace = DeliveryPace()
        pace.confirmed(bytes: 10, at: Self.start)
        #expect(pace.rate(at: Self.start)?.photosPerMinute == 6)
        #expect((pace.rate(at: Self.start + .seconds(60))?.photosPerMinute ?? 9) == 1)
        #expect(pace.rate(at: Self.start + .seconds(121))?.photosPerMinute == 0)
        // The calendar was set back: nothing of before counts, and nothing goes wrong.
        pace.confirmed(bytes: 10, at: Self.start + .seconds(-3600))
        #expect(pace.rate(at: Self.start + .seconds(-3600))?.photosPerMinute == 6)
    }

    @Test("what waits is there in as long as the pace says, and nothing is said while nothing moves")
    func drained() {
        var fold = Self.fold()
        func until(_ fold: StatusFold) -> Duration? {
            fold.with(
                ledger: Self.ledger([.queued: 20, .uploading: 5, .awaiting: 5]), spool: nil,
                sending: [Self.url: 5], at: Self.start
            ).destinations[0].untilDrained
        }
        #expect(until(fold) == nil)
        for number in Int64(1)...10 {
            fold.apply(
                .upload(
                    .delivered(
                        Self.job(number, shot: nil), url: Self.url, Receipt(key: "k", size: 8, sha256: ""))),
                at: Self.start)
        }
        // Ten in ten seconds: sixty a minute, thirty of them open.
        #expect(until(fold) == .seconds(30))
        var paused = fold
        paused.apply(.paused(true), at: Self.start)
        #expect(until(paused) == nil)
        fold.apply(.upload(.held(url: Self.url, nil, "no answer")), at: Self.start)
        #expect(until(fold) == nil)
    }

    // MARK: Uploading

    @Test(
        "no more are shown as uploading than are being sent; the others wait, and none is lost or counted twice"
    )
    func sending() {
        for (noted, sent, shown) in [(5, 2, 2), (2, 5, 2), (5, 0, 0), (0, 3, 0), (4, 4, 4)] {
            var status = Self.ledger([.queued: 3, .uploading: noted, .completed: 1])
            status.bytes = [.uploading: UInt64(noted) * 10, .queued: 30]
            status.count(sending: [Self.url: sent, "file:///other": 9])
            for jobs in [status.jobs, status.destinations[0].jobs] {
                #expect(jobs[.uploading] == shown && jobs[.queued] == 3 + noted - shown, "\(noted) \(sent)")
                #expect(jobs[.completed] == 1)
            }
            #expect(status.bytes[.uploading] == UInt64(shown) * 10)
            #expect(status.bytes[.queued] == UInt64(3 + noted - shown) * 10)
        }
    }

    // MARK: From the shutter to the receipt

    @Test("median and ninety-fifth percentile by the nearest rank, and the share that was there as promised")
    func times() {
        // NIST's and Wikipedia's example of the nearest rank: of 15, 20, 35, 40, 50 the 50th is 35 and the 95th 50.
        var times = ConfirmationTimes()
        #expect(times.summary == nil)
        for seconds in [35, 15, 50, 20, 40] {
            times.add(
                .init(
                    shot: Self.start, confirmed: Self.start + .seconds(seconds),
                    deadline: seconds == 15 ? nil : Self.start + .seconds(40)))
        }
        #expect(
            times.summary
                == .init(photos: 5, median: .seconds(35), p95: .seconds(50), promised: 4, inTime: 3))
        // Older ones make room.
        for _ in 0..<ConfirmationTimes.most {
            times.add(.init(shot: Self.start, confirmed: Self.start + .seconds(1)))
        }
        #expect(
            times.summary
                == .init(photos: ConfirmationTimes.most, median: .seconds(1), p95: .seconds(1)))
        // A clock that was set between the two.
        var odd = ConfirmationTimes()
        odd.add(.init(shot: Self.start, confirmed: Self.start + .seconds(-5)))
        #expect(odd.summary?.median == .zero)
    }

    @Test(
        "the shutter is the camera's date less what its clock was ahead, and never later than the photo was seen"
    )
    func shot() {
        let seen = Timestamp(milliseconds: 1_795_000_010_000)
        func shot(_ date: Timestamp?, _ seconds: Int64?, _ ahead: Int64?) -> Timestamp {
            ConfirmationTimes.shot(date: date, cameraSeconds: seconds, clockAhead: ahead, seen: seen)
        }
        // A body an hour and two seconds ahead of UTC: its 3602 seconds are taken off.
        #expect(shot(nil, 1_795_000_005 + 3602, 3602) == Timestamp(milliseconds: 1_795_000_005_000))
        #expect(shot(nil, 1_795_000_005, nil) == seen)
        #expect(shot(nil, nil, 7) == seen)
        #expect(shot(nil, 1_795_000_099, 0) == seen, "a date in the future")
        #expect(shot(nil, .max, -5) == seen)
        #expect(shot(nil, .min, 0) == seen)
        #expect(
            shot(Timestamp(milliseconds: 1_795_000_001_000), 5, 5)
                == Timestamp(milliseconds: 1_795_000_001_000))
    }

    // MARK: Afterwards

    @Test("why something stands still is known after the bridge, with since when and what to do")
    func memory() {
        var fold = Self.fold()
        let later = Self.start + .seconds(30)
        fold.apply(.upload(.held(url: Self.url, .loggedOut, "logged out")), at: Self.start)
        fold.apply(.upload(.held(url: Self.url, .loggedOut, "logged out \"still\"")), at: later)
        fold.apply(
            .camera(
                CameraNews(
                    place: "a:1", .connection(.waiting(until: .zero, because: .unreachable("no route"))))),
            at: later)
        let memory = StatusMemory(noted: fold.memory.noted)
        #expect(memory == fold.memory)
        #expect(memory.destinations[Self.url]?.hold?.since == Self.start)
        var after = Self.ledger([.queued: 1])
        after.cameras = [BridgeStatus.Camera(address: "a:1")]
        after.add(memory, isRunning: false)
        #expect(after.destinations[0].hold?.reason == "logged out \"still\"")
        #expect(after.cameras[0].lastError?.reason == "no route" && after.cameras[0].lastError?.at == later)
        // What is over is not told.
        fold.apply(.upload(.released(url: Self.url)), at: later)
        #expect(StatusMemory(noted: fold.memory.noted).destinations[Self.url]?.hold == nil)
        for damaged in ["", "{", "[]", #"{"destinations":[{"url":1}],"cameras":7}"#] {
            #expect(StatusMemory(noted: damaged) == StatusMemory(), "\(damaged)")
        }
    }

    @Test("an outage that goes on is one trouble, whose moment is renewed once a minute")
    func repeated() {
        var fold = Self.fold()
        for second in 0..<90 {
            fold.apply(
                .upload(.held(url: Self.url, nil, "no answer")), at: Self.start + .seconds(second))
        }
        let destination = fold.status.destinations[0]
        #expect(destination.hold?.since == Self.start)
        #expect(destination.lastError?.at == Self.start + .seconds(60))
    }

    @Test(
        "a full disk is the disk's trouble and the camera's, until there is room; a phase tells since when it is so"
    )
    func fullDisk() {
        var fold = Self.fold()
        func tell(_ event: TransferEvent, _ seconds: Int) {
            fold.apply(
                .camera(CameraNews(place: "a:1", event)), at: Self.start + .seconds(seconds))
        }
        func whole() -> BridgeStatus {
            var ledger = Self.ledger([:])
            ledger.photos = [.staged: 4]
            ledger.stagedBytes = 40
            return fold.with(
                ledger: ledger, spool: .init(free: 100, total: 200, reserve: 55), sending: [:], at: Self.start
            )
        }
        tell(.connection(.ready), 0)
        tell(.state(.held("no room", .noRoom)), 5)
        tell(.state(.held("no room", .noRoom)), 9)
        let full = whole()
        // 45 bytes beside the reserve, photos of 10.
        #expect(full.spool?.hold == "no room" && full.spool?.photosLeft == 4)
        #expect(full.cameras[0].since == Self.start + .seconds(5))
        #expect(full.cameras[0].lastError?.reason == "no room")
        #expect(fold.memory.diskHold == "no room")
        // A connection that ends makes no room.
        tell(.state(.away), 15)
        tell(.connection(.ended), 15)
        #expect(whole().spool?.hold == nil && fold.memory.diskHold == "no room")
        tell(.connection(.ready), 18)
        tell(.state(.idle), 20)
        #expect(whole().spool?.hold == nil && fold.memory.diskHold == nil)
    }
}
