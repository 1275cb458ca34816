import Basics
import Bridge
import Testing

/// What each rule sees, at which figures it begins and at which it is over.
@Suite struct AlertRuleTests {
    private static let start = Timestamp(milliseconds: 1_795_464_000_000)

    /// Looks until it is settled; gives what was said.
    private static func look(
        _ machine: inout AlertMachine, _ second: inout Int, clockAhead: Duration? = nil,
        _ change: (inout BridgeStatus) -> Void
    ) -> [AlertNews] {
        var news: [AlertNews] = []
        for _ in 0..<4 {
            second += 10
            var status = BridgeStatus()
            status.at = Self.start + .seconds(second)
            change(&status)
            news += machine.look(at: status, clockAhead: clockAhead, now: .seconds(second))
        }
        return news
    }

    /// A machine that has seen that nothing of it is so.
    private static func calm(
        _ change: (inout AlertSettings) -> Void = { _ in }, _ status: (inout BridgeStatus) -> Void
    ) -> (AlertMachine, Int) {
        var settings = AlertSettings()
        settings.repeats = .seconds(100_000)
        change(&settings)
        var machine = AlertMachine(settings: settings)
        var second = 0
        #expect(look(&machine, &second, clockAhead: .zero, status).isEmpty)
        return (machine, second)
    }

    @Test(
        "failed deliveries are an alert for each destination, over when none is left; a password is not told")
    func failedJobs() {
        func status(_ failed: Int) -> (inout BridgeStatus) -> Void {
            { status in
                status.destinations = [
                    .init(url: "sftp://ann:hunter2@desk/in", kind: .direct, jobs: [.failed: failed]),
                    .init(url: "file:///desk", kind: .direct, jobs: [.completed: 5]),
                ]
            }
        }
        var (machine, second) = Self.calm({ $0.failedJobs.photos = 3 }, status(2))
        let began = Self.look(&machine, &second, status(3))
        #expect(began.map(\.state) == [.began])
        #expect(began.first?.alert.subject == "sftp://ann@desk/in")
        #expect(began.first?.text.contains("hunter2") == false)
        #expect(began.first?.text.contains("3 deliveries to sftp://ann@desk/in failed for good") == true)
        // More of them, or fewer, are the same.
        #expect(Self.look(&machine, &second, status(50)).isEmpty)
        #expect(Self.look(&machine, &second, status(1)).isEmpty)
        #expect(machine.ongoing.first?.text.contains("1 delivery to") == true)
        #expect(Self.look(&machine, &second, status(0)).map(\.state) == [.over])
    }

    @Test("room on the disk that goes up and down around the figure is one alert; a full disk is one, too")
    func diskLow() {
        func status(_ left: UInt64?, hold: String? = nil) -> (inout BridgeStatus) -> Void {
            { status in
                var disk = BridgeStatus.Disk(free: 1, total: 2)
                (disk.photosLeft, disk.hold) = (left, hold)
                status.spool = disk
            }
        }
        var (machine, second) = Self.calm({ $0.diskLow.photos = 200 }, status(200))
        #expect(Self.look(&machine, &second, status(199)).map(\.state) == [.began])
        for left in [201, 190, 249, 0, 249] as [UInt64] {
            #expect(Self.look(&machine, &second, status(left)).isEmpty, "\(left)")
        }
        #expect(Self.look(&machine, &second, status(250)).map(\.state) == [.over])
        var (full, at) = Self.calm({ $0.diskLow.photos = 200 }, status(5000))
        let news = Self.look(&full, &at, status(5000, hold: "no room"))
        #expect(news.map(\.state) == [.began] && news.first?.text.contains("no room") == true)
        // Before the first photo nothing is known.
        var (empty, then) = Self.calm({ _ in }, status(nil))
        #expect(Self.look(&empty, &then, status(nil)).isEmpty)
    }

