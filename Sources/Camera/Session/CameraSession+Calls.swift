import Basics
public import PTP

extension CameraSession {
    /// Runs one call to its response, whatever the response says. Calls from several tasks queue up.
    public func exchange(_ call: Call) async throws(CameraError) -> Reply {
        try await exchange(call, into: nil)
    }

    func exchange(
        _ call: Call, into intake: Intake?, about subject: String? = nil
    ) async throws(CameraError) -> Reply {
        await turnstile.enter()
        defer { turnstile.leave() }
        callNumber += 1
        let number = callNumber
        self.intake = intake
        defer { self.intake = nil }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { begin(call, number, $0) }
        } onCancel: {
            // The machine lives on the session's executor; getting there takes a task.
            Task(executorPreference: executor) { await self.takeBackCall(number) }
        }
        switch result {
        case .success(let reply): return reply
        case .failure(.cancelled): throw error(.cancelled, subject)
        case .failure(.timedOut(let operation, let limit)):
            throw error(.timedOut(operation, after: limit), subject)
        case .failure(.tooMuchData(let operation, let limit)):
            throw error(.tooMuchData(operation, limit: limit), subject)
        case .failure(.dataCutShort(let operation, let announced, let received)):
            throw error(.dataCutShort(operation, announced: announced, received: received), subject)
        case .failure(.connectionEnded(let ending)): throw error(.ended(ending), subject)
        }
    }

    /// Everything that speaks against a call is looked at here, because awaiting may let others run first.
    private func begin(
        _ call: Call, _ number: Int, _ continuation: CheckedContinuation<Result<Reply, CallFailure>, Never>
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

    /// Runs a call until the camera says OK; waits while it says that it is busy.
    ///
    /// Cameras are busy for seconds while the photographer looks at pictures or the card catches up.
    public func demand(_ call: Call) async throws(CameraError) -> Reply {
        try await demand(call, about: nil)
    }

    func demand(
        _ call: Call, into intake: Intake? = nil, about subject: String?
    ) async throws(CameraError) -> Reply {
        if let knownDevice, !knownDevice.supports(call.operation) {
            throw error(.notSupported(call.operation), subject)
        }
        let giveUpAt = time.now + options.busyLimit
        var pause = Duration.milliseconds(100)
        var isBusy = false
        defer { if isBusy { options.onBusy(false) } }
        while true {
            let reply = try await exchange(call, into: intake, about: subject)
            guard reply.code != .ok else { return reply }
            if reply.code == .deviceBusy, !isBusy {
                isBusy = true
                options.onBusy(true)
            }
            guard reply.code == .deviceBusy, reply.received == 0, time.now + pause < giveUpAt else {
                throw error(.answered(call.operation, reply.code, knownDevice?.vendor), subject)
            }
            do {
                try await time.sleep(until: time.now + pause)
            } catch {
                throw self.error(.cancelled, subject)
            }
            pause = min(pause * 2, .seconds(1))
        }
    }

    /// A dataset, decoded. One that has fewer bytes than `whole` and is understood all the same is worth a remark.
    func ask<Dataset>(
        _ operation: OperationCode, _ parameters: [UInt32] = [], limit: Int, whole: Int = 0,
        patience: Duration? = nil, silence: Duration? = nil, about subject: String? = nil,
        decode: (ArraySlice<UInt8>) throws(Malformed) -> Dataset
    ) async throws(CameraError) -> Dataset {
        let reply = try await demand(
            Call(operation, parameters, data: .incoming(limit: limit), patience: patience, silence: silence),
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
        CameraError(camera: links.target, subject: subject, problem)
    }
}
