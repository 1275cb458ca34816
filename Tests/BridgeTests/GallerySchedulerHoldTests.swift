import Basics
import Bridge
import TestSupport
import Testing

/// Destinations that wait for the operator, and the operator's commands.
@Suite struct GallerySchedulerHoldTests {
    static let here = SchedulerBench.here
    static let there = SchedulerBench.there
    static let causes: [HoldCause] = [.loggedOut, .consent, .credits, .certificate, .settings]

    @Test(
        "while the operator has something to do, one photo a minute tries, and no attempt is counted",
        arguments: causes)
    func oneAMinute(cause: HoldCause) throws {
        var bench = SchedulerBench.gallery((1...6).map { .waiting($0, attempts: 3) }, slots: 3)
        let first = bench.end(1, .held(cause, "do it"))
        #expect(first == [.report(Self.here, held: "do it")])
        #expect(bench.end(2, .held(cause, "do it")).isEmpty && bench.end(3, .held(cause, "do it")).isEmpty)
        for _ in 0..<100 {
            let next = try bench.goOn()
            #expect(next.after == UploadScheduler.heldPause)
            let begun = SchedulerBench.presigned(next.actions)
            #expect(begun.count == 1 && bench.scheduler.deliveries == 1)
            let actions = bench.end(begun[0], .held(cause, "do it"))
            #expect(actions.isEmpty, "nothing is written and nothing said again")
        }
        #expect(bench.scheduler.holdCause(of: Self.here) == cause)
    }

    @Test("the operator's word that it is done starts a try at once", arguments: causes)
    func tryAgain(cause: HoldCause) {
        var bench = SchedulerBench.gallery((1...4).map { .waiting($0) }, slots: 2)
        _ = bench.end(1, .held(cause, "do it"))
        _ = bench.end(2, .held(cause, "do it"))
        bench.now = bench.now + .seconds(5)
        #expect(SchedulerBench.presigned(bench.tell(.tryAgain(Self.here))) == [1])
        _ = bench.end(1, .presigned(.fresh(1)))
        let actions = bench.end(1, .sent(isCertain: true))
        let isFree = cause != .credits
        #expect(SchedulerBench.presigned(actions) == (isFree ? [2, 3] : []))
        #expect(SchedulerBench.reports(actions) == (isFree ? ["goes on"] : []))
    }

    @Test("bytes are taken without credits, too: only a photo that was shown frees the others")
    func creditsNeedAPhoto() throws {
        var bench = SchedulerBench.gallery((1...4).map { .waiting($0) }, slots: 2)
        _ = bench.end(1, .held(.credits, "buy"))
        _ = bench.end(2, .held(.credits, "buy"))
        for round in 0..<5 {
            let next = try bench.goOn()
            let probe = try #require(SchedulerBench.presigned(next.actions).first)
            _ = bench.end(probe, .presigned(.fresh(probe, at: bench.now)))
            #expect(SchedulerBench.presigned(bench.end(probe, .sent(isCertain: true))).isEmpty)
            #expect(bench.next()?.after == .seconds(1))
            let isLast = round == 4
            let actions = bench.answer([probe: isLast ? .done : .held(.credits, "buy")])
            #expect(SchedulerBench.presigned(actions).count == (isLast ? 2 : 0))
            #expect((bench.scheduler.holdCause(of: Self.here) == .credits) == !isLast)
        }
    }

    @Test("a photo that was sent before the credits ran out says nothing of them")
    func shownBefore() {
        var bench = SchedulerBench.sending(3, slots: 3)
        for number in Int64(1)...3 { _ = bench.end(number, .sent(isCertain: true)) }
        _ = bench.claimed([.waiting(4), .waiting(5)])
        _ = bench.end(4, .held(.credits, "buy"))
        _ = bench.end(5, .held(.credits, "buy"))
        _ = bench.next()
        let actions = bench.answer([1: .held(.credits, "buy"), 2: .done, 3: .held(.credits, "buy")])
        #expect(SchedulerBench.changes(actions).map(\.to) == [.presigned, .completed, .presigned])
        #expect(SchedulerBench.changes(actions).allSatisfy { $0.attempts == 0 })
        #expect(bench.scheduler.deliveries == 0 && bench.scheduler.holdCause(of: Self.here) == .credits)
        #expect(bench.next()?.after == .seconds(60))
    }

    @Test("a gallery that answers questions again knows who we are, but not that anything was bought")
    func questionsRelease() {
        for cause in Self.causes {
            var bench = SchedulerBench.sending(2, slots: 2)
            _ = bench.end(1, .sent(isCertain: true))
            _ = bench.end(2, .held(cause, "do it"))
            _ = bench.next()
            let actions = bench.answer([1: .processing])
            let isFree = [.loggedOut, .certificate].contains(cause)
            #expect(SchedulerBench.reports(actions) == (isFree ? ["goes on"] : []), "\(cause)")
            #expect(SchedulerBench.begun(actions) == (isFree ? [2] : []), "\(cause)")
        }
    }

