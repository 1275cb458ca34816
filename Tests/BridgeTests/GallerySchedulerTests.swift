import Basics
import Bridge
import TestSupport
import Testing

extension SchedulerBench {
    /// With these jobs for a gallery in the window, and that many slots.
    static func gallery(_ jobs: [Job], slots: Int = 1, seed: UInt64 = 1) -> SchedulerBench {
        var bench = holding([], seed: seed)
        bench.tell(.claimedSent(here, [], asked: 1000))
        bench.tell(.claimed(here, jobs, asked: 1000))
        bench.tell(.slots(here, slots, path: "wlan0", kind: .gallery))
        return bench
    }

    /// With one photo for which a place was given, and whose bytes are on their way.
    static func sending(_ count: Int64 = 1, slots: Int = 1, seed: UInt64 = 1) -> SchedulerBench {
        var bench = gallery((1...count).map { .waiting($0) }, slots: slots, seed: seed)
        for number in 1...Int64(slots) { _ = bench.end(number, .presigned(.fresh(number))) }
        return bench
    }

    static func presigned(_ actions: [Action]) -> [Int64] {
        actions.compactMap { if case .presign(let job) = $0 { job.id.number } else { nil } }
    }

    static func asked(_ actions: [Action]) -> [Int64]? {
        actions.compactMap { if case .ask(_, let jobs) = $0 { jobs.map(\.id.number) } else { nil } }.first
    }

    mutating func answer(_ states: [Int64: ProcessingState]) -> [Action] {
        var known: [JobID: ProcessingState] = [:]
        for (number, state) in states { known[JobID(number)] = state }
        return tell(.answered(Self.here, states.keys.sorted().map { JobID($0) }, .states(known)))
    }

    struct NothingIsComing: Error {}

    /// As `next`, where something has to be coming.
    mutating func goOn() throws -> (after: Duration, actions: [Action]) {
        guard let next = next() else { throw NothingIsComing() }
        return next
    }

    /// The next moment by itself, and what happens then.
    mutating func next() -> (after: Duration, actions: [Action])? {
        guard let moment = scheduler.nextMoment(after: now) else { return nil }
        let span = moment - now
        now = moment
        return (span, tell(.timePassed))
    }
}

extension Job {
    static func waiting(_ number: Int64, attempts: Int = 0) -> Job {
        .some(number, attempts: attempts, kind: .gallery)
    }
}

extension ProcessingState {
    static let done = ProcessingState.completed(Receipt(.photo("p"), size: 1, sha256: ""))
}

/// The steps of one photo to a gallery.
@Suite struct GallerySchedulerTests {
    static let here = SchedulerBench.here