    @Test("a queue is old by its oldest photo, and over at half of that; what holds it is said")
    func queueOld() {
        func status(_ age: Int?, isPaused: Bool = false, hold: HoldCause? = nil) -> (inout BridgeStatus) ->
            Void
        {
            { status in
                status.isPaused = isPaused
                status.jobs = [.queued: 4]
                let waiting = age.flatMap { age in
                    status.at.map {
                        BridgeStatus.Waiting(
                            capture: CaptureID(1), name: "P1.JPG", since: $0 + .seconds(-age))
                    }
                }
                status.oldest = waiting
                var place = BridgeStatus.Destination(url: "https://g", kind: .gallery)
                place.oldest = waiting
                if let hold { place.hold = .init(cause: hold, reason: "consent is missing") }
                status.destinations = [place]
            }
        }
        var (machine, second) = Self.calm({ $0.queueOld.after = .seconds(600) }, status(599))
        let began = Self.look(&machine, &second, status(600, hold: .consent))
        #expect(began.map(\.state) == [.began])
        #expect(began.first?.text.contains("4 deliveries wait, one for 10 min") == true)
        #expect(began.first?.text.contains("tetherline consent --give") == true)
        #expect(Self.look(&machine, &second, status(400)).isEmpty)
        #expect(Self.look(&machine, &second, status(900)).isEmpty)
        #expect(Self.look(&machine, &second, status(299)).map(\.state) == [.over])
        var (paused, at) = Self.calm({ $0.queueOld.after = .seconds(600) }, status(nil))
        let news = Self.look(&paused, &at, status(601, isPaused: true))
        #expect(news.first?.text.contains("tetherline resume") == true, "a pause that was forgotten")
    }

    @Test("a clock is wrong by what a gallery says, either way, or before what was written down already")
    func clockWrong() {
        for ahead in [130, -130] as [Int64] {
            var (machine, second) = Self.calm({ $0.clockWrong.after = .seconds(120) }, { _ in })
            let began = Self.look(&machine, &second, clockAhead: .seconds(ahead)) { _ in }
            #expect(began.map(\.state) == [.began])
            #expect(began.first?.text.contains(ahead > 0 ? "ahead of" : "behind") == true)
            #expect(Self.look(&machine, &second, clockAhead: .seconds(-61)) { _ in }.isEmpty)
            #expect(Self.look(&machine, &second, clockAhead: .seconds(59)) { _ in }.map(\.state) == [.over])
        }
        var (machine, second) = Self.calm { _ in }
        let news = Self.look(&machine, &second) {
            $0.window = EventWindow(openedAt: Self.start + .seconds(9999))
        }
        #expect(news.map(\.alert.rule) == [.clockWrong])
    }

