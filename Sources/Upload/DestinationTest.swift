package import Bridge
import Digest
import S3

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

extension NamedDelivery {
    func test(on server: some NamingServer) async throws -> DeliveryOutcome {
        let outcome = try await deliver(to: server)
        guard case .delivered(let receipt) = outcome, case .key(let name) = receipt.place else {
            return outcome
        }
        let found: Result<SHA256Digest?, any Error>
        do {
            found = .success(try await server.digest(of: name, size: receipt.size))
        } catch {
            found = .failure(error)
        }
        try await server.remove(name)
        guard try found.get()?.description == receipt.sha256 else {
            return TestOutcome.notReadBack(name, host)
        }
        return try await server.size(of: name) == nil ? outcome : TestOutcome.notRemoved(name, host)
    }
}
