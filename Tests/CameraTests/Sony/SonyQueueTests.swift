import Camera
import PTP
import Testing

/// What is asked of a Sony and when: event by event, in each order in which they can come.
@Suite struct SonyQueueTests {
    private static func info(_ name: String, sequence: UInt32 = 1, size: UInt32 = 1000) -> ObjectInfo {
        var info = ObjectInfo()
        info.fileName = name
        info.format = name.hasSuffix("ARW") ? .sonyARW : .exifJPEG
        info.compressedSize = size
        info.sequenceNumber = sequence
        info.captureDate = "20260501T120000"
        return info
    }

    private static let ready = SonyShotsWaiting(rawValue: 0x8001)
    private static let preparing = SonyShotsWaiting(rawValue: 0x0001)

    /// One photo told, at one second.
    private static func offering(_ name: String = "DSC00001.JPG") throws -> (SonyQueue, SonyShot) {
        var queue = SonyQueue()
        let news1 = queue.polled(ready, at: .seconds(1))
        #expect(news1.isEmpty)
        #expect(queue.next(at: .seconds(1)) == .describe)
        let news = queue.described(info(name), at: .seconds(1))
        let shot = try #require(queue.offered)
        #expect(news == [.added(shot.reference)])
        return (queue, shot)
    }

    @Test("it is asked at once, then at its pace, and quickly while a photo is being prepared")
    func pace() {
        var queue = SonyQueue()
        #expect(queue.next(at: .zero) == .poll)
        let news2 = queue.polled(.none, at: .zero)
        #expect(news2.isEmpty)
        #expect(queue.next(at: .milliseconds(1)) == .wait(until: .milliseconds(250)))
        #expect(queue.next(at: .milliseconds(250)) == .poll)
        let news3 = queue.polled(Self.preparing, at: .milliseconds(260))
        #expect(news3.isEmpty)
        // "Fetching before ready can hang the body": nothing but the properties is asked for.
        #expect(queue.next(at: .milliseconds(261)) == .wait(until: .milliseconds(310)))
        #expect(queue.next(at: .milliseconds(310)) == .poll)
        let news4 = queue.polled(Self.ready, at: .milliseconds(320))
        #expect(news4.isEmpty)
        #expect(queue.next(at: .milliseconds(320)) == .describe)
    }

    @Test("a body that tells of its photos is asked rarely, but as often as keeps the connection")
    func pushes() {
        var queue = SonyQueue()
        _ = queue.polled(.none, at: .zero)
        queue.told(.sonyObjectAdded, at: .milliseconds(100))
        #expect(queue.next(at: .milliseconds(100)) == .poll)
        _ = queue.polled(.none, at: .seconds(20))
        #expect(queue.next(at: .seconds(20)) == .wait(until: .seconds(21)))
        // Notices without end are no questions without end.
        for _ in 0..<50 { queue.told(.sonyPropertyChanged, at: .seconds(20)) }
        #expect(queue.next(at: .seconds(20)) == .wait(until: .seconds(20) + .milliseconds(200)))
        queue.told(.sonyCaptured, at: .seconds(20))
        #expect(queue.next(at: .seconds(20)) == .wait(until: .seconds(20) + .milliseconds(20)))
    }

    @Test("a body that tells of its settings alone is not asked as one that shoots")
    func settingsOnly() {
        var queue = SonyQueue()
        _ = queue.polled(.none, at: .seconds(9))
        queue.told(.sonyPropertyChanged, at: .seconds(9))
        _ = queue.polled(.none, at: .seconds(10))
        #expect(queue.next(at: .seconds(10)) == .wait(until: .seconds(10) + .milliseconds(250)))
    }

    @Test("the next one is asked for only when the last one is durable, and the count is asked for anew")
    func oneAfterTheOther() throws {
        var (queue, shot) = try Self.offering()
        let began5 = queue.begin(shot.reference)
        #expect(began5)
        let began6 = queue.begin(shot.reference)
        #expect(!began6, "it is read once")
        _ = queue.polled(Self.ready, at: .seconds(2))
        #expect(queue.next(at: .seconds(2)) == .wait(until: .seconds(3)))
        queue.gaveAll(at: .seconds(2))
        #expect(queue.state == .given(shot))
        _ = queue.polled(Self.ready, at: .milliseconds(2100))
        #expect(queue.next(at: .milliseconds(2100)) == .wait(until: .milliseconds(3100)))
        queue.release(shot.reference, at: .milliseconds(2200))
        #expect(queue.next(at: .milliseconds(2200)) == .poll)
        _ = queue.polled(Self.ready, at: .milliseconds(2210))
        #expect(queue.next(at: .milliseconds(2210)) == .describe)
        // The RAW of the same shot: another reference under the same handle.
        let news = queue.described(Self.info("DSC00001.ARW"), at: .milliseconds(2220))
        let raw = try #require(queue.offered)
        #expect(news == [.added(raw.reference)] && raw.reference != shot.reference)
    }

