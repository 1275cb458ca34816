package import Basics
import Bridge

/// Why a gallery did not do what it was asked to.
package enum GalleryError: Error, Equatable, Sendable {
    /// It answered, and the answer is no.
    case refused(GalleryRefusal)
    /// There was no answer.
    case unanswered(HTTPFailure, server: String)
    /// A success that is none of this API: a captive portal, another program, another version.
    case foreign(String)
    /// The operator has to log in.
    case loggedOut(server: String)
    /// The log-in cannot be used here and now; nothing is wrong with the gallery.
    case credentials(String)
}

/// An answer that says no.
package struct GalleryRefusal: Error, Equatable, Sendable {
    package let server: String
    package let status: Int
    /// Of this API's codes; nothing where the answer was not in its form, so that a proxy or a portal may have made it.
    package let code: String?
    package let message: String
    /// How long it asks to be left alone.
    package let after: Duration?

    /// Whether the gallery itself has said it.
    package var isItsOwn: Bool { code != nil }
}

extension GalleryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unanswered(let failure, let server): "\(server) did not answer: \(failure)"
        case .foreign(let text), .credentials(let text): text
        case .loggedOut(let server): "log in again: \(GalleryAddress.loginCommand(server))"
        }
    }
}

extension GalleryRefusal: CustomStringConvertible {
    package var description: String {
        message.isEmpty ? "\(server) answered \(status)" : "\(server) answered \(status): \(message)"
    }
}

/// What an error means whatever was asked.
enum GeneralTrouble: Equatable {
    case destinationFailed(String, after: Duration?)
    case held(HoldCause, String)
    case cancelled
}

extension GalleryError {
    /// Nothing for an answer whose meaning depends on the question.
    var general: GeneralTrouble? {
        switch self {
        case .unanswered(.cancelled, _): return .cancelled
        case .unanswered(.certificate, _): return .held(.certificate, "\(self)")
        case .unanswered(.invalid, _): return .held(.settings, "\(self)")
        case .unanswered(.unreachable, _), .unanswered(.broken, _), .unanswered(.unreadable, _),
            .unanswered(.body, _), .foreign, .credentials:
            return .destinationFailed("\(self)", after: nil)
        case .loggedOut: return .held(.loggedOut, "\(self)")
        case .refused(let refusal): return refusal.general
        }
    }
}

extension GalleryRefusal {
    fileprivate var general: GeneralTrouble? {
        switch status {
        // Its own 401 has been answered with a refresh before; what is left is for the operator to mend.
        case 401 where isItsOwn: .held(.loggedOut, "\(GalleryError.loggedOut(server: server))")
        case 408, 425, 429, 500...: .destinationFailed(description, after: after)
        // Not in this API's form: who said it is not known, and no photo is to be given up for it.
        case _ where !isItsOwn: .destinationFailed(description, after: after)
        case 402: .held(.credits, description)
        case 403 where code == "CONSENT_REQUIRED": .held(.consent, description)
        case 403: .destinationFailed(description, after: after)
        default: nil
        }
    }
}
