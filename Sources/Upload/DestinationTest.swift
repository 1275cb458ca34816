package import Bridge

/// A place that can be tried before an evening depends on it.
package protocol TestableDestination: Destination {
    /// Delivers a small file as it would a photo, reads back what lies there, and takes it away again. Delivered is what
    /// went through all of it.
    func test(_ job: Job) async -> DeliveryOutcome
    /// What would keep every photo from arriving, as far as that is seen without sending anything: the folder, the keys, the
    /// host's key, its certificate, the log-in. Nothing where all that is well.
    func probe() async -> DeliveryOutcome?
}