    @Test("what is not wanted is read and thrown away before the next one")
    func unwanted() throws {
        var (queue, shot) = try Self.offering()
        queue.release(shot.reference, at: .seconds(2))
        #expect(queue.offered == nil)
        #expect(queue.next(at: .seconds(2)) == .discard(shot))
        // The body would not give it now.
        let began7 = queue.begin(shot.reference)
        #expect(began7)
        queue.gaveNothing(at: .seconds(2))
        queue.release(shot.reference, at: .seconds(2))
        queue.refused(at: .seconds(2))
        #expect(queue.next(at: .seconds(2)) != .discard(shot))
        #expect(queue.next(at: .milliseconds(2250)) == .discard(shot))
        let began8 = queue.begin(shot.reference)
        #expect(began8)
        queue.gaveAll(at: .seconds(3))
        queue.release(shot.reference, at: .seconds(3))
        #expect(queue.state == .empty && queue.next(at: .seconds(3)) == .poll)
    }

    @Test("a photo that broke off is offered again where the body still has it, and is lost where it has not")
    func brokeOff() throws {
        let (begun, shot) = try Self.offering()
        var broken = begun
        let began9 = broken.begin(shot.reference)
        #expect(began9)
        broken.brokeOff(after: 500, at: .seconds(2))
        #expect(broken.next(at: .seconds(2)) == .poll, "the count from before says nothing")

        var empty = broken
        let news10 = empty.polled(.none, at: .seconds(2))
        #expect(news10 == [.lost(shot, received: 500)])
        #expect(empty.state == .empty)

        _ = broken.polled(Self.ready, at: .seconds(2))
        #expect(broken.next(at: .seconds(2)) == .describe)
        var same = broken
        let news11 = same.described(shot.info, at: .seconds(2))
        #expect(news11 == [.added(shot.reference)])
        let began12 = same.begin(shot.reference)
        #expect(began12)
        // The same name after the counter went round, at another time.
        var other = broken
        var next = shot.info
        next.captureDate = "20260501T120001"
        let news = other.described(next, at: .seconds(2))
        let offered = try #require(other.offered)
        #expect(news == [.lost(shot, received: 500), .added(offered.reference)])
    }

    @Test("a body that takes back what it said is asked again, and one that refuses is given time")
    func takenBack() {
        var queue = SonyQueue()
        _ = queue.polled(Self.ready, at: .zero)
        queue.refused(at: .zero)
        #expect(queue.next(at: .milliseconds(10)) == .wait(until: .milliseconds(50)))
        _ = queue.polled(Self.ready, at: .milliseconds(50))
        #expect(queue.next(at: .milliseconds(250)) == .describe)
        _ = queue.polled(.none, at: .milliseconds(260))
        #expect(queue.state == .empty)
        let news13 = queue.described(Self.info("DSC00001.JPG"), at: .milliseconds(270))
        #expect(news13.isEmpty, "too late")
    }

    // MARK: What is not to be had

    @Test(
        "a photo that the body says is gone is told again where it still has it, and is lost where it has not"
    )
    func saysItIsGone() throws {
        let (begun, shot) = try Self.offering()
        var gone = begun
        let began = gone.begin(shot.reference)
        #expect(began)
        gone.saysItIsGone(at: .seconds(2))
        #expect(gone.absence(of: shot.reference, at: .seconds(2)) == .notSaidYet)
        #expect(gone.next(at: .seconds(2)) == .poll)
        var empty = gone
        #expect(empty.polled(.none, at: .seconds(2)) == [.lost(shot, received: 0)])
        #expect(empty.absence(of: shot.reference, at: .seconds(2)) == .notThere)
        _ = gone.polled(Self.ready, at: .seconds(2))
        #expect(gone.next(at: .seconds(3)) == .describe)
        #expect(gone.described(shot.info, at: .seconds(3)) == [.added(shot.reference)])
        #expect(gone.offered == shot)
    }

