package import Bridge

/// A place that photos are delivered to. One small module for each kind; the scheduler knows none of them.
package protocol Destination: Sendable {
    var id: DestinationID { get }
    /// As the operator named it, for messages.
    var url: String { get }
    /// Deliveries at a time that the way there allows now.
    var slots: Int { get }

    /// Delivers one photo, or says what kept it from arriving. Doing it a second time after a crash does not deliver
    /// it twice. Ends soon when the task is cancelled.
    func deliver(_ job: Job) async -> DeliveryOutcome
}

/// What happens to deliveries, for whoever shows it.
package enum UploadEvent: Equatable, Sendable {
    case delivered(Job, url: String, Receipt)
    case failed(Job, url: String, String, isFinal: Bool)
    /// A destination does not take photos; it is tried again by itself.
    case held(url: String, String)
    case released(url: String)
    /// The ledger does not take notes; everything waits for that.
    case ledgerFailed(String)
}
