import Basics

/// Why there is no image to show.
package struct ImageProblem: Error, Equatable, Sendable {
    package enum Meaning: Equatable, Sendable {
        /// Deleted, hidden, expired, or never there: the gallery or its sync says so.
        case gone
        /// Another account's, or of an event that is not looked at now.
        case foreign
        /// The gallery does not give it to this log-in.
        case refused(status: Int)
        /// The gallery cannot be asked now. It passes.
        case unreachable
        /// What came is no image that may be shown: another type, too large, or nothing.
        case unusable
        /// The request itself.
        case invalid
        /// More wait already than a page can show.
        case busy
        /// The caller, or the cache that ends, has taken it back.
        case cancelled
    }

    package let meaning: Meaning
    /// How long the gallery asks to be left alone.
    package let retryAfter: Duration?
    /// What happened to which image, and what to do: a sentence.
    package let description: String

    package init(_ meaning: Meaning, _ description: String, retryAfter: Duration? = nil) {
        self.meaning = meaning
        self.description = description
        self.retryAfter = retryAfter
    }
}

extension ImageProblem: CustomStringConvertible {}

extension ImageRequest {
    /// In sentences: never the key or the address, which let others see it.
    private var name: String { "\(Visible(kind)) image of \(object.type) \(Visible(object.id))" }

    func problem(_ meaning: ImageProblem.Meaning, retryAfter: Duration? = nil) -> ImageProblem {
        let sentence =
            switch meaning {
            case .gone: "there is no \(name) any more: it was deleted, hidden, or its event has ended"
            case .foreign: "the \(name) belongs to another account or event than the one that is looked at"
            case .refused(let status):
                "the gallery does not give the \(name) (HTTP \(status)): log in again with 'tetherline login'"
            case .unreachable:
                "the gallery cannot give the \(name) now; it is tried again when it is asked for"
            case .unusable: "what the gallery gave as \(name) is no image that can be shown"
            case .invalid: "the \(name) cannot be asked for"
            case .busy: "more images are asked for at once than are kept waiting; the \(name) is not"
            case .cancelled: "the \(name) is not wanted any more"
            }
        return ImageProblem(meaning, sentence, retryAfter: retryAfter)
    }
}
