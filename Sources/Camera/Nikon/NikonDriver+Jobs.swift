import Basics
import Bridge
import PTP

/// Photos of a body in picture-transfer mode, which gives only what was queued on it, and says when.
extension NikonDriver {
    /// Before it is looked whether a job has ended.
    static let betweenJobs = Duration.milliseconds(100)
    /// "It blocks until a picture is queued": for as long as an event lasts.
    private static let longestWait = Duration.seconds(86_400)

    /// Waits for the next photo where none is under way. Nothing when the connection is over, or to be.
    func askForJob() async throws(CameraFailure) -> [CameraChange]? {
        jobs.timePassed(at: time.now)
        guard case .asking(let status) = jobs.state else { return [] }
        do throws(CameraError) {
            let reply = try await session.exchange(
                Call(
                    .nikonAdvancedTransfer, [status.rawValue],
                    data: .incoming(limit: NikonTransferJob.mostBytes), timeout: Self.longestWait,
                    silence: Self.longestWait, isProbed: true))
            let job =
                reply.code == .ok
                ? NikonTransferJob(parameters: reply.parameters, data: reply.data[...]) : nil
            jobs.answered(job, at: time.now)
            noteUnseen(reply.code)
            if reply.code == .ok, job == nil {
                return [.remark("AdvancedTransfer named no object; its bytes: \(HexDump(reply.data))")]
            }
            guard let job else { return [] }
            await plain.leaveFolders(of: job.handle)
            return [.added(PhotoReference(job.handle))]
        } catch {
            switch error.problem {
            case .ended, .cancelled: return nil
            default:
                jobs.answered(nil, at: time.now)
                return []
            }
        }
    }

    private func noteUnseen(_ code: ResponseCode) {
        switch code {
        case .ok: plain.unseen.met(.nikonJob)
        case .deviceBusy, .nikonNoTransferList, .nikonAdvancedTransferCancelled: break
        default: plain.unseen.met(.nikonJobAnswer, code.described(for: .nikon))
        }
    }

    func references() async throws(CameraFailure) -> Set<PhotoReference> {
        jobs.isLocked ? given : try await plain.references().union(noticing.withLock(\.inMemory))
    }

    func glance() async throws(CameraFailure) -> Set<PhotoReference> {
        jobs.isLocked ? given : try await plain.glance().union(noticing.withLock(\.inMemory))
    }

    /// Whatever else is on its cards cannot be had.
    private var given: Set<PhotoReference> { Set(jobs.handles.map { PhotoReference($0) }) }
}
