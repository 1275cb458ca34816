import PTP
import TestSupport
import Testing

/// How long a photo may take.
extension InitiatorTests {
    @Test("a photo may take as long as it likes while bytes come fast enough")
    func slowButSteady() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1 << 40))), at: .zero)
        _ = machine.handle(startData(1, 1 << 30), at: .zero)
        _ = machine.handle(data(1, 1 << 30, isLast: true), at: .zero)
        for second in 1...7200 {
            #expect(machine.handle(.timePassed, at: .seconds(second)).isEmpty)
            #expect(machine.handle(.payloadMoved(2000), at: .seconds(second)).isEmpty)
        }
    }

    @Test("a photo that stops coming is given up after the no-progress limit")
    func stalled() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .seconds(1))
        _ = machine.handle(data(1, 1000, isLast: true), at: .seconds(1))
        _ = machine.handle(.payloadMoved(500), at: .seconds(2))
        #expect(machine.nextDeadline == .seconds(22))
        #expect(machine.handle(.timePassed, at: .milliseconds(21_999)).isEmpty)
        #expect(
            machine.handle(.timePassed, at: .seconds(22)).last
                == .closeLinks(.stalled(after: .seconds(20))))
    }

    @Test("a byte every nine seconds is progress, and still too slow")
    func slowLoris() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .zero)
        _ = machine.handle(data(1, 1000, isLast: true), at: .zero)
        var last: Initiator.Action?
        var now = Duration.zero
        while last == nil, now < .seconds(100) {
            now += .seconds(9)
            _ = machine.handle(.payloadMoved(1), at: now)
            if let deadline = machine.nextDeadline, deadline <= now {
                last = machine.handle(.timePassed, at: now).last
            }
        }
        #expect(last == .closeLinks(.tooSlow(bytesPerSecond: 0, least: 1024)))
        #expect(now < .seconds(50))
    }

    @Test("while the caller does not take the bytes the camera is not blamed")
    func busyConsumer() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .zero)
        _ = machine.handle(data(1, 1000, isLast: true), at: .zero)
        _ = machine.handle(.consumerBusy, at: .seconds(1))
        #expect(machine.nextDeadline == nil)
        _ = machine.handle(.consumerReady, at: .seconds(500))
        #expect(machine.nextDeadline == .seconds(520))
    }

    @Test("a few bytes of a photo have a photo's pace: however long they take, and no longer silence")
    func piece() {
        var machine = open()
        let size = 59 * 2000
        let call = Call(
            .getPartialObject, [5, 100, UInt32(size)], data: .piece(limit: size), noProgress: .seconds(2))
        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(1, UInt64(size)), at: .zero)
        _ = machine.handle(data(1, UInt32(size), isLast: true), at: .zero)
        let bytes = [UInt8](repeating: 7, count: 2000)
        for second in 1...59 {
            #expect(machine.handle(.collected(bytes), at: .seconds(second)).isEmpty)
        }
        #expect(machine.handle(.timePassed, at: .seconds(60)).isEmpty)
        #expect(machine.nextDeadline == .seconds(61))
        #expect(
            machine.handle(.timePassed, at: .seconds(61)).last == .closeLinks(.stalled(after: .seconds(2))))
    }

    @Test("a call may have more timeouts of its own, or less", arguments: [5, 60])
    func ownPatience(seconds: Int) {
        let own = Duration.seconds(seconds)
        var machine = open()
        let call = Call(.getObject, [5], data: .streamed(limit: 100_000), noProgress: own)
        _ = machine.handle(.call(call), at: .zero)
        #expect(machine.nextDeadline == own)
        #expect(machine.handle(.timePassed, at: own - .milliseconds(1)).isEmpty)
        _ = machine.handle(startData(1, 100_000), at: own - .milliseconds(1))
        _ = machine.handle(data(1, 100_000, isLast: true), at: own - .milliseconds(1))
        let late = own - .milliseconds(1)
        _ = machine.handle(.payloadMoved(90_000), at: late)
        #expect(machine.handle(.timePassed, at: late + own).last == .closeLinks(.stalled(after: own)))

        // The next call has the usual timeout again.
        var other = open()
        _ = other.handle(.call(call), at: .zero)
        _ = other.handle(response(.deviceBusy, 1), at: .seconds(1))
        _ = other.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1))), at: .seconds(1))
        #expect(other.nextDeadline == .seconds(21))
    }

    @Test("a packet without payload is no progress")
    func emptyPackets() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .zero)
        for second in 1..<20 {
            #expect(machine.handle(data(1, 0, isLast: false), at: .seconds(second)).isEmpty)
            #expect(machine.handle(.timePassed, at: .seconds(second)).isEmpty)
        }
        #expect(
            machine.handle(.timePassed, at: .seconds(20)).last == .closeLinks(.stalled(after: .seconds(20))))
    }
}
