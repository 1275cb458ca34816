import Basics
import Bridge
package import Camera

extension CameraTransfer {
    /// Lends the camera for one piece of work between two of its own: it has one slot. Throws when there is no connection, or
    /// none any more.
    package func lend(_ work: @escaping @Sendable (any CameraDriver) async throws -> Void) async throws {
        let end: Result<Void, any Error> = await withCheckedContinuation { continuation in
            guard isConnected else { return continuation.resume(returning: .failure(notConnected)) }
            loans.append(CameraLoan(work: work, continuation: continuation))
            feed(.surveyWanted)
        }
        try end.get()
    }

    private var notConnected: CameraNotConnected {
        CameraNotConnected(
            place: place, reason: lastLoss?.reason ?? "its card is being listed for the first time; ask again"
        )
    }

    /// Throws what ended the connection; the command that wanted it is told as well.
    func serveLoans(_ camera: any CameraDriver) async throws {
        let waiting = loans
        loans = []
        for (index, loan) in waiting.enumerated() {
            do {
                try await loan.work(camera)
                loan.continuation.resume(returning: .success(()))
            } catch {
                loan.continuation.resume(returning: .failure(error))
                guard let failure = error as? CameraFailure, failure.isEndOfConnection else { continue }
                loans = Array(waiting[(index + 1)...]) + loans
                throw failure
            }
        }
    }

    func refuseLoans() {
        let waiting = loans
        loans = []
        for loan in waiting { loan.continuation.resume(returning: .failure(notConnected)) }
    }
}
