package import Basics
import Digest
import Synchronization

/// A request as its signature sees it ("Create a canonical request", AWS Signature Version 4).
package struct SignableRequest: Sendable {
    package var method: String
    /// As it is sent, which for S3 is encoded once.
    package var path: String
    /// Names and values that are not encoded yet, in any order.
    package var query: [(name: String, value: String)]
    /// All of them are signed, so `host` has to be among them.
    package var headers: [HTTPHeader]
    /// The SHA-256 of the body, or that it is not told.
    package var payload: PayloadHash

    package init(
        _ method: String, path: String, query: [(name: String, value: String)] = [], headers: [HTTPHeader],
        payload: PayloadHash
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.payload = payload
    }
}

/// What a signature says of a body.
package enum PayloadHash: Equatable, Sendable {
    /// In lower-case hexadecimal.
    case sha256(String)
    case unsigned

    package static let empty = PayloadHash.sha256(
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

    package var text: String {
        switch self {
        case .sha256(let text): text
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}

/// Signs requests for one pair of keys, one region and one service.
package final class SigV4: Sendable {
    package static let algorithm = "AWS4-HMAC-SHA256"

    package let keyID: String
    package let region: String
    private let service: String
    private let secret: [UInt8]
    /// The key of a day costs four codes, and every request of the day uses it.
    private let today = Mutex<(day: String, key: [UInt8])?>(nil)

    package init(keyID: String, secret: String, region: String, service: String = "s3") {
        self.keyID = keyID
        self.region = region
        self.service = service
        self.secret = Array("AWS4\(secret)".utf8)
    }

    /// The value of the header `Authorization`.
    package func authorization(for request: SignableRequest, at moment: SigningMoment) -> String {
        let canonical = CanonicalRequest(request)
        return "\(Self.algorithm) Credential=\(keyID)/\(scope(moment)), "
            + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature(of: canonical, at: moment))"
    }

    /// The query of a URL that its bearer may use for so long, exactly for the method, path, query and headers of
    /// the request ("Authenticating Requests: Using Query Parameters").
    package func presignedQuery(
        for request: SignableRequest, token: String? = nil, expiresIn seconds: Int,
        at moment: SigningMoment
    ) -> String {
        var request = request
        request.query += [
            (name: "X-Amz-Algorithm", value: Self.algorithm),
            (name: "X-Amz-Credential", value: "\(keyID)/\(scope(moment))"),
            (name: "X-Amz-Date", value: moment.text),
            (name: "X-Amz-Expires", value: String(seconds)),
            (name: "X-Amz-SignedHeaders", value: CanonicalRequest.names(of: request.headers)),
        ]
        if let token { request.query.append((name: "X-Amz-Security-Token", value: token)) }
        let canonical = CanonicalRequest(request)
        return "\(canonical.query)&X-Amz-Signature=\(signature(of: canonical, at: moment))"
    }

    private func scope(_ moment: SigningMoment) -> String {
        "\(moment.day)/\(region)/\(service)/aws4_request"
    }

    private func signature(of request: CanonicalRequest, at moment: SigningMoment) -> String {
        let digest = SHA256.of(Array(request.text.utf8))
        let text = "\(Self.algorithm)\n\(moment.text)\n\(scope(moment))\n\(digest)"
        return Hexadecimal.text(HMACSHA256.code(of: Array(text.utf8), key: key(of: moment.day)))
    }

    private func key(of day: String) -> [UInt8] {
        if let known = today.withLock({ $0 }), known.day == day { return known.key }
        let key = [day, region, service, "aws4_request"].reduce(secret) { key, part in
            HMACSHA256.code(of: Array(part.utf8), key: key)
        }
        today.withLock { $0 = (day, key) }
        return key
    }
}

/// When a request is signed, as signatures write it: 20130524T000000Z.
package struct SigningMoment: Equatable, Sendable {
    package let text: String
    package var day: String { String(text.prefix(8)) }

    package init(_ moment: Timestamp) {
        let civil = CivilTime(secondsSince1970: moment.seconds)
        text = "\(civil.date.filter { $0 != "-" })T\(civil.time)Z"
    }
}

/// The one text that both sides make of a request.
struct CanonicalRequest {
    let text: String
    let signedHeaders: String
    /// As it is sent, too: a server that reads it decodes the same.
    let query: String

    init(_ request: SignableRequest) {
        let headers = Self.sorted(request.headers)
        query = Self.query(request.query)
        signedHeaders = headers.map(\.name).joined(separator: ";")
        var text = "\(request.method)\n\(request.path)\n\(query)\n"
        for header in headers { text += "\(header.name):\(Self.trimmed(header.value))\n" }
        text += "\n\(signedHeaders)\n\(request.payload.text)"
        self.text = text
    }

    static func names(of headers: [HTTPHeader]) -> String {
        sorted(headers).map(\.name).joined(separator: ";")
    }

    private static func sorted(_ headers: [HTTPHeader]) -> [HTTPHeader] {
        headers.map { HTTPHeader($0.name.lowercased(), $0.value) }.sorted { $0.name < $1.name }
    }

    /// "You must sort the parameters by name, and then by value, after encoding."
    static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { (PercentEncoding.encoded($0.name), PercentEncoding.encoded($0.value)) }
            .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// "Remove any leading or trailing white space, and convert sequential spaces to a single space."
    private static func trimmed(_ value: String) -> String {
        let bytes = value.utf8
        let hasMore = zip(bytes, bytes.dropFirst()).contains { $0 == 32 && $1 == 32 }
        guard bytes.first == 32 || bytes.last == 32 || hasMore else { return value }
        return value.split(separator: " ").joined(separator: " ")
    }
}
