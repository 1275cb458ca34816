import Basics
import Bridge
import Testing

/// What is told of one photo, by what the ledger has of it.
@Suite struct PhotoStoryTests {
    private static let begin = Timestamp(milliseconds: 1_795_000_000_000)
    private static let url = "https://a"
    private static let other = "file:///b"

    private static func at(_ seconds: Int64) -> Timestamp { begin + .seconds(seconds) }

    private static func photo(
        _ state: CaptureState, _ deliveries: PhotoHistory.Delivery..., because reason: String? = nil
    ) -> PhotoHistory {
        var photo = PhotoHistory(
            id: CaptureID(17), event: BridgeEvent(id: "e", name: "Wedding"), path: "DCIM/P1.JPG",
            state: state,
            announcedAt: at(0))
        photo.reason = reason
        photo.size = 4_000_000
        if state == .staged { photo.stagedAt = at(2) }
        photo.deliveries = deliveries
        return photo
    }

    private static func delivery(
        _ state: JobState, to url: String = url, job: Int64 = 3, attempts: Int = 0, _ problem: String? = nil
    ) -> PhotoHistory.Delivery {
        var delivery = PhotoHistory.Delivery(
            job: JobID(job), url: url, state: state, createdAt: at(2), due: at(60))
        delivery.attempts = attempts
        delivery.problem = problem
        if state == .completed {
            delivery.completedAt = at(5)
            delivery.receipt = #"{"key":"P1.JPG","size":1,"sha256":"00"}"#
        }
        return delivery
    }

    private static func present(
        paused: Bool = false, hold: String? = nil, sending: Int = 0, at event: String = "e"
    ) -> PhotoStory.Present {
        var present = PhotoStory.Present()
        present.isRunning = true
        present.isPaused = paused
        present.event = BridgeEvent(id: event, name: "Reception")
        present.holds = hold.map { [url: $0] } ?? [:]
        present.sending = [url: sending]
        return present
    }

    /// A bridge that runs and did not say how it is.
    private static let silent = {
        var present = PhotoStory.Present()
        present.isRunning = true
        return present
    }()

    private static func cancelled(_ job: Int64) -> PhotoHistory.Delivery {
        var delivery = delivery(.failedPermanent, to: other, job: job, JobChange.cancelledByOperator)
        delivery.isCancelled = true
        return delivery
    }

    private static func removed(
        _ delivery: PhotoHistory.Delivery, replacedBy url: String? = nil
    ) -> PhotoHistory.Delivery {
        var delivery = delivery
        delivery.removedAt = at(4)
        delivery.replacedBy = url
        delivery.isWanted = delivery.state == .completed && url != nil
        return delivery
    }

    private static func noted(_ delivery: PhotoHistory.Delivery, hold: String) -> PhotoHistory.Delivery {
        var delivery = delivery
        delivery.hold = hold
        return delivery
    }

