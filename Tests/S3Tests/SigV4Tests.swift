import Basics
import S3
import Testing

/// The values are those of AWS's documentation: "Signature Calculations for the Authorization Header", "Authenticating
/// Requests: Using Query Parameters", and of the Signature Version 4 test suite.
@Suite struct SigV4Tests {
    static let signer = SigV4(
        keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1")
    /// 2013-05-24T00:00:00Z
    static let moment = SigningMoment(Timestamp(milliseconds: 1_369_353_600_000))
    static let host = HTTPHeader("Host", "examplebucket.s3.amazonaws.com")

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: SignableRequest
        let signedHeaders: String
        let signature: String

        init(
            _ name: String, _ method: String, _ path: String, _ query: [(name: String, value: String)],
            _ headers: [HTTPHeader], _ payload: PayloadHash, _ signedHeaders: String, _ signature: String
        ) {
            testDescription = name
            let common = [
                SigV4Tests.host, HTTPHeader("x-amz-content-sha256", payload.text),
                HTTPHeader("x-amz-date", "20130524T000000Z"),
            ]
            request = SignableRequest(
                method, path: path, query: query, headers: headers + common, payload: payload)
            self.signedHeaders = signedHeaders
            self.signature = signature
        }
    }

    static let examples = [
        Example(
            "GET Object", "GET", "/test.txt", [], [HTTPHeader("Range", "bytes=0-9")], .empty,
            "host;range;x-amz-content-sha256;x-amz-date",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            "PUT Object", "PUT", "/test%24file.text", [],
            [
                HTTPHeader("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                HTTPHeader("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], .sha256("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
            "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            "GET Bucket Lifecycle", "GET", "/", [(name: "lifecycle", value: "")], [], .empty,
            "host;x-amz-content-sha256;x-amz-date",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            "List Objects, asked for in another order", "GET", "/",
            [(name: "prefix", value: "J"), (name: "max-keys", value: "2")], [], .empty,
            "host;x-amz-content-sha256;x-amz-date",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("the examples for the header", arguments: examples)
    func header(example: Example) {
        let credential = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"
        // Twice: the second time with the key of the day that was kept.
        for _ in 0..<2 {
            #expect(
                Self.signer.authorization(for: example.request, at: Self.moment)
                    == "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=\(example.signedHeaders), "
                    + "Signature=\(example.signature)")
        }
    }

    @Test("the example of a URL that is signed")
    func presigned() {
        let request = SignableRequest("GET", path: "/test.txt", headers: [Self.host], payload: .unsigned)
        let query = Self.signer.presignedQuery(for: request, expiresIn: 86_400, at: Self.moment)
        #expect(
            query == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test("the test suite's get-vanilla-query-order-key-case")
    func suite() {
        let signer = SigV4(
            keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1",
            service: "service")
        let request = SignableRequest(
            "GET", path: "/",
            query: [(name: "Param2", value: "value2"), (name: "Param1", value: "value1")],
            headers: [
                HTTPHeader("Host", "example.amazonaws.com"), HTTPHeader("X-Amz-Date", "20150830T123600Z"),
            ], payload: .empty)
        // 2015-08-30T12:36:00Z
        let moment = SigningMoment(Timestamp(milliseconds: 1_440_938_160_000))
        #expect(
            signer.authorization(for: request, at: moment)
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, "
                + "Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500")
    }

    @Test("each day has a key of its own")
    func days() {
        let request = Self.examples[0].request
        let day = SigningMoment(Timestamp(milliseconds: 1_369_440_000_000))
        let first = Self.signer.authorization(for: request, at: Self.moment)
        let second = Self.signer.authorization(for: request, at: day)
        #expect(second.contains("/20130525/"))
        #expect(first.split(separator: "Signature=")[1] != second.split(separator: "Signature=")[1])
        #expect(Self.signer.authorization(for: request, at: Self.moment) == first)
    }
}