    @Test("a question that is answered with 'log in' holds the uploads, too, and is asked again in a minute")
    func heldByQuestion() {
        var bench = SchedulerBench.sending(2)
        _ = bench.end(1, .sent(isCertain: true))
        _ = bench.end(2, .presigned(.fresh(2)))
        _ = bench.next()
        let actions = bench.tell(.answered(Self.here, [JobID(1)], .held(.loggedOut, "log in")))
        #expect(actions == [.report(Self.here, held: "log in")])
        _ = bench.end(2, .held(.loggedOut, "log in"))
        #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + .seconds(60))
    }

    @Test("a failure from before does not change what the operator has to do; a probe's failure does")
    func failureWhileHeld() throws {
        var bench = SchedulerBench.gallery((1...3).map { .waiting($0) }, slots: 2)
        _ = bench.end(1, .held(.credits, "buy"))
        #expect(bench.end(2, .destinationFailed("cut")).isEmpty)
        #expect(bench.scheduler.heldReasons == [Self.here: "buy"])
        #expect(bench.scheduler.holdCause(of: Self.here) == .credits)
        let last = try bench.goOn()
        let probe = try #require(SchedulerBench.presigned(last.actions).first)
        #expect(SchedulerBench.reports(bench.end(probe, .destinationFailed("cut"))) == ["cut"])
        #expect(bench.scheduler.holdCause(of: Self.here) == nil)
    }

    // MARK: Events that are over

    @Test(
        "the first photo that hears that the event is over waits for the operator; the others wait, uncounted"
    )
    func eventExpired() throws {
        var bench = SchedulerBench.gallery((1...5).map { .waiting($0) }, slots: 3)
        let first = bench.end(1, .eventExpired("it is over"))
        let change = try #require(SchedulerBench.changes(first).first)
        #expect(change.to == .failedPermanent && change.problem == "it is over")
        #expect(SchedulerBench.reports(first) == ["it is over"])
        #expect(bench.end(2, .eventExpired("it is over")).isEmpty)
        #expect(bench.end(3, .eventExpired("it is over")).isEmpty)
        #expect(bench.scheduler.known == 4)
        for _ in 0..<5 {
            let next = try bench.goOn()
            let probe = SchedulerBench.presigned(next.actions)
            #expect(next.after == .seconds(60) && probe.count == 1)
            #expect(bench.end(probe[0], .eventExpired("it is over")).isEmpty)
        }
        // The host has made the event last longer.
        let last = try bench.goOn()
        let probe = try #require(SchedulerBench.presigned(last.actions).first)
        _ = bench.end(probe, .presigned(.fresh(probe, at: bench.now)))
        #expect(SchedulerBench.presigned(bench.end(probe, .sent(isCertain: true))).count == 3)
    }

    // MARK: Ways

    @Test("another network path wakes a destination that failed, and not one that waits for the operator")
    func anotherWay() {
        let ways: [(name: String, change: (inout SchedulerBench) -> [Action])] = [
            ("another network", { $0.tell(.slots(Self.here, 2, path: "wwan0", kind: .gallery)) }),
            (
                "the same, down and up",
                {
                    $0.tell(.slots(Self.here, 0, path: "wlan0", isUp: false, kind: .gallery))
                    return $0.tell(.slots(Self.here, 2, path: "wlan0", kind: .gallery))
                }
            ),
        ]
        for (name, change) in ways {
            var failed = SchedulerBench.gallery([.waiting(1), .waiting(2)])
            _ = failed.end(1, .destinationFailed("down", after: .seconds(3000)))
            #expect(SchedulerBench.presigned(change(&failed)).count == 1, "\(name)")
            for cause in Self.causes {
                var held = SchedulerBench.gallery([.waiting(1), .waiting(2)])
                _ = held.end(1, .held(cause, "do it"))
                #expect(SchedulerBench.presigned(change(&held)).isEmpty, "\(name), \(cause)")
                #expect(held.scheduler.nextMoment(after: held.now) == held.now + .seconds(60))
            }
        }
        var same = SchedulerBench.gallery([.waiting(1), .waiting(2)])
        _ = same.end(1, .destinationFailed("down", after: .seconds(3000)))
        #expect(same.tell(.slots(Self.here, 3, path: "wlan0", kind: .gallery)).isEmpty, "no other way")
    }