    @Test("a camera's clock is wrong by what it tells, either way; one that tells nothing is left in peace")
    func cameraClock() {
        func status(_ ahead: Int64?) -> (inout BridgeStatus) -> Void {
            { status in
                var camera = BridgeStatus.Camera(address: "10.0.0.2:15740", name: "Nikon Z 9", phase: .idle)
                camera.clockAhead = ahead.map { .seconds($0) }
                let other = BridgeStatus.Camera(address: "10.0.0.3:15740", phase: .idle)
                status.cameras = [camera, other]
            }
        }
        for (ahead, words) in [(3600, "1 h 0 min ahead of"), (-120, "2 min 0 s behind")] as [(Int64, String)]
        {
            var (machine, second) = Self.calm({ $0.clockWrong.after = .seconds(120) }, status(119))
            let began = Self.look(&machine, &second, status(ahead))
            #expect(began.map(\.alert.subject) == ["10.0.0.2:15740"])
            #expect(
                began.first?.text.contains(
                    "the clock of Nikon Z 9 (10.0.0.2:15740) is \(words) this machine's. To do: set it")
                    == true)
            // It is away meanwhile.
            #expect(Self.look(&machine, &second, status(nil)).isEmpty)
            #expect(Self.look(&machine, &second, status(-59)).map(\.state) == [.over])
        }
    }

    @Test("whose clock this machine's was compared with is said")
    func reference() {
        var machine = AlertMachine(settings: AlertSettings())
        var texts: [String] = []
        for second in stride(from: 0, to: 300, by: 10) {
            var status = BridgeStatus()
            status.at = Self.start + .seconds(second)
            texts += machine.look(
                at: status, clockAhead: .seconds(-900), of: "the store's", now: .seconds(second)
            ).map(\.text)
        }
        #expect(texts.count == 1 && texts[0].contains("15 min 0 s behind the store's"), "\(texts)")
    }

    @Test(
        "a camera that is connected and brings nothing is an alert where that is wanted, until a photo comes")
    func nothingShot() {
        func status(_ photo: Int?, _ phase: BridgeStatus.CameraPhase = .idle) -> (inout BridgeStatus) -> Void
        {
            { status in
                var camera = BridgeStatus.Camera(address: "a:1", name: "Z 8", phase: phase)
                camera.lastPhoto = photo.map { Self.start + .seconds($0) }
                status.cameras = [camera]
            }
        }
        func minutes(_ settings: inout AlertSettings) {
            settings.nothingShot = .init(isOn: true, after: .seconds(90))
        }
        var (machine, second) = Self.calm(minutes, status(1))
        #expect(Self.look(&machine, &second, status(2)).isEmpty, "a photo came")
        #expect(Self.look(&machine, &second, status(2)).isEmpty)
        let began = Self.look(&machine, &second, status(2))
        #expect(began.map(\.state) == [.began] && began.first?.alert.rule == .nothingShot)
        #expect(began.first?.text.contains("nothing has come from it for 1 min 30 s") == true)
        #expect(Self.look(&machine, &second, status(3)).map(\.state) == [.over])
        var (off, at) = Self.calm({ _ in }, status(1))
        for _ in 0..<100 { #expect(Self.look(&off, &at, status(1)).isEmpty) }
    }

    @Test("a rule that is off says nothing, and what only announces itself is not awaited")
    func off() {
        func status(_ status: inout BridgeStatus) {
            status.cameras = [.init(address: "a:1", phase: .lost), .init(address: "b:1", phase: .new)]
            status.destinations = [.init(url: "file:///d", kind: .direct, jobs: [.failed: 9])]
            var disk = BridgeStatus.Disk(free: 0, total: 1)
            disk.hold = "no room"
            status.spool = disk
            status.oldest = .init(capture: CaptureID(1), name: "n", since: Timestamp(milliseconds: 0))
        }
        func said(_ change: (inout AlertSettings) -> Void) -> Set<AlertRule> {
            var settings = AlertSettings()
            settings.grace = .zero
            change(&settings)
            var machine = AlertMachine(settings: settings)
            var second = 0
            var rules: Set<AlertRule> = []
            for _ in 0..<10 {
                for news in Self.look(&machine, &second, clockAhead: .seconds(900), status) {
                    #expect(news.alert.subject != "b:1")
                    rules.insert(news.alert.rule)
                }
            }
            return rules
        }
        let usual: Set<AlertRule> = [.cameraLost, .failedJobs, .diskLow, .queueOld, .clockWrong]
        #expect(said { _ in } == usual)
        #expect(said { $0.cameraLost.isOn = false } == usual.subtracting([.cameraLost]))
        #expect(said { $0.failedJobs.isOn = false } == usual.subtracting([.failedJobs]))
        #expect(said { $0.diskLow.isOn = false } == usual.subtracting([.diskLow]))
        #expect(said { $0.queueOld.isOn = false } == usual.subtracting([.queueOld]))
        #expect(said { $0.clockWrong.isOn = false } == usual.subtracting([.clockWrong]))
    }

    @Test("a camera that is not awaited any more ends its alert")
    func gone() {
        var (machine, second) = Self.calm { $0.cameras = [.init(address: "a:1", phase: .idle)] }
        var news: [AlertNews] = []
        for _ in 0..<3 {
            news += Self.look(&machine, &second) { $0.cameras = [.init(address: "a:1", phase: .lost)] }
        }
        #expect(news.map(\.state) == [.began])
        #expect(Self.look(&machine, &second) { _ in }.map(\.state) == [.over])
        #expect(machine.ongoing.isEmpty)
    }
}
