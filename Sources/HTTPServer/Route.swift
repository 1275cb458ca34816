/// What is answered where. Patterns are "/events/{id}/photos"; a place takes one part of a path and never an empty one.
package struct Route: Sendable {
    package let method: String
    package let pattern: String
    package let handler: Handler

    package enum Handler: Sendable {
        /// On the network's own thread: looks into memory or at one row, and never waits.
        case quick(@Sendable (Request) -> Response)
        /// The same where that has an answer; where it has none, the other is waited for.
        case quickOr(
            @Sendable (Request) -> Response?, otherwise: @Sendable (Request) async -> Response)
        /// Gets a body of at most `limit` bytes whole.
        case whole(limit: Int, @Sendable (Request) async -> Response)
        /// Decides before the body comes where it goes.
        case intake(@Sendable (Request) async -> Intake)
    }

    package init(_ method: String, _ pattern: String, _ handler: Handler) {
        self.method = method
        self.pattern = pattern
        self.handler = handler
    }
}

/// What becomes of a body that is about to come.
package enum Intake: Sendable {
    case refuse(Response)
    /// Exactly as many bytes as were announced are written there, and never more than `limit`.
    case take(any BodySink, limit: UInt64)
}
