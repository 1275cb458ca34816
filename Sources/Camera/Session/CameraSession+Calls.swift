import Basics
public import PTP

/// What the machine says of a call that it was given.
enum CallOutcome: Sendable {
    case reply(Reply)
    /// Nothing came of it yet.
    case again(Call, at: Duration)
    case failure(CallFailure)
}

extension CameraError.Problem {
    fileprivate init(_ failure: CallFailure) {
        switch failure {
        case .cancelled: self = .cancelled
        case .timedOut(let operation, let limit): self = .timedOut(operation, after: limit)
        case .tooMuchData(let operation, let limit): self = .tooMuchData(operation, limit: limit)
        case .dataCutShort(let operation, let announced, let received):
            self = .dataCutShort(operation, announced: announced, received: received)
        case .connectionEnded(let ending): self = .ended(ending)
        }
    }
}

extension CameraSession {
    /// Runs one call to its response, whatever the response says. Calls from several tasks queue up.
    public func exchange(_ call: Call) async throws(CameraError) -> Reply {
        try await exchange(call, into: nil)
    }

    /// While the machine has it wait to be made again, others have their turn; with what it was refused, `onAgain` is told.
    func exchange(
        _ call: Call, into intake: Intake?, about subject: String? = nil,
        onAgain: @Sendable (ResponseCode) -> Void = { _ in }
    ) async throws(CameraError) -> Reply {
        var call = call
        var isPutOff = false
        defer { if isPutOff { options.onBusy(false) } }
        while true {
            switch await outcome(of: call, into: intake) {
            case .reply(let reply): return reply
            case .failure(let failure): throw error(CameraError.Problem(failure), subject)
            case .again(let next, let moment):
                if !isPutOff { options.onBusy(true) }
                isPutOff = true
                next.refusal.map(onAgain)
                call = next
                do {
                    try await time.sleep(until: moment)
                } catch {
                    throw self.error(.cancelled, subject)
                }
            }
        }
    }

    private func outcome(of call: Call, into intake: Intake?) async -> CallOutcome {
        await lock.enter()
        defer { lock.leave() }
        callNumber += 1
        let number = callNumber
        self.intake = intake
        defer { self.intake = nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { begin(call, number, $0) }
        } onCancel: {
            // The machine lives on the session's executor; getting there takes a task.
            Task(executorPreference: executor) { await self.takeBackCall(number) }
        }
    }

    /// Everything that speaks against a call is looked at here, because awaiting may let others run first.
    private func begin(
        _ call: Call, _ number: Int, _ continuation: CheckedContinuation<CallOutcome, Never>
    ) {
        if takenBack == number || Task.isCancelled {
            return continuation.resume(returning: .failure(.cancelled))
        }
        // A task may still call while the session is being ended, or after.
        guard machine.isReadyForCall else {
            return continuation.resume(returning: .failure(.connectionEnded(ending ?? .closed)))
        }
        waiter = continuation
        feed(.call(call))
    }

    /// A task is cancelled when its connection is to be left. By the time this runs the call may not have begun, or
    /// the call under way may be another task's.
    private func takeBackCall(_ number: Int) {
        takenBack = number
        if number == callNumber, waiter != nil { feed(.cancelCallAtEnd) }
    }

    /// Runs a call until the camera says OK, or something that is not only for now.
    public func demand(_ call: Call) async throws(CameraError) -> Reply {
        try await demand(call, about: nil)
    }

    func demand(
        _ call: Call, into intake: Intake? = nil, about subject: String?,
        onAgain: @Sendable (ResponseCode) -> Void = { _ in }
    ) async throws(CameraError) -> Reply {
        if let knownDevice, !knownDevice.supports(call.operation) {
            throw error(.notSupported(call.operation), subject)
        }
        var call = call
        if call.retries.isEmpty { call.retries = machine.peculiarities.retries }
        let reply = try await exchange(call, into: intake, about: subject, onAgain: onAgain)
        guard reply.code == .ok else {
            throw error(.answered(call.operation, reply.code, knownDevice?.vendor), subject)
        }
        return reply
    }

    /// A dataset, decoded. One that has fewer bytes than `whole` and is understood all the same is worth a remark.
    func ask<Dataset>(
        _ operation: OperationCode, _ parameters: [UInt32] = [], limit: Int, whole: Int = 0,
        timeout: Duration? = nil, silence: Duration? = nil, retries: [RetryRule] = [],
        about subject: String? = nil,
        decode: (ArraySlice<UInt8>) throws(Malformed) -> Dataset
    ) async throws(CameraError) -> Dataset {
        let reply = try await demand(
            Call(
                operation, parameters, data: .incoming(limit: limit), timeout: timeout, silence: silence,
                retries: retries),
            about: subject)
        do throws(Malformed) {
            let dataset = try decode(reply.data[...])
            if reply.data.count < whole {
                feed(
                    .oddAnswer(
                        "the answer to \(operation) is \(reply.data.count) bytes long and lacks its end; what it says"
                            + " without it was taken; bytes: \(HexDump(reply.data))"))
            }
            return dataset
        } catch {
            throw self.error(.malformed(error), subject)
        }
    }

    nonisolated func error(_ problem: CameraError.Problem, _ subject: String? = nil) -> CameraError {
        CameraError(camera: links.target, subject: subject, kind: kind, problem)
    }
}
