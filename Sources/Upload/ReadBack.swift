package import Bridge

/// What lies at a destination where a receipt says that a photo does.
package enum Standing: Equatable, Sendable {
    /// As large as it was, and with its SHA-256.
    case there
    /// Something else has its name, or its bytes have changed; what is known of it.
    case altered(String)
    case gone
    /// A gallery's host has deleted or hidden it.
    case withdrawn(String)
    /// The destination cannot say of this photo, however often it is asked.
    case notCheckable(String)
    /// The same of every photo there.
    case nothingCheckable(String)
    /// No answer came that could be believed; another time it may.
    case unanswered(String)
}

/// Why a photo could not be read out of a destination.
package struct NotReadable: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension Destination {
    package var consumes: Bool { false }
    package var mostLooked: Int { 1 }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        throw NotReadable("photos are not read back out of \(url)")
    }

    /// What became of photos that were delivered there, at most ``mostLooked`` at a time. A destination whose files are
    /// taken away by others is not asked.
    package func readBack(_ receipts: [Receipt]) async -> [Standing] {
        guard !consumes else {
            return receipts.map { _ in .nothingCheckable("what is delivered there is taken away by others") }
        }
        let found = await look(at: receipts)
        precondition(found.count == receipts.count, "each receipt that is looked at has an answer")
        return found
    }
}

extension Receipt {
    /// The name that the photo has there; nothing for a gallery's.
    var name: String? {
        if case .key(let key) = place { key } else { nil }
    }

    /// Nothing where another size says enough.
    func standing(ofSize size: UInt64) -> Standing? {
        size == self.size ? nil : .altered("it has \(size) bytes and had \(self.size)")
    }

    func standing(ofDigest digest: String) -> Standing {
        digest == sha256 ? .there : .altered("it has another SHA-256 than when it was delivered")
    }
}

extension Standing {
    /// A question that failed like a delivery does.
    init(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .retryable(let text, _), .permanent(let text), .destinationFailed(let text, _),
            .notThere(let text), .cut(let text), .held(_, let text), .placeRefused(let text),
            .eventExpired(let text):
            self = .unanswered(text)
        case .cancelled: self = .unanswered("it was ended")
        case .delivered, .presigned, .sent, .intentForgotten, .goesOn:
            preconditionFailure("a question does not end like a delivery that goes on")
        }
    }
}
