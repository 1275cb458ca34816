import Basics
import Bridge

extension DeliveryOutcome {
    /// What it means to a job that there was no answer from `host`.
    init(_ failure: HTTPFailure, from host: String, sending path: String) {
        switch failure {
        case .cancelled: self = .cancelled
        case .certificate(let text): self = .held(.certificate, "\(host): \(text)")
        case .invalid(let text): self = .held(.settings, "\(host): \(text)")
        // They name the host themselves.
        case .unreachable: self = .notThere("\(failure)")
        case .broken, .unreadable: self = .cut("\(failure)")
        case .body(let error): self = Undeliverable(error, reading: path).outcome
        }
    }
}

extension HTTPFailure {
    /// Everything has been sent and what came of it is not known: it has to be asked.
    var isAmbiguous: Bool {
        switch self {
        case .broken(_, let bodyWasSent): bodyWasSent
        case .unreadable: true
        case .unreachable, .certificate, .body, .invalid, .cancelled: false
        }
    }
}
