import Basics
import Bridge
import TestSupport
import Testing
import Upload
import WorldSupport

/// Answers that the store at hand does not give, as AWS documents them ("Error responses").
@Suite(.enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
struct S3AnswerTests {
    let spool: TestSpool
    let job: Job

    init() throws {
        spool = try TestSpool()
        job = try spool.job(1, "A.JPG", photoBytes(1))
    }

    private static func error(_ code: String, _ message: String = "So it is.", more: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?><Error><Code>\(code)</Code><Message>\(message)</Message>\(more)\
        <RequestId>4442587FB7D0A2F9</RequestId></Error>
        """
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        var headers: [HTTPHeader] = []
        let outcome: DeliveryOutcome
        var testDescription: String { "\(status) \(body.prefix(90).suffix(40))" }
    }

    static let examples: [Example] = [
        Example(
            status: 404, body: error("NoSuchBucket"),
            outcome: .held(
                .settings, "there is no bucket 'photos' at HOST; make it, or correct the destination")),
        Example(
            status: 403, body: error("AccessDenied", "Access Denied"),
            outcome: .held(
                .settings,
                "HOST says AccessDenied: Access Denied. The access key testkey from AWS_ACCESS_KEY_ID in the "
                    + "environment may not do this in the bucket 'photos'")),
        Example(
            status: 400, body: error("AuthorizationHeaderMalformed", more: "<Region>eu-west-1</Region>"),
            outcome: .held(
                .settings,
                "the bucket 'photos' is in the region eu-west-1, not in us-east-1; add region=eu-west-1 to the "
                    + "destination, or set AWS_REGION")),
        Example(
            status: 301, body: error("PermanentRedirect"),
            headers: [HTTPHeader("x-amz-bucket-region", "eu-west-2")],
            outcome: .held(
                .settings,
                "the bucket 'photos' is in the region eu-west-2, not in us-east-1; add region=eu-west-2 to the "
                    + "destination, or set AWS_REGION")),
        Example(
            status: 400, body: error("ExpiredToken"),
            outcome: .held(
                .settings,
                "the session token of the access key testkey from AWS_ACCESS_KEY_ID in the environment is not "
                    + "valid any more; get new keys")),
        Example(
            status: 503, body: error("SlowDown", "Please reduce your request rate."),
            headers: [HTTPHeader("Retry-After", "7")],
            outcome: .destinationFailed(
                "HOST says SlowDown: Please reduce your request rate.", after: .seconds(7))),
        Example(
            status: 500, body: error("InternalError"),
            outcome: .destinationFailed("HOST says InternalError: So it is.")),
        Example(
            status: 502, body: "<html><body>Bad Gateway",
            outcome: .destinationFailed("HOST says status 502")),
        Example(
            status: 400, body: error("RequestTimeout"),
            outcome: .cut("HOST says RequestTimeout: So it is.")),
        Example(
            status: 400, body: error("EntityTooLarge"),
            outcome: .permanent("HOST says EntityTooLarge: So it is.")),
        Example(
            status: 400, body: error("BadDigest"), outcome: .retryable("HOST says BadDigest: So it is.")),
        Example(
            status: 400, body: error("InvalidArgument"),
            outcome: .retryable("HOST says InvalidArgument: So it is.")),
        Example(
            status: 403, body: error("AccessDenied", "a&#27;[31mb"),
            outcome: .held(
                .settings,
                "HOST says AccessDenied: a [31mb. The access key testkey from AWS_ACCESS_KEY_ID in the environment "
                    + "may not do this in the bucket 'photos'")),
        Example(
            status: 200, body: "<html><body>Welcome to our hotel! Log in here.",
            outcome: .notThere(
                "HOST answered 200 and not as a store does; is there a log-in page between us?")),
    ]

    @Test(
        "what a store says is told from what others say, and says who can do something", arguments: examples)
    func answer(example: Example) async throws {
        let server = try HTTPPeer { _ in .text(example.status, example.body, headers: example.headers) }
        let host = String(server.url.dropFirst("http://".count))
        let place = try S3Place(spool, environment: ["AWS_ENDPOINT_URL": server.url], bucket: "photos")
        let outcome = await place.deliver(job)
        let text = "\(outcome)".split(separator: host, omittingEmptySubsequences: false).joined(
            separator: "HOST")
        #expect(text == "\(example.outcome)")
    }

    @Test("the bytes are compared here when the store says that they are not what was announced")
    func damaged() async throws {
        let server = try HTTPPeer { _ in .text(400, Self.error("BadDigest")) }
        let place = try S3Place(spool, environment: ["AWS_ENDPOINT_URL": server.url], bucket: "photos")
        var changed = photoBytes(1)
        changed[50_000] ^= 1
        try spool.overwrite(job, with: changed)
        guard case .permanent(let problem) = await place.deliver(job) else {
            Issue.record("it is damaged for good")
            return
        }
        #expect(problem.hasPrefix("localFileDamaged: \(spool.path)/1 "))
    }
}