    /// What is known of it, what the bridge does, how it stands, and words that have to be said.
    private static let cases:
        [(PhotoHistory, PhotoStory.Present, PhotoStory.Standing, said: [String], cure: String?)] = [
            (photo(.announced), .init(), .waiting, ["Not a byte", "no bridge runs"], "tetherline run"),
            (photo(.receiving), present(), .underWay, ["Not a byte"], nil),
            (photo(.filtered, because: "older"), .init(), .leftOut, ["--since all"], nil),
            (photo(.filtered, because: "a rule to come"), .init(), .leftOut, ["a rule to come"], nil),
            (
                photo(.lost, because: "it is not on the card"), .init(), .lost, ["it is not on the card"],
                "card"
            ),
            (
                photo(.abandoned, because: "the camera refuses it"), present(), .needsOperator,
                ["the camera refuses it"], "off and on"
            ),
            (photo(.staged), present(), .kept, ["no destination"], "tetherline destination add"),
            (photo(.staged, delivery(.completed)), .init(), .delivered, ["has it", "as P1.JPG"], nil),
            (
                photo(
                    .staged, delivery(.completed), delivery(.failedPermanent, job: 4, attempts: 5, "refused")),
                present(), .needsOperator, ["1 of 2", "waits for you", "after 5 tries: refused"],
                "tetherline retry 4"
            ),
            (
                photo(.staged, delivery(.failedPermanent, "held back: perhaps cut short")), present(),
                .needsOperator, ["held back: perhaps cut short"], "tetherline retry 3"
            ),
            (
                photo(.staged, delivery(.failedPermanent, attempts: 1, "localFileMissing: x is gone")),
                present(),
                .needsOperator, ["after 1 try", "x is gone"], "tetherline store check --mend"
            ),
            (
                photo(.staged, delivery(.failedRetryable, attempts: 2, "too slow")), present(), .underWay,
                ["2026-11-18T11:07:40.000Z", "too slow", "after 2 tries"], nil
            ),
            (
                photo(.staged, delivery(.staged)), present(hold: "no route"), .waiting,
                ["takes nothing now: no route"], nil
            ),
            (
                photo(.staged, delivery(.staged)), present(paused: true), .needsOperator, ["paused"],
                "tetherline resume"
            ),
            (photo(.staged, delivery(.staged)), .init(), .waiting, ["no bridge runs"], "tetherline run"),
            (photo(.staged, delivery(.uploading)), .init(), .waiting, ["the bridge ended"], "tetherline run"),
            (photo(.staged, delivery(.uploading)), silent, .underWay, ["is being sent, or is among"], nil),
            (
                photo(.staged, delivery(.uploading)), present(sending: 1), .underWay, ["is being sent, or"],
                nil
            ),
            // Noted ahead of its turn: it waits as one that is queued does.
            (photo(.staged, delivery(.uploading)), present(), .underWay, ["among the next to be sent"], nil),
            (
                photo(.staged, delivery(.uploading)), present(hold: "no route"), .waiting,
                ["among the next to be sent; the destination takes nothing now: no route"], nil
            ),
            (
                photo(.staged, delivery(.uploading)), present(paused: true), .needsOperator,
                ["deliveries are paused"], "tetherline resume"
            ),
            (
                photo(.staged, delivery(.uploadedAwaitingProcessing)), present(), .underWay,
                ["works on them"],
                nil
            ),
            (
                photo(.staged, delivery(.completed), cancelled(4)), present(), .delivered,
                ["has it", "1 cancelled"], "tetherline retry 4"
            ),
            (photo(.staged, cancelled(4)), present(), .kept, ["were cancelled"], "tetherline retry 4"),
            // What is open at a destination is cancelled with it.
            (
                photo(.staged, delivery(.completed), removed(cancelled(4))), present(), .delivered,
                ["Its destination has it."], nil
            ),
            (photo(.staged, removed(delivery(.completed))), present(), .kept, ["no destination"], "add URL"),
            (
                photo(.staged, removed(delivery(.completed), replacedBy: other)), present(), .delivered,
                ["Its destination has it.", "file:///b stands in its place"], nil
            ),
            (
                photo(.staged, delivery(.completed, attempts: 4)), present(), .delivered, ["after 4 tries"],
                nil
            ),
            // A bridge at another event is none for this one.
            (
                photo(.staged, delivery(.staged)), present(hold: "no route", at: "other"), .waiting,
                ["'Reception'"], "tetherline run"
            ),
            (
                photo(.staged, delivery(.uploading)), present(at: "other"), .waiting, ["ended"],
                "tetherline run"
            ),
            (photo(.receiving), present(at: "other"), .waiting, ["'Reception'"], "tetherline run"),
            // Reasons outlive the bridge, and one that says nothing has noted them.
            (
                photo(.staged, noted(delivery(.staged), hold: "it is full")), .init(), .waiting,
                ["no bridge runs", "took nothing", "it is full"], "tetherline run"
            ),
            (
                photo(.staged, noted(delivery(.staged), hold: "it is full")), silent, .waiting,
                ["takes nothing now: it is full"], nil
            ),
            (
                photo(.staged, noted(delivery(.staged), hold: "it was")), present(), .underWay, ["its turn"],
                nil
            ),
        ]

    @Test("each way that a photo can stand is said, with its cause and what helps", arguments: cases.indices)
    func standings(_ index: Int) {
        let (photo, present, standing, said, cure) = Self.cases[index]
        let story = PhotoStory(of: photo, in: present)
        #expect(story.standing == standing)
        let text = ([story.sentence] + story.deliveries.map(\.sentence)).joined(separator: "\n")
        for words in said { #expect(text.contains(words), "\(words): \(text)") }
        if let cure {
            #expect(story.cures.contains { $0.contains(cure) }, "\(story.cures)")
        } else {
            #expect(story.cures.isEmpty, "\(story.cures)")
        }
    }

    @Test("while its bytes move, how many have and how many there are is said, and in JSON as a number")
    func progress() throws {
        var present = Self.present(sending: 1)
        present.moving = [
            .init(.to(Self.other), capture: CaptureID(17), name: "P1.JPG", size: 4_000_000, done: 9),
            .init(.to(Self.url), capture: CaptureID(18), name: "P2.JPG", size: 4_000_000, done: 9),
            .init(.to(Self.url), capture: CaptureID(17), name: "P1.JPG", size: 4_000_000, done: 1_499_999),
        ]
        let sending = PhotoStory(of: Self.photo(.staged, Self.delivery(.uploading, attempts: 1)), in: present)
        // Thirty-seven and a half in a hundred, not quite.
        #expect(
            sending.deliveries.map(\.sentence) == ["it is being sent: 1.5 MB of 4.0 MB, 37 %, after 1 try"])
        #expect(sending.json["deliveries"]?.array?.first?["sentBytes"]?.integer == 1_499_999)
        present.holds = [Self.url: "no route"]
        let trial = PhotoStory(of: Self.photo(.staged, Self.delivery(.uploading)), in: present).deliveries
        #expect(trial.first?.sentence.hasSuffix("takes nothing now: no route") == true)

        present.moving = [
            .init(.from("192.168.1.5"), capture: CaptureID(17), name: "P1.JPG", size: nil, done: 20_000)
        ]
        let coming = PhotoStory(of: Self.photo(.receiving), in: present)
        #expect(coming.sentence == "It is being fetched: 20.0 kB." && coming.standing == .underWay)
        #expect(coming.json["receivedBytes"]?.integer == 20_000)
        // What has been sent meanwhile is under way no more.
        let done = PhotoStory(of: Self.photo(.staged, Self.delivery(.completed)), in: present)
        #expect(done.json["deliveries"]?.array?.first?["sentBytes"] == .null)
        #expect(done.json["receivedBytes"] == .null)
    }

