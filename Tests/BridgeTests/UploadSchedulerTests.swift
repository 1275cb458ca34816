import Bridge
import TestSupport
import Testing

@Suite struct UploadSchedulerTests {
    static let here = SchedulerBench.here
    static let there = SchedulerBench.there

    // MARK: Order

    struct Order: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let jobs: [Job]
        let expected: [Int64]
        var newestFirst = false
    }

    /// At most three jobs each: the fourth slot has a rule of its own.
    static let orders: [Order] = [
        Order(
            testDescription: "presigned, then staged, then failed and due",
            jobs: [.some(1, .failedRetryable), .some(2), .some(3, .presigned)], expected: [3, 2, 1]),
        Order(
            testDescription: "pictures before RAW",
            jobs: [.some(1, .staged, .later), .some(2), .some(3)], expected: [2, 3, 1]),
        Order(
            testDescription: "how far it is counts more than what it is",
            jobs: [.some(1), .some(2, .presigned, .later)], expected: [2, 1]),
        Order(
            testDescription: "what it is counts more than its age, also when the newest go first",
            jobs: [.some(1), .some(2, .staged, .later)], expected: [1, 2], newestFirst: true),
        Order(
            testDescription: "the oldest first, whatever the order they came in",
            jobs: [.some(3), .some(1), .some(2)], expected: [1, 2, 3]),
        Order(
            testDescription: "the newest first when that is wanted",
            jobs: [.some(3), .some(1), .some(2)], expected: [3, 2, 1], newestFirst: true),
        Order(
            testDescription: "what failed and is not due does not go",
            jobs: [.some(1, .failedRetryable, due: 1), .some(2, .failedRetryable)], expected: [2]),
        Order(
            testDescription: "what waits without having failed goes at once, whatever time it notes",
            jobs: [.some(1, .staged, due: 9000), .some(2, .presigned, due: 9000)], expected: [2, 1]),
    ]

    @Test("free slots go to", arguments: orders)
    func order(_ order: Order) {
        var one = SchedulerBench.holding(order.jobs) { $0.newestFirst = order.newestFirst }
        #expect(one.orderOfAll() == order.expected)
        var many = SchedulerBench.holding(order.jobs) { $0.newestFirst = order.newestFirst }
        #expect(many.begun(.slots(Self.here, 3)) == order.expected)
    }

    @Test("every fourth slot goes to the job that has been due longest")
    func fourthSlot() {
        let pictures = (1...9).map { Job.some($0, due: $0 * 10) }
        let late: [Job] = [
            .some(20, .staged, .later, due: -3), .some(21, .failedRetryable, .later, due: -5),
            .some(22, .staged, .later, due: -3),
        ]
        let expected: [Int64] = [1, 2, 3, 21, 4, 5, 6, 20, 7, 8, 9, 22]
        var one = SchedulerBench.holding(pictures + late)
        #expect(one.orderOfAll() == expected)
        var many = SchedulerBench.holding(pictures + late)
        #expect(many.begun(.slots(Self.here, 12)) == expected)
    }

    @Test("a RAW is not starved by pictures that keep coming")
    func noStarvation() {
        var bench = SchedulerBench.holding([.some(1, .staged, .later), .some(2)])
        var begun = bench.begun(.slots(Self.here, 1))
        var number: Int64 = 3
        while !begun.contains(1), number < 20 {
            bench.tell(.claimed(Self.here, [.some(number, due: number)], asked: 1000))
            begun += SchedulerBench.begun(bench.end(number - 1, .good))
            number += 1
        }
        #expect(begun == [2, 3, 4, 1])
    }

    // MARK: Slots

    @Test("uploading is noted before the delivery that relies on it, job by job")
    func persistBeforeDeliver() throws {
        let jobs: [Job] = [.some(1, attempts: 2, due: 7), .some(2, .presigned), .some(3, .failedRetryable)]
        var bench = SchedulerBench.holding(jobs)
        let actions = bench.tell(.slots(Self.here, 3)).filter { SchedulerBench.claims([$0]).isEmpty }
        var expected: [Action] = []
        for job in [jobs[1], jobs[0], jobs[2]] {
            var begun = job
            begun.state = .uploading
            let change = JobChange(
                job.id, from: job.state, to: .uploading, attempts: job.attempts, due: job.due,
                intent: job.intent)
            expected += [.persist(change), .deliver(begun)]
        }
        #expect(actions == expected)
        let ending = bench.end(1, .good)
        let receipt = Receipt(key: "a", size: 1, sha256: "")
        #expect(
            ending.first
                == .note(
                    JobChange(
                        JobID(1), from: .uploading, to: .completed, attempts: 2, due: bench.now,
                        receipt: receipt)))
    }

    @Test("never more at a time than there are slots, and none without")
    func slots() {
        for slots in [-1, 0, 1, 2, 5, 9] {
            var bench = SchedulerBench.holding((1...8).map { .some($0) })
            #expect(bench.begun(.slots(Self.here, slots)).count == min(8, max(0, slots)))
            #expect(bench.scheduler.deliveries == min(8, max(0, slots)))
            #expect(bench.begun(after: .seconds(1)).isEmpty)
            #expect(bench.begun(.lookAgain).isEmpty)
        }
        var never = SchedulerBench.holding([.some(1)])
        #expect(never.begun(.timePassed).isEmpty, "a destination nothing was said of has none")
        #expect(never.scheduler.nextMoment(after: never.now) == nil)
    }

    @Test("when slots shrink what runs may finish, and nothing starts above")
    func shrinking() {
        var bench = SchedulerBench.holding((1...9).map { .some($0) })
        #expect(bench.begun(.slots(Self.here, 4)) == [1, 2, 3, 4])
        #expect(bench.tell(.slots(Self.here, 2)).isEmpty)
        #expect(bench.scheduler.deliveries == 4)
        #expect(SchedulerBench.begun(bench.end(1, .good)).isEmpty)
        #expect(SchedulerBench.begun(bench.end(2, .good)).isEmpty)
        #expect(SchedulerBench.begun(bench.end(3, .good)) == [5])
        #expect(bench.begun(.slots(Self.here, 0)).isEmpty)
        #expect(SchedulerBench.begun(bench.end(4, .good)).isEmpty)
        #expect(SchedulerBench.begun(bench.end(5, .good)).isEmpty)
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
        #expect(bench.begun(.slots(Self.here, 1)) == [6])
    }

    @Test("each destination has its own slots")
    func ownSlots() {
        let jobs = (1...4).map { Job.some($0) } + (5...8).map { Job.some($0, to: Self.there) }
        var bench = SchedulerBench.holding(jobs)
        #expect(bench.begun(.slots(Self.there, 2)) == [5, 6])
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        #expect(SchedulerBench.begun(bench.end(6, .good)) == [7])
    }

    // MARK: The window and the end

    @Test("jobs are claimed when the window is at most half full, and not twice at once")
    func claiming() {
        var bench = SchedulerBench { $0.window = 10 }
        #expect(bench.tell(.lookAgain).isEmpty, "there is nowhere to deliver to")
        #expect(bench.tell(.slots(Self.here, 0)) == [.claim(Self.here, 10)])
        #expect(SchedulerBench.claims(bench.tell(.lookAgain)).isEmpty, "the first is still on its way")
        let jobs = (1...10).map { Job.some($0) }
        #expect(SchedulerBench.claims(bench.tell(.claimed(Self.here, jobs, asked: 10))).isEmpty)
        #expect(SchedulerBench.claims(bench.tell(.slots(Self.here, 1))).isEmpty)
        let claimsAfter: [(Int64, [Int])] = [(1, []), (2, []), (3, []), (4, []), (5, [5]), (6, [])]
        for (number, expected) in claimsAfter {
            let claims = SchedulerBench.claims(bench.end(number, .good))
            #expect(claims == expected, "after \(number)")
        }
        let last = bench.tell(.claimed(Self.here, [.some(11)], asked: 5))
        #expect(SchedulerBench.claims(last).isEmpty, "that was all")
        #expect(bench.scheduler.known == 5)
        #expect(SchedulerBench.claims(bench.end(7, .good)).isEmpty)
        #expect(SchedulerBench.claims(bench.tell(.lookAgain)) == [6])
    }

    @Test("news that comes while a claim is under way is not forgotten with its answer")
    func newsDuringClaim() {
        var bench = SchedulerBench { $0.window = 10 }
        #expect(bench.tell(.lookAgain).isEmpty, "there is nowhere to deliver to")
        #expect(bench.tell(.slots(Self.here, 0)) == [.claim(Self.here, 10)])
        bench.tell(.lookAgain)
        #expect(SchedulerBench.claims(bench.tell(.claimed(Self.here, [], asked: 10))) == [10])
        #expect(!bench.scheduler.isIdle)
        #expect(SchedulerBench.claims(bench.tell(.claimed(Self.here, [], asked: 10))).isEmpty)
        #expect(bench.scheduler.isIdle)
    }

    @Test("a job that is claimed while it is under way is not begun again")
    func claimedUnderWay() {
        var bench = SchedulerBench.holding([.some(1)])
        #expect(bench.begun(.slots(Self.here, 3)) == [1])
        #expect(bench.begun(.claimed(Self.here, [.some(1), .some(2), .some(2)], asked: 1000)) == [2])
        #expect(bench.scheduler.known == 2)
    }

    @Test("after drain nothing begins and nothing is claimed; what runs may finish")
    func drain() {
        var bench = SchedulerBench.holding((1...4).map { .some($0) })
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        #expect(bench.tell(.drain).isEmpty)
        #expect(!bench.scheduler.isDrained)
        let happenings: [Happening] = [
            .slots(Self.here, 9), .lookAgain, .timePassed, .claimed(Self.here, [], asked: 9),
        ]
        for happening in happenings {
            #expect(bench.tell(happening).isEmpty)
        }
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
        #expect(SchedulerBench.changes(bench.end(1, .good)).map(\.to) == [.completed])
        #expect(bench.scheduler.isDrained)
        #expect(bench.begun(after: .seconds(9999)).isEmpty)
    }
}
