import Basics
import Bridge
import PTP
import Posix

/// EOS bodies, and PowerShots that list the same operations: new photos are asked for with GetEvent, the photographer
/// keeps the body, and images that the body keeps for the host are let go of when they are safe.
///
/// What is not said here is done as the standard has it.
actor CanonDriver: MakerDriver {
    static let name = "canon"
    /// The body is controlled from here: its screen may go black and its dials be locked.
    static let modes = [remote]
    private static let remote = "remote"

    nonisolated let plain: GenericDriver
    nonisolated let session: CameraSession
    nonisolated let executor: any CameraExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private nonisolated let isRemote: Bool

    private(set) var watch = CanonWatch()
    /// SetEventMode was accepted, and has to be taken back at the end. SetRemoteMode likewise.
    private var isEventModeOn = false
    private var isRemoteModeOn = false
    private let signal = Signal()
    /// What the body does not know: it is not asked for it again in this connection.
    var unknown: Set<OperationCode> = []
    /// How often in a row it has refused each, and for which the operator was told so.
    var refusals: [OperationCode: Int] = [:]
    var complainedOf: Set<OperationCode> = []
    /// For people who look at the records themselves; nothing before one does. Then the first ones are shown, too.
    private var shown: BoundedEventQueue<RawNotice>?
    private var early: [CanonEventList.Record] = []
    private static let mostEarly = 512

    /// Nothing for a body of another make, and for one that does not list what is needed.
    init?(_ plain: GenericDriver, mode: String?) {
        let device = plain.device
        guard device.vendor == .canon, device.supports(OperationCode.Canon.setEventMode),
            device.supports(OperationCode.Canon.getEvent)
        else { return nil }
        self.plain = plain
        session = plain.session
        executor = plain.session.executor
        isRemote = mode == Self.remote
    }

    // MARK: Beginning and end

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        await plain.give(parts: await plain.traits.canon.parts, of: FetchPlan.usualPart)
        if isRemote, plain.device.supports(OperationCode.Canon.setRemoteMode) {
            let parameter = CanonRemoteMode.parameter(model: plain.device.model)
            isRemoteModeOn = try await isDone(OperationCode.Canon.setRemoteMode, [parameter])
        }
        // A 2000D "rejects commands issued immediately after connecting" with Device_Busy: that is waited for.
        isEventModeOn = try await isDone(OperationCode.Canon.setEventMode, [1]) {
            [unseen = plain.unseen] code in
            if code == .deviceBusy { unseen.met(.canonBusyAtFirst) }
        }
        if plain.device.supports(OperationCode.Canon.getPartialObject64) { plain.unseen.met(.canonParts) }
        if plain.device.supports(OperationCode.Canon.getObjectInfo64) { plain.unseen.met(.canonInfo) }
        plain.pushed.take { [weak self, changes = plain.changes, executor] notice in
            guard notice.code == EventCode.Canon.requestGetEvent else {
                CameraChange(notice).map { changes.push($0) }
                return
            }
            Task(executorPreference: executor) { await self?.wasInvited() }
        }
    }

    /// The body has said "please GetEvent".
    private func wasInvited() {
        feed(.invited)
        signal.fire()
    }

    /// Whether the body did it. One that refuses is worked with as far as it goes.
    private func isDone(
        _ operation: OperationCode, _ parameters: [UInt32],
        onAgain: @Sendable (ResponseCode) -> Void = { _ in }
    ) async throws(CameraFailure) -> Bool {
        do throws(CameraError) {
            _ = try await session.demand(Call(operation, parameters), about: nil, onAgain: onAgain)
            return true
        } catch {
            guard error.isHarmless else { throw CameraFailure(error) }
            plain.changes.push(
                .remark("\(error.problem). \(error.advice) New photos are found by listing the card."))
            return false
        }
    }

    /// "Event mode off, remote mode off, close." Also where the task was cancelled: the body is left in order.
    func end() async {
        await Task(executorPreference: executor) { await self.leave() }.value
    }

    private func leave() async {
        let modes = [
            (isEventModeOn, OperationCode.Canon.setEventMode),
            (isRemoteModeOn, OperationCode.Canon.setRemoteMode),
        ]
        for (isOn, operation) in modes where isOn {
            do throws(CameraError) {
                _ = try await session.exchange(Call(operation, [0], timeout: Self.farewell))
            } catch {
                // The connection is over, or the body has fallen silent: it is told to those who used it.
                return
            }
        }
        (isEventModeOn, isRemoteModeOn) = (false, false)
    }

    private static let farewell = Duration.milliseconds(500)

    // MARK: What is new

    func notice() async throws(CameraFailure) {
        try await perform(feed(isEventModeOn ? .began : .cannotBegin))
        while !Task.isCancelled, let due = watch.nextDeadline {
            if session.time.now < due {
                await signal.wait(until: due, of: session.time)
            } else {
                try await perform(feed(.timePassed))
            }
        }
    }

    @discardableResult
    func feed(_ happening: CanonWatch.Happening) -> [CanonWatch.Action] {
        let actions = watch.handle(happening, at: session.time.now)
        if watch.hasOneHandleForTwo { plain.unseen.met(.canonOneHandle) }
        return actions
    }

    /// What is new is asked for soon.
    func fetchEnded() {
        feed(.fetchEnded)
        signal.fire()
    }

    func perform(_ actions: [CanonWatch.Action]) async throws(CameraFailure) {
        var left = actions[...]
        while let action = left.popFirst() {
            switch action {
            case .ask: left += feed(try await ask())
            case .keepOn: left += feed(action, try await keepOn())
            case .tellCapacity:
                left += feed(
                    action, try await tell(OperationCode.Canon.hostDiskCapacity, CanonHostDisk.capacity))
            case .letGo(let handle):
                left += feed(
                    action, try await tell(OperationCode.Canon.transferComplete, [handle.rawValue]))
            case .tell(let change): plain.changes.push(change)
            case .giveUp:
                plain.changes.push(
                    .remark(
                        "the body refuses to say what is new (GetEvent): photos are found by listing the card"
                    ))
            }
        }
    }

    private func ask() async throws(CameraFailure) -> CanonWatch.Happening {
        let call = Call(
            OperationCode.Canon.getEvent, data: .incoming(limit: CanonEventList.longest))
        let result: Result<Reply, CameraError> = await uncut { session in
            do throws(CameraError) {
                return .success(try await session.exchange(call))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let reply):
            guard reply.code == .ok else {
                let error = session.error(.answered(call.operation, reply.code, .canon))
                guard error.isHarmless else { throw CameraFailure(error) }
                return .notAnswered
            }
            return .answered(read(reply.data))
        case .failure(let error):
            if case .tooMuchData = error.problem { plain.changes.push(.cardsChanged) }
            guard error.isHarmless || error.isOurDoing else { throw CameraFailure(error) }
            return .notAnswered
        }
    }

    /// What concerns photos; of everything else, that there was something.
    private func read(_ data: [UInt8]) -> [CanonEvent] {
        var events: [CanonEvent] = []
        var hasOthers = false
        let problem = CanonEventList.read(data[...]) { record in
            if let shown {
                shown.push(RawNotice(record))
            } else if early.count < Self.mostEarly {
                early.append(record)
            }
            switch record.type {
            case 0xC1A9: plain.unseen.met(.canonLargeRequest)
            case 0xC1B6: plain.unseen.met(.canonLongName)
            default: break
            }
            // More than that are not told one by one anyway.
            if !record.event.concernsPhotos {
                hasOthers = true
            } else if events.count <= CanonWatch.mostAtPace {
                events.append(record.event)
            }
        }
        if events.count > CanonWatch.mostAtPace { plain.changes.push(.cardsChanged) }
        if let problem {
            // Whatever stood behind that is lost.
            plain.changes.push(.remark("the answer to GetEvent makes no sense at one place: \(problem)"))
            plain.changes.push(.cardsChanged)
        }
        return hasOthers ? events + [.other] : events
    }

    /// What was asked is answered before the connection ends, where that takes no longer than a moment: no body is known to
    /// bear a Cancel.
    func uncut<Result: Sendable>(
        _ body: @escaping @Sendable (CameraSession) async -> Result
    ) async -> Result {
        let (session, signal) = (session, Signal())
        let asking = Task(executorPreference: executor) {
            let result = await body(session)
            signal.fire()
            return result
        }
        return await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            Task(executorPreference: executor) {
                await signal.wait(until: session.time.now + Self.grace, of: session.time)
                asking.cancel()
            }
        }
    }

    /// "A round trip takes 48–200 ms."
    private static let grace = Duration.milliseconds(500)

    // MARK: For people

    func rawNotices(_ each: @Sendable (RawNotice) async -> Bool) async {
        let queue = BoundedEventQueue<RawNotice>(whenLost: .lostRecords)
        for record in early { queue.push(RawNotice(record)) }
        (shown, early) = (queue, [])
        let pushed = Task(executorPreference: executor) {
            await self.plain.rawNotices { notice in
                queue.push(notice)
                return true
            }
            queue.finish()
        }
        while let notice = await queue.next() { if await !each(notice) { break } }
        shown = nil
        pushed.cancel()
        await pushed.value
    }
}

extension CameraError {
    /// We took the call back, or ended the connection.
    var isOurDoing: Bool {
        switch problem {
        case .cancelled, .ended(.cancelled), .ended(.closed): true
        default: false
        }
    }
}