    @Test("a place is noted, then that it is used, then the bytes go; then it is asked about, and done")
    func wholeWay() {
        var bench = SchedulerBench.gallery([.waiting(1)], slots: 0)
        let begun = bench.tell(.slots(Self.here, 1, path: "wlan0", kind: .gallery))
        #expect(begun == [.presign(.waiting(1))])
        let intent = PresignedUpload.fresh(1)
        var job = Job.waiting(1)
        job.intent = intent
        job.state = .uploading
        func change(_ from: JobState, _ to: JobState, due: Timestamp, _ receipt: Receipt? = nil) -> Action {
            .persist(
                JobChange(job.id, from: from, to: to, attempts: 0, due: due, receipt: receipt, intent: intent)
            )
        }
        let start = SchedulerBench.start
        #expect(
            bench.end(1, .presigned(intent)) == [
                change(.staged, .presigned, due: start), change(.presigned, .uploading, due: start),
                .deliver(job),
            ])
        #expect(
            bench.end(1, .sent(isCertain: true))
                == [change(.uploading, .uploadedAwaitingProcessing, due: start)])
        #expect(bench.scheduler.deliveries == 0 && bench.scheduler.known == 1)
        let next = bench.next()
        #expect(next?.after == .seconds(1) && next.map { SchedulerBench.asked($0.actions) } == [1])
        let receipt = Receipt(.photo("p"), size: 1, sha256: "")
        #expect(
            bench.answer([1: .completed(receipt)])
                == [change(.uploadedAwaitingProcessing, .completed, due: bench.now, receipt)])
        #expect(bench.scheduler.known == 0 && bench.scheduler.nextMoment(after: bench.now) == nil)
    }

    @Test(
        "a place that has expired or nearly so, or that no gallery can have given, is replaced before it is used"
    )
    func oldPlaces() {
        let cases: [(left: Duration, isUsed: Bool)] = [
            (.seconds(-1), false), (.zero, false), (.seconds(14), false), (.seconds(15), true),
            (.seconds(300), true), (.seconds(3600), true), (.seconds(3601), false),
            (.seconds(365 * 86_400), false),
        ]
        for (left, isUsed) in cases {
            var job = Job.some(1, .presigned)
            job.intent?.expiresAt = SchedulerBench.start + left
            var bench = SchedulerBench.gallery([job], slots: 0)
            let actions = bench.tell(.slots(Self.here, 1, path: "wlan0", kind: .gallery))
            #expect(SchedulerBench.begun(actions) == (isUsed ? [1] : []), "\(left) left")
            #expect(SchedulerBench.presigned(actions) == (isUsed ? [] : [1]), "\(left) left")
        }
    }

    @Test("a clock that is set back a year while a place waits does not make the place good for a year")
    func clockSetBack() {
        var bench = SchedulerBench.gallery([.some(1, .presigned)], slots: 0)
        bench.now = bench.now + .seconds(-365 * 86_400)
        let actions = bench.tell(.slots(Self.here, 1, path: "wlan0", kind: .gallery))
        #expect(SchedulerBench.presigned(actions) == [1])
    }

    // MARK: Places that are refused or forgotten

    @Test(
        "a refused place is replaced at once; the third in a row holds the destination; each hold is longer")
    func refused() throws {
        for seed in UInt64(0)..<30 {
            var bench = SchedulerBench.sending(seed: seed)
            for _ in 0..<2 {
                let actions = bench.end(1, .placeRefused("403"))
                let change = try #require(SchedulerBench.changes(actions).first)
                #expect(change.to == .presigned && change.intent?.url == "" && change.attempts == 0)
                #expect(change.intent?.uploadID == "upload 1", "the same upload")
                #expect(SchedulerBench.presigned(actions) == [1])
                _ = bench.end(1, .presigned(.fresh(1)))
            }
            let actions = bench.end(1, .placeRefused("403"))
            #expect(SchedulerBench.reports(actions) == ["403"] && SchedulerBench.presigned(actions).isEmpty)
            #expect(bench.scheduler.holdCause(of: Self.here) == nil)
            for holds in 1...4 {
                let next = try bench.goOn()
                #expect(next.after <= .seconds(1 << (holds + 1)))
                #expect(SchedulerBench.presigned(next.actions) == [1])
                _ = bench.end(1, .presigned(.fresh(1, at: bench.now)))
                let again = bench.end(1, .placeRefused("403"))
                #expect(SchedulerBench.presigned(again).isEmpty, "one probe, one refusal")
            }
        }
    }

    @Test("a photo whose bytes were taken in between makes refusals be counted anew")
    func refusedNotInARow() {
        var bench = SchedulerBench.sending(2, slots: 2)
        func refuse(_ bench: inout SchedulerBench) {
            _ = bench.end(1, .placeRefused("403"))
            if bench.scheduler.heldReasons.isEmpty { _ = bench.end(1, .presigned(.fresh(1))) }
        }
        refuse(&bench)
        refuse(&bench)
        _ = bench.end(2, .sent(isCertain: true))
        refuse(&bench)
        refuse(&bench)
        #expect(bench.scheduler.heldReasons.isEmpty)
        refuse(&bench)
        #expect(bench.scheduler.heldReasons == [Self.here: "403"])
    }

    @Test("an upload that the gallery has forgotten begins anew without its URL, under its key")
    func forgotten() throws {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .placeRefused("403"))
        let actions = bench.end(1, .intentForgotten)
        let change = try #require(SchedulerBench.changes(actions).first)
        #expect(change.from == .presigned && change.to == .staged && change.intent == nil)
        #expect(actions.last == .presign(.waiting(1)))
    }

    @Test("a gallery that forgets everything at once is held, too")
    func forgetsAll() {
        var bench = SchedulerBench.gallery([.some(1, .presigned)], slots: 0)
        var requests = 0
        bench.now = bench.now + .seconds(290)
        var actions = bench.tell(.slots(Self.here, 1, path: "wlan0", kind: .gallery))
        while bench.scheduler.deliveries > 0, requests < 100 {
            requests += 1
            actions = bench.end(1, .intentForgotten)
        }
        #expect(requests == 3 && SchedulerBench.reports(actions).count == 1)
    }

    @Test("where the gallery goes on without us the photo counts as sent, from whatever state it was in")
    func goesOn() throws {
        for state in [JobState.staged, .failedRetryable] {
            var job = Job.some(1, state, attempts: 2, kind: .gallery)
            job.intent = .fresh(1, at: SchedulerBench.start + .seconds(-1000))
            var bench = SchedulerBench.gallery([job])
            let change = try #require(SchedulerBench.changes(bench.end(1, .goesOn)).first)
            #expect(change.from == state && change.to == .uploadedAwaitingProcessing && change.attempts == 2)
            #expect(change.intent != nil)
            #expect(bench.next()?.after == .seconds(1))
        }
    }

    // MARK: Bytes that got no answer

    @Test(
        "bytes without an answer are asked about at once; when they are not there they go to the same place again"
    )
    func uncertain() throws {
        var bench = SchedulerBench.sending()
        #expect(SchedulerBench.asked(bench.end(1, .sent(isCertain: false))) == [1])
        let change = try #require(SchedulerBench.changes(bench.answer([1: .pending])).first)
        #expect(change.from == .uploadedAwaitingProcessing && change.to == .presigned && change.attempts == 0)
        #expect(change.intent == .fresh(1), "the same place")
        let next = try bench.goOn()
        #expect(next.after <= .seconds(1) && SchedulerBench.begun(next.actions) == [1])
    }

    @Test("when the gallery has them after all, that is as good as an answer")
    func uncertainAndThere() {
        for state in [ProcessingState.processing, .done] {
            var bench = SchedulerBench.sending()
            _ = bench.end(1, .sent(isCertain: false))
            let actions = bench.answer([1: state])
            #expect(SchedulerBench.changes(actions).map(\.to) == (state == .done ? [.completed] : []))
            #expect(SchedulerBench.changes(bench.answer([1: .pending])).isEmpty, "it is certain now")
        }
    }

    @Test(
        "where bytes leave and never arrive the destination is held with pauses that grow, and no photo is blamed"
    )
    func bytesVanish() throws {
        var bench = SchedulerBench.sending(3)
        var pauses: [Duration] = []
        var puts = 1
        while bench.now - SchedulerBench.start < .seconds(3600) {
            let sending = bench.scheduler.deliveries > 0
            guard sending else {
                let next = try bench.goOn()
                pauses.append(next.after)
                for number in SchedulerBench.presigned(next.actions) {
                    _ = bench.end(number, .presigned(.fresh(number, at: bench.now)))
                }
                puts += bench.scheduler.deliveries
                continue
            }
            for number in Int64(1)...3 where bench.isUnderWay(number) {
                let actions = bench.end(number, .sent(isCertain: false))
                let asked = try #require(SchedulerBench.asked(actions))
                let answers = bench.answer(Dictionary(uniqueKeysWithValues: asked.map { ($0, .pending) }))
                #expect(SchedulerBench.changes(answers).allSatisfy { $0.attempts == 0 })
            }
        }
        #expect(puts < 60 && pauses.contains { $0 > .seconds(60) }, "\(puts): \(pauses)")
        #expect(bench.scheduler.heldReasons[Self.here]?.contains("do not arrive") == true)
    }

    @Test("one whose bytes vanish while others arrive is blamed for it, and given up in the end")
    func oneVanishes() {
        var bench = SchedulerBench.sending()
        var attempts: [Int] = []
        for other in Int64(101)...110 {
            _ = bench.claimed([.waiting(other)])
            _ = bench.end(1, .sent(isCertain: false))
            let change = SchedulerBench.changes(bench.answer([1: .pending])).first
            attempts.append(change?.attempts ?? -1)
            if change?.to == .failedPermanent { break }
            _ = bench.end(other, .presigned(.fresh(other, at: bench.now)))
            _ = bench.end(other, .sent(isCertain: true))
            while !bench.isUnderWay(1), let next = bench.next() {
                for number in SchedulerBench.asked(next.actions) ?? [] { _ = bench.answer([number: .done]) }
            }
        }
        #expect(attempts == [0, 1, 2, 3, 4, 5])
    }

    @Test("a photo that the gallery loses again and again is not sent for ever")
    func lostAgainAndAgain() {
        for state in [ProcessingState.expired, .unknown] {
            var bench = SchedulerBench.sending()
            var puts = 1
            var last: JobChange?
            for _ in 0..<1000 where last?.to != .failedPermanent {
                if bench.scheduler.deliveries > 0 {
                    last = SchedulerBench.changes(bench.end(1, .sent(isCertain: true))).last
                    continue
                }
                guard let next = bench.next() else { break }
                for number in SchedulerBench.presigned(next.actions) {
                    _ = bench.end(number, .presigned(.fresh(number, at: bench.now)))
                    puts += 1
                }
                if SchedulerBench.asked(next.actions) != nil {
                    last = SchedulerBench.changes(bench.answer([1: state])).last ?? last
                    if bench.scheduler.deliveries > 0 {
                        _ = bench.end(1, .presigned(.fresh(1, at: bench.now)))
                        puts += 1
                    }
                }
            }
            #expect(
                last?.to == .failedPermanent && last?.attempts == 5, "\(state): \(String(describing: last))")
            #expect(puts == 7 && last?.problem?.contains("each time") == true, "\(state): \(puts)")
        }
    }
}

extension SchedulerBench {
    func isUnderWay(_ number: Int64) -> Bool {
        var copy = self
        return copy.tell(.cancel([JobID(number)])).contains(.stop(JobID(number)))
    }
}
