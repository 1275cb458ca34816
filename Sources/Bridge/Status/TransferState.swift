public import Basics

/// What one camera's transfer is doing, in an operator's words.
public enum TransferState: Equatable, Sendable {
    /// No camera is connected; `ConnectionLife` says why.
    case away
    /// The card's photos are being listed.
    case listing
    case fetching(String)
    /// All that is left to do costs a connection each time.
    case suspect(String)
    /// The camera says that it is busy.
    case busy
    /// The disk does not take photos now, or with no meaning the ledger.
    case held(String, DiskError.Meaning?)
    /// Nothing to do: it waits for the next shot.
    case idle
}
