/// What happens on a job's way to its destination, for those who show it.
public enum UploadEvent: Equatable, Sendable {
    case delivered(Job, url: String, Receipt)
    case failed(Job, url: String, String, isFinal: Bool)
    /// A destination does not take photos; it is tried again by itself, unless the operator has to do something.
    case held(url: String, HoldCause?, String)
    case released(url: String)
    /// Deliveries there begin anew: whatever held it before is tried again.
    case begun(url: String)
    /// So many uploads go there at a time now.
    case slots(url: String, Int)
    /// The network that leads there, in a sentence.
    case way(url: String, String)
    /// The ledger does not take notes; everything waits for that.
    case ledgerFailed(String)
}
