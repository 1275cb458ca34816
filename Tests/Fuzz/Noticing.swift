/// What a Canon or a Nikon tells, and what comes of it: whatever the records say, the machines that notice new photos keep
/// their limits and go on.
func fuzzNoticing(_ input: inout FuzzInput) {
    let kind = input.byte()
    switch kind % 4 {
    case 0: fuzzCanonWatch(&input)
    case 1: fuzzNikonNoticing(&input)
    case 2: fuzzNikonJobs(&input)
    default: fuzzMakersNames(&input)
    }
}

private func fuzzCanonWatch(_ input: inout FuzzInput) {
    var watch = CanonWatch()
    var now = Duration.zero
    var fetches = 0
    // What the body is being told.
    var underWay: [CanonWatch.Action] = []
    func tell(_ happening: CanonWatch.Happening) -> Bool {
        let actions = watch.handle(happening, at: now)
        underWay += actions.filter { $0 == .keepOn || $0 == .tellCapacity || $0.isFarewell }
        precondition(actions.count { $0 == .ask } <= 1, "one question at a time")
        return actions.contains(.ask)
    }
    precondition(tell(.began), "it asks at once")
    while !input.isEmpty {
        switch input.byte() % 8 {
        case 0, 1, 2:
            let list = CanonEventList(decoding: input.take(Int(input.byte()) * 4)[...])
            _ = tell(.answered(list.events))
        case 3: _ = tell(.notAnswered)
        case 4: _ = tell(.invited)
        case 5:
            if fetches > 0, input.byte() % 2 == 0 {
                fetches -= 1
                _ = tell(.fetchEnded)
            } else if fetches < 4 {
                fetches += 1
                _ = tell(.fetchBegan)
            }
        case 6:
            let handle = ObjectHandle(rawValue: input.number())
            let choice = input.byte()
            if choice % 4 == 2 || underWay.isEmpty {
                _ = tell(choice < 32 ? .offered(handle) : .finished(handle))
            } else {
                let action = underWay.remove(at: Int(choice / 4) % underWay.count)
                _ = tell(choice % 4 == 3 ? .notDone(action) : .done(action))
            }
        default:
            now += .milliseconds(Int(input.byte()) * 20)
            _ = tell(.timePassed)
        }
        precondition(watch.requested.count <= 1024, "a body's memory is not larger")
        precondition(watch.finished.isSubset(of: watch.requested.keys), "what is ours was requested")
        precondition(watch.owed.count <= 1025, "and no more is owed, but for the room on our disk")
        for handle in watch.wantedFromMemory { precondition(!watch.cameFromMemory(handle)) }
    }
    // Whatever happened, it asks again, unless it was refused too often.
    switch watch.state {
    case .givenUp, .asking: return
    case .notBegun: preconditionFailure("it has begun")
    case .resting(let until):
        precondition(until - now <= CanonWatch.whileFetching, "new photos are not forgotten")
        precondition(watch.nextDeadline != nil)
        now = max(now, until)
        precondition(tell(.timePassed), "it asks when the time has come")
    }
}

extension CanonWatch.Action {
    fileprivate var isFarewell: Bool { if case .letGo = self { true } else { false } }
}

private func fuzzNikonNoticing(_ input: inout FuzzInput) {
    var device = DeviceInfo()
    device.manufacturer = "Nikon Corporation"
    device.model = ["Z 8", "J4", "D7200"][Int(input.byte() % 3)]
    device.operations = [.nikonGetEvent, .nikonGetEventEx]
    var now = Duration.zero
    var noticing = NikonNoticing(device, onlyPushed: input.byte() % 8 == 0, at: now)
    while !input.isEmpty {
        now += .milliseconds(Int(input.byte()) * 20)
        let choice = input.byte()
        switch choice % 5 {
        case 0, 1:
            guard let question = noticing.question else { continue }
            do throws(Malformed) {
                let bytes = input.take(Int(input.byte()) * 4)
                let list = try NikonEventList(decoding: bytes[...], question.layout)
                let told = noticing.answered(list, at: now)
                precondition(told.count <= list.records.count + 1, "each record is one change at most")
            } catch {
                _ = noticing.failed(.malformed, at: now)
            }
        case 2: _ = noticing.failed(choice < 128 ? .busy : .refused, at: now)
        case 3:
            let code = EventCode(rawValue: UInt16(truncatingIfNeeded: input.number()))
            _ = noticing.pushed(EventPacket(code: code, parameters: [input.number()]), at: now)
        default:
            let reference = NikonInMemory.reference(
                ObjectHandle(rawValue: input.number()), Int(input.byte()))
            if choice < 64 {
                _ = noticing.gone(reference, at: now)
            } else {
                _ = noticing.released(
                    reference, choice < 128 ? .free : choice < 192 ? .refused : .notOffered, at: now)
            }
            if noticing.question == nil { _ = noticing.listIsDue(at: now) }
        }
        let rule = noticing.notReady(ObjectHandle(rawValue: input.number()), at: now)
        precondition(rule.map { $0.limit <= .seconds(5) } ?? true)
    }
    precondition(noticing.nextAt <= now + NikonNoticing.betweenLists, "new photos are not forgotten")
}

private func fuzzNikonJobs(_ input: inout FuzzInput) {
    var jobs = NikonJobs()
    var now = Duration.zero
    jobs.locked()
    while !input.isEmpty {
        now += .milliseconds(Int(input.byte()) * 100)
        switch input.byte() % 4 {
        case 0:
            let parameters = (0..<Int(input.byte() % 6)).map { _ in input.number() }
            jobs.answered(NikonTransferJob(parameters: parameters, data: input.take(8)[...]), at: now)
        case 1: jobs.came(ObjectHandle(rawValue: input.number()))
        case 2: jobs.used(ObjectHandle(rawValue: input.number()), at: now)
        default: jobs.timePassed(at: now)
        }
        precondition(jobs.isLocked && jobs.handles.count <= NikonJobs.mostHandles)
        precondition(!jobs.handles.contains(.root) && !jobs.handles.contains(.all), "an object has a handle")
    }
    jobs.timePassed(at: now + NikonJobs.mostIdle)
    if case .asking = jobs.state { return }
    preconditionFailure("a job that is left alone is given back")
}

/// What a body says of itself, and what is made of it before anything of its maker's is sent.
private func fuzzMakersNames(_ input: inout FuzzInput) {
    let handle = ObjectHandle(rawValue: input.number())
    precondition(CanonHandle(handle).handle == handle, "a handle is what it says")
    do throws(Malformed) {
        let device = try DeviceInfo(decoding: input.all()[...])
        let generation = NikonGeneration(device)
        precondition((generation == nil) == (device.vendor != .nikon))
        if generation == .second { precondition(device.supports(.nikonChangeApplicationMode)) }
        if case .third = generation { precondition(device.supports(.nikonGetPairingInfo)) }
        precondition(!device.hasUnreliableNikonEvents || device.vendor == .nikon)
        precondition([1, 5, 0x11, 0x15].contains(CanonRemoteMode.parameter(model: device.model)))
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}
