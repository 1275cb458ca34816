import PTP
import TestSupport
import Testing

/// When a call is made again because the camera cannot do it just now.
extension InitiatorTests {
    /// Makes a call of an open session again and again for as long as the machine says so, and refuses it each time.
    private func refused(
        _ code: ResponseCode, _ call: Call, answersAfter delay: Duration = .zero
    ) -> (moments: [Duration], last: Initiator.Action?) {
        var machine = open()
        var (now, call, moments) = (Duration.seconds(5), call, [Duration]())
        while moments.count < 1000 {
            moments.append(now - .seconds(5))
            let number = UInt32(moments.count)
            let sent = machine.handle(.call(call), at: now)
            guard sent == [.send(request(call.operation, number, call.parameters), .command)] else { break }
            let answer = machine.handle(response(code, number), at: now + delay)
            guard case .callAgain(let next, let moment)? = answer.first, answer.count == 1 else {
                return (moments, answer.last)
            }
            (call, now) = (next, moment)
        }
        return (moments, nil)
    }

    private func milliseconds(_ numbers: [Int]) -> [Duration] { numbers.map { .milliseconds($0) } }

    /// "0x2019: retry 100–250 ms, growing, ≥ 5–10 s total".
    @Test("a camera that says it is busy is asked again, less and less often, for ten seconds")
    func busy() {
        let call = Call(.getObjectInfo, [7], retries: Peculiarities().retries)
        let (moments, last) = refused(.deviceBusy, call)
        #expect(
            moments
                == milliseconds([
                    0, 100, 300, 700, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8500, 9500,
                ]))
        #expect(last == .finish(Reply(code: .deviceBusy)))
    }

    @Test("the time that its answers take counts, and the pauses begin after them")
    func slowAnswers() {
        let call = Call(.getObjectInfo, [7], retries: Peculiarities().retries)
        let (moments, last) = refused(.deviceBusy, call, answersAfter: .seconds(3))
        #expect(moments == milliseconds([0, 3100, 6300, 9700]))
        #expect(last == .finish(Reply(code: .deviceBusy)))
    }

    /// "Object not finished: Nikon 0x2002, Canon 0xA102: retry 250 ms up to 5 s".
    @Test(
        "what a vendor's bodies say of an object that is not finished is one more rule",
        arguments: [ResponseCode.generalError, ResponseCode(rawValue: 0xA102)])
    func notFinished(code: ResponseCode) {
        let rule = RetryRule(code, pause: .milliseconds(250), limit: .seconds(5))
        let call = Call(.getObjectInfo, [7], retries: Peculiarities().retries + [rule])
        let (moments, last) = refused(code, call)
        #expect(moments == (0..<20).map { .milliseconds(250 * $0) })
        #expect(last == .finish(Reply(code: code)))
        #expect(refused(.deviceBusy, call).moments.count == 13)
    }

    @Test("any other refusal is the caller's, and so is each one of a call that has no rules")
    func otherRefusals() {
        let call = Call(.getObjectInfo, [7], retries: Peculiarities().retries)
        for code in [ResponseCode.invalidObjectHandle, .accessDenied, .generalError, .ok] {
            #expect(refused(code, call).last == .finish(Reply(code: code)))
            #expect(refused(code, call).moments == [.zero])
        }
        #expect(refused(.deviceBusy, Call(.getObjectInfo, [7])).moments == [.zero])
    }

    @Test("other calls have their turn in the pause")
    func othersMeanwhile() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObjectInfo, [7], retries: [.busy])), at: .zero)
        let answer = machine.handle(response(.deviceBusy, 1), at: .zero)
        guard case .callAgain(let call, .milliseconds(100))? = answer.first else {
            Issue.record("\(answer)")
            return
        }
        #expect(machine.isReadyForCall)
        #expect(
            machine.handle(.call(Call(.getStorageIDs)), at: .zero)
                == [.send(request(.getStorageIDs, 2), .command)])
        _ = machine.handle(response(.ok, 2), at: .seconds(1))
        #expect(
            machine.handle(.call(call), at: .seconds(1))
                == [.send(request(.getObjectInfo, 3, [7]), .command)])
        #expect(
            machine.handle(response(.ok, 3), at: .seconds(1)) == [.finish(Reply(code: .ok))])
    }

    @Test("a call of which bytes have come is not made again, because they have been handed on")
    func bytesHaveCome() {
        var machine = open()
        let call = Call(.getObject, [7], data: .streamed(limit: 1000), retries: [.busy])
        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(1, 100), at: .zero)
        _ = machine.handle(data(1, 40, isLast: true), at: .zero)
        _ = machine.handle(.payloadMoved(40), at: .zero)
        #expect(
            machine.handle(response(.deviceBusy, 1), at: .zero)
                == [.finish(Reply(code: .deviceBusy, received: 40, announced: 100))])
    }

    @Test("a call that was taken back is not made again")
    func takenBack() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObjectInfo, [7], retries: [.busy])), at: .zero)
        _ = machine.handle(.cancelCall, at: .zero)
        #expect(machine.handle(response(.deviceBusy, 1), at: .zero) == [.fail(.cancelled)])
    }
}
