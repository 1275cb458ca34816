import Basics
import TestSupport
import Testing

@Suite(.enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
struct S3ConformanceTests {
    @Test("a bucket is a destination like any other", arguments: DestinationConformance.claims)
    func bucket(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try S3Place($0, over: Patient.init).place() })
    }

    /// On a busy machine a store that is asked without a pause stands still for longer than an operator's is waited for.
    private struct Patient: HTTPTransport {
        let http: any HTTPTransport

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            var request = request
            request.limits.noProgress = .seconds(300)
            return try await http.send(request)
        }

        func forgetConnections() { http.forgetConnections() }
    }
}

@Suite(.enabled(if: Tool.isThere(RclonePlace.program), "rclone is not installed; tools/setup does it"))
struct LaxStoreTests {
    /// It shows a file while it grows, which no client can change.
    static let claims = DestinationConformance.claims.filter {
        !$0.testDescription.contains("half-written") && !$0.testDescription.contains("on its way")
    }

    @Test("so is a bucket of a store that ignores half of what it is asked", arguments: claims)
    func bucket(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try RclonePlace($0).place() })
    }
}
