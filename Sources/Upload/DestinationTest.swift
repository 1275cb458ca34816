package import Bridge

/// A place that can be tried before an evening depends on it.
package protocol TestableDestination: Destination {
    /// Delivers a small file as it would a photo, reads back what lies there, and takes it away again. Delivered is what
    /// went through all of it.
    func test(_ job: Job) async -> DeliveryOutcome
}

/// What is told of a destination that took a file and is not one to rely on.
enum TestOutcome {
    static func notReadBack(_ name: String, _ place: String) -> DeliveryOutcome {
        .retryable(
            "\(place) took \(name) and does not give it back as it was; photos there cannot be told from others of their "
                + "name: let this user read there as well")
    }

    static func notRemoved(_ name: String, _ place: String) -> DeliveryOutcome {
        .retryable(
            "\(place) still has \(name) after it was removed; let this user remove files there as well")
    }
}
