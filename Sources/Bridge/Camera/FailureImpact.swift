/// What a failure of a camera means to the work that was under way.
public enum FailureImpact: Equatable, Sendable {
    /// The connection is over. `mayBeItsDoing`: the object that the camera was asked for may be the cause; it is not
    /// when we ended it, or when the network or the camera's own noise did.
    case connectionOver(ConnectionLife.Loss, mayBeItsDoing: Bool)
    /// This object may work in a moment; others work now.
    case notNow
    /// No answer in time; the connection stands. A camera that does not answer the next question either is gone.
    case unanswered
    /// The camera does not have this object any more.
    case gone
    /// It cannot be gone on with from its middle: it has to be brought from the beginning.
    case startOver
    /// This will not work in this connection.
    case never
    /// The consumer could not take the bytes: our own disk.
    case taker
    /// We ended it.
    case cancelled
}
