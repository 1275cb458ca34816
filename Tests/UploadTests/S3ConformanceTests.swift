import TestSupport
import Testing

@Suite(.enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
struct S3ConformanceTests {
    @Test("a bucket is a destination like any other", arguments: DestinationConformance.claims)
    func bucket(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try S3Place($0).place() })
    }
}