    @Test("what the body twice says it has not is not waited for; once may be a moment before")
    func denied() throws {
        var (queue, shot) = try Self.offering()
        #expect(queue.polled(.none, at: .seconds(2)).isEmpty)
        #expect(queue.polled(Self.ready, at: .seconds(3)).isEmpty)
        #expect(queue.polled(.none, at: .seconds(4)).isEmpty && queue.offered == shot)
        #expect(queue.polled(.none, at: .seconds(5)) == [.lost(shot, received: 0)])
        #expect(queue.state == .empty)
        _ = queue.polled(Self.ready, at: .seconds(6))
        #expect(queue.next(at: .seconds(6)) == .describe, "the next one comes")
    }

    @Test("what is not wanted is read only when it is ready, and forgotten when the body has it not any more")
    func unwantedAndGone() throws {
        var (queue, shot) = try Self.offering()
        queue.release(shot.reference, at: .seconds(2))
        _ = queue.polled(Self.preparing, at: .seconds(2))
        guard case .wait = queue.next(at: .seconds(2)) else { return #expect(Bool(false), "it is not ready") }
        var gone = queue
        #expect(gone.polled(.none, at: .seconds(3)).isEmpty)
        #expect(gone.next(at: .seconds(3)) != .discard(shot))
        #expect(gone.polled(.none, at: .seconds(4)).isEmpty, "it was not waited for")
        #expect(gone.state == .empty)
        _ = queue.polled(Self.ready, at: .seconds(3))
        #expect(queue.next(at: .seconds(3)) == .discard(shot))
    }

    @Test(
        "what is not wanted and breaks off is not mourned, and is thrown away where the body offers it again")
    func unwantedAndCut() throws {
        let (offering, shot) = try Self.offering()
        var queue = offering
        queue.release(shot.reference, at: .seconds(2))
        let began = queue.begin(shot.reference)
        #expect(began)
        queue.brokeOff(after: 500, at: .seconds(2))
        var empty = queue
        #expect(empty.polled(.none, at: .seconds(2)).isEmpty && empty.state == .empty)
        _ = queue.polled(Self.ready, at: .seconds(2))
        #expect(queue.described(shot.info, at: .seconds(2)).isEmpty)
        #expect(queue.state == .unwanted(shot))
        // Passed over while it was not clear whether the body still has it.
        var late = offering
        let begun = late.begin(shot.reference)
        #expect(begun)
        late.brokeOff(after: 500, at: .seconds(2))
        late.release(shot.reference, at: .seconds(2))
        #expect(late.polled(.none, at: .seconds(3)).isEmpty)
    }

    @Test("what was given away once is let go of when it is asked for again")
    func givenAway() throws {
        var (queue, shot) = try Self.offering()
        let began = queue.begin(shot.reference)
        #expect(began)
        queue.gaveAll(at: .seconds(2))
        #expect(queue.absence(of: shot.reference, at: .seconds(3)) == .givenAway)
        #expect(queue.state == .empty && queue.next(at: .seconds(3)) == .poll)
    }

    @Test("good answers about its settings do not excuse a body that refuses its photos for ever")
    func refusesForGood() throws {
        var queue = SonyQueue()
        var now = Duration.zero
        var questions: [Duration] = []
        _ = queue.polled(Self.ready, at: now)
        while !queue.refusesForGood, now < .seconds(120) {
            switch queue.next(at: now) {
            case .describe:
                questions.append(now)
                queue.refused(at: now)
            case .poll: _ = queue.polled(Self.ready, at: now)
            case .wait(let until): now = until
            case .discard: return #expect(Bool(false), "there is nothing to throw away")
            }
        }
        #expect(questions.count == 20 && now > .seconds(10) && now < .seconds(30), "\(questions)")
        // Silence is counted elsewhere, and one good answer makes up for what was before.
        var silent = SonyQueue()
        for _ in 0..<30 { silent.notPolled(hasAnswered: false, at: .zero) }
        #expect(!silent.refusesForGood)
        for _ in 0..<19 { silent.notPolled(at: .zero) }
        _ = silent.polled(.none, at: .zero)
        for _ in 0..<19 { silent.notPolled(at: .zero) }
        #expect(!silent.refusesForGood)
        silent.notPolled(at: .zero)
        #expect(silent.refusesForGood)
    }
}
