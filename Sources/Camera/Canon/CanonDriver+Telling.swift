import Bridge
import PTP

/// What a body is told, besides what is asked of it: that it is to stay on, that there is room on our disk, and what it may
/// have back of its memory. One that does not do it now is told again later.
extension CanonDriver {
    func feed(_ action: CanonWatch.Action, _ outcome: Outcome) -> [CanonWatch.Action] {
        switch outcome {
        case .done: feed(.done(action))
        case .notNow: feed(.notDone(action))
        }
    }

    func keepOn() async throws(CameraFailure) -> Outcome {
        let choices = [OperationCode.Canon.keepDeviceOn, OperationCode.Canon.keepDeviceOnPowerShot]
        guard let operation = choices.first(where: plain.device.supports) else { return .done }
        return try await tell(operation, [])
    }

    enum Outcome {
        /// It has done it, or there is nothing that it could do.
        case done
        case notNow
    }

    /// What the body need not do at once: it is asked one time, and nothing waits for it.
    func tell(
        _ operation: OperationCode, _ parameters: [UInt32]
    ) async throws(CameraFailure) -> Outcome {
        guard plain.device.supports(operation), !unknown.contains(operation) else { return .done }
        let result: Result<ResponseCode, CameraError> = await uncut { session in
            do throws(CameraError) {
                return .success(try await session.exchange(Call(operation, parameters)).code)
            } catch {
                return .failure(error)
            }
        }
        let error: CameraError
        switch result {
        case .success(let code) where code == .ok || Self.isGone(operation, code):
            refusals[operation] = nil
            return .done
        case .success(let code): error = session.error(.answered(operation, code, .canon))
        case .failure(let failure): error = failure
        }
        if error.isOurDoing { return .notNow }
        guard error.isHarmless else { throw CameraFailure(error) }
        complain(operation, error)
        guard let code = error.code, Self.unknownCodes.contains(code) else { return .notNow }
        unknown.insert(operation)
        return .done
    }

    /// The body does not know the operation, and will not in this connection.
    private static let unknownCodes: Set<ResponseCode> = [
        .operationNotSupported, ResponseCode.Canon.unknownCommand,
    ]

    /// The body keeps no such photo any more.
    private static func isGone(_ operation: OperationCode, _ code: ResponseCode) -> Bool {
        operation == OperationCode.Canon.transferComplete && code == .invalidObjectHandle
    }

    /// Once for each operation. Busy is what bodies are for seconds, and that costs nothing.
    private func complain(_ operation: OperationCode, _ error: CameraError) {
        let count = refusals[operation, default: 0] + 1
        refusals[operation] = count
        guard error.code != .deviceBusy || count >= Self.mostBusy, complainedOf.insert(operation).inserted
        else { return }
        plain.changes.push(.remark("\(error.problem). \(error.advice)"))
    }

    /// With the pauses between them a quarter of a minute.
    private static let mostBusy = 10
}
