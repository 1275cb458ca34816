import Discovery
import Testing

/// When is asked: RFC 6762 §5.2.
struct QueryScheduleTests {
    @Test(
        "the second question comes a second after the first, each further one after twice as long, up to an hour"
    )
    func intervals() {
        var schedule = QuerySchedule(first: .milliseconds(70), longest: QuerySchedule.longestOfMDNS)
        var asked: [Duration] = []
        while asked.count < 20 {
            let next = schedule.next
            let isEarly = schedule.isDue(at: next - .milliseconds(1))
            let isDue = schedule.isDue(at: next)
            #expect(!isEarly && isDue)
            asked.append(next)
        }
        let intervals = zip(asked.dropFirst(), asked).map { $0 - $1 }
        #expect(intervals.first == .seconds(1))
        for (longer, shorter) in zip(intervals.dropFirst(), intervals) {
            #expect(longer == min(shorter * 2, .seconds(3600)))
        }
        #expect(QuerySchedule.firstDelay == 20...120)
    }

    @Test("an interface that has no address yet is tried again each second")
    func noAddress() {
        var schedule = QuerySchedule(first: .zero, longest: QuerySchedule.longestOfSSDP)
        for second in 0..<10 {
            let isDue = schedule.isDue(at: .seconds(second))
            #expect(isDue)
            schedule.beginAgain(at: .seconds(second))
        }
    }
}
