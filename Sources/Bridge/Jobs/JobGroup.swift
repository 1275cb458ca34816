/// Where a job stands, as an operator counts jobs.
public enum JobGroup: String, Equatable, Sendable, CaseIterable {
    /// It will be sent, now or when something passes.
    case queued
    case uploading
    /// A gallery has the bytes and works on them.
    case awaiting
    case completed
    /// Waits for the operator.
    case failed

    public init(_ state: JobState) {
        switch state {
        case .staged, .presigned, .failedRetryable: self = .queued
        case .uploading: self = .uploading
        case .uploadedAwaitingProcessing: self = .awaiting
        case .completed: self = .completed
        case .failedPermanent: self = .failed
        }
    }

    public static func counts(_ states: [JobState: Int]) -> [JobGroup: Int] {
        states.reduce(into: [:]) { $0[JobGroup($1.key), default: 0] += $1.value }
    }
}