    @Test("destinations on one path share its slots in turns; one on another path has its own")
    func sharedPath() {
        let third = DestinationID(3)
        var bench = SchedulerBench()
        func jobs(_ first: Int64, _ destination: DestinationID) -> [Job] {
            (first...first + 9).map { .some($0, to: destination) }
        }
        for destination in [Self.here, Self.there, third] {
            bench.tell(.slots(destination, 0))
            bench.tell(.claimed(destination, jobs(destination.number * 100, destination), asked: 1000))
        }
        bench.tell(.pause(true))
        bench.tell(.slots(Self.here, 4, path: "wlan0"))
        bench.tell(.slots(Self.there, 4, path: "wlan0"))
        bench.tell(.slots(third, 2, path: "wwan0"))
        let begun = bench.begun(.pause(false))
        #expect(Set(begun) == [100, 101, 200, 201, 300, 301])
        // Whichever ends, the destination that has waited longest is next, and neither exceeds the common limit.
        var counts: [Int64: Int] = [:]
        var running = begun.filter { $0 < 300 }
        for _ in 0..<12 {
            let next = SchedulerBench.begun(bench.end(running.removeFirst(), .good))
            #expect(next.count == 1)
            for number in next { counts[number / 100, default: 0] += 1 }
            running += next
        }
        #expect(counts == [1: 6, 2: 6])
        bench.tell(.slots(Self.here, 1, path: "wlan0"))
        bench.tell(.slots(Self.there, 1, path: "wlan0"))
        #expect(SchedulerBench.begun(bench.end(running.removeFirst(), .good)).isEmpty, "fewer than there are")
    }

    // MARK: Pause and cancel

    @Test("a pause begins nothing and asks on; what runs may end; the end of the pause goes on where it was")
    func pause() {
        var bench = SchedulerBench.sending(3)
        bench.tell(.pause(true))
        let sent = bench.end(1, .sent(isCertain: true))
        #expect(SchedulerBench.presigned(sent).isEmpty)
        #expect(bench.next().map { SchedulerBench.asked($0.actions) } == [1], "questions cost no photo")
        _ = bench.answer([1: .done])
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
        #expect(SchedulerBench.presigned(bench.tell(.lookAgain)).isEmpty)
        #expect(SchedulerBench.presigned(bench.tell(.pause(false))) == [2])
        bench.tell(.pause(true))
        let placed = bench.end(2, .presigned(.fresh(2)))
        #expect(SchedulerBench.changes(placed).map(\.to) == [.presigned] && bench.scheduler.deliveries == 0)
        #expect(SchedulerBench.begun(bench.tell(.pause(false))) == [2], "its place is still good")
    }

    @Test("what is cancelled while it waits is gone at once, in whatever state")
    func cancelWaiting() throws {
        for state in [JobState.staged, .presigned, .failedRetryable] {
            var bench = SchedulerBench.gallery([.some(1, state, attempts: 2, kind: .gallery)], slots: 0)
            let change = try #require(
                SchedulerBench.changes(bench.tell(.cancel([JobID(1), JobID(9)]))).first)
            #expect(change.from == state && change.to == .failedPermanent && change.isCancelled)
            #expect(change.attempts == 2 && change.problem == JobChange.cancelledByOperator)
            #expect(bench.scheduler.known == 0)
        }
    }

    @Test(
        "what is cancelled under way is stopped, and ends as cancelled whatever comes, except with its receipt"
    )
    func cancelUnderWay() throws {
        let outcomes: [DeliveryOutcome] = [
            .cancelled, .retryable("x"), .permanent("x"), .destinationFailed("x"), .held(.credits, "x"),
            .presigned(.fresh(1)), .sent(isCertain: true), .sent(isCertain: false), .placeRefused("x"),
            .intentForgotten, .goesOn, .eventExpired("x"),
        ]
        for outcome in outcomes {
            for isSending in [false, true] {
                var bench =
                    isSending
                    ? SchedulerBench.sending(2) : SchedulerBench.gallery([.waiting(1), .waiting(2)])
                #expect(bench.tell(.cancel([JobID(1)])) == [.stop(JobID(1))])
                let actions = bench.end(1, outcome)
                let change = try #require(SchedulerBench.changes(actions).first)
                #expect(change.from == (isSending ? .uploading : .staged) && change.isCancelled, "\(outcome)")
                #expect(SchedulerBench.presigned(actions) == [2] && bench.scheduler.heldReasons.isEmpty)
                #expect(bench.scheduler.known == 1)
            }
        }
        var bench = SchedulerBench.holding([.some(1)])
        _ = bench.tell(.slots(Self.here, 1))
        _ = bench.tell(.cancel([JobID(1)]))
        #expect(SchedulerBench.changes(bench.end(1, .good)).map(\.to) == [.completed], "it is there")
    }

    @Test("what is cancelled while the gallery works on it is gone, and a later answer changes nothing")
    func cancelAsked() {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        _ = bench.next()
        let changes = SchedulerBench.changes(bench.tell(.cancel([JobID(1)])))
        #expect(changes.map(\.from) == [.uploadedAwaitingProcessing] && changes[0].isCancelled)
        #expect(bench.answer([1: .done]).isEmpty && bench.scheduler.known == 0)
    }
}