    @Test(
        "a photo under way is read from a status in JSON as it was written into it; what is none is left out")
    func movingAsJSON() throws {
        var status = BridgeStatus()
        status.underWay.photos = [
            .init(.from("192.168.1.5"), capture: CaptureID(1), name: "A.JPG", size: nil, done: 3),
            .init(.to(Self.url), capture: CaptureID(2), name: "B.JPG", size: 8, done: 4),
        ]
        let written = try #require(status.json["underWay"]?.array)
        #expect(written.compactMap { BridgeStatus.Moving($0) } == status.underWay.photos)
        for text in [
            "{}", #"{"from":"a","to":"b","capture":1,"name":"x","done":1}"#, #"{"to":"b","capture":1}"#,
        ] {
            #expect(BridgeStatus.Moving(try JSON5.parse(text)) == nil)
        }
    }

    @Test("a duplicate names the photo that has its bytes, and a sidecar the photo that it follows")
    func relatives() {
        var copy = Self.photo(.duplicate)
        copy.relatives = [.init(.original, CaptureID(4), path: "DCIM/P0.JPG", state: .staged)]
        let story = PhotoStory(of: copy, in: .init())
        #expect(story.standing == .duplicate && story.sentence.contains("photo 4 (DCIM/P0.JPG)"))
        #expect(story.cures == ["'tetherline why 4' tells how that one fared."])

        var memo = Self.photo(.filtered, because: FilterRule.unprotected.rawValue)
        memo.relatives = [.init(.companionOf, CaptureID(5), path: "DCIM/P1.JPG", state: .filtered)]
        let told = PhotoStory(of: memo, in: .init()).sentence
        #expect(told.contains("--only-protected") && told.contains("its photo 5 (DCIM/P1.JPG)"), "\(told)")
    }

    @Test("stages are in the order of their times, with what each took, a repeat included")
    func stages() {
        var delivery = Self.delivery(.completed)
        delivery.completedAt = Self.at(100)
        delivery.earlier = [
            .init(receipt: "{}", completedAt: Self.at(5), reason: "gone there", repeatedAt: Self.at(90))
        ]
        var photo = Self.photo(.staged, delivery)
        photo.takenAt = Self.begin.seconds + 3600 - 4
        photo.clockAhead = 3600
        photo.settledAt = Self.at(100)
        photo.removedAt = Self.at(130)
        photo.journal = [
            .init(at: Self.at(91), .info, job: JobID(3), "sent again: gone there, and more of that reason"),
            .init(at: Self.at(7), .warning, job: JobID(3), "it was slow"),
        ]
        let stages = PhotoStory(of: photo, in: .init()).stages
        #expect(
            stages.map(\.word) == [
                .shot, .noticed, .staged, .delivered, .remark, .sentAgain, .delivered, .removedFromSpool,
            ])
        #expect(
            stages.map(\.took) == [
                nil, .seconds(4), .seconds(2), .seconds(3), nil, nil, .seconds(10), .seconds(30),
            ])
        #expect(stages[4].text == "https://a: it was slow")
        #expect(stages[5].text.contains("gone there"))
    }

    @Test("a photo is never shot after its camera showed it, and by a date with a zone where there is one")
    func shot() throws {
        func stages(_ date: String, _ seconds: Int64?, _ ahead: Int64?) -> [PhotoStory.Stage] {
            var photo = Self.photo(.announced)
            (photo.captureDate, photo.takenAt, photo.clockAhead) = (date, seconds, ahead)
            return PhotoStory(of: photo, in: .init()).stages
        }
        // Asked for its time early in the evening, its clock has gone on faster than ours.
        let late = stages("", Self.begin.seconds + 9, 0)
        #expect(late.map(\.word) == [.shot, .noticed] && late.map(\.took) == [nil, .zero])
        #expect(late.allSatisfy { $0.at == Self.begin })
        #expect(stages("", .min, 1).map(\.word) == [.noticed])
        // 2026-11-18T11:06:40Z is the notice.
        let zoned = stages("20261118T120635+0100", Self.begin.seconds + 99, 5)
        #expect(zoned.map(\.word) == [.shot, .noticed] && zoned.map(\.took) == [nil, .seconds(5)])
    }

    @Test("a camera whose clock is not known tells no moment at which the photo was shot")
    func noClock() {
        var photo = Self.photo(.announced)
        photo.takenAt = 1_795_000_000
        #expect(PhotoStory(of: photo, in: .init()).stages.map(\.word) == [.noticed])
    }
}
