package import Basics
import Synchronization

/// One bucket: requests signed, sent, and their answers read.
///
/// Clocks of machines at events are wrong, and a signature holds the time: when the store objects to ours, its own is
/// taken from then on.
package final class S3Client: Sendable {
    package let site: S3Site
    package let keys: S3Keys
    private let http: any HTTPTransport
    private let wall: any WallTime
    private let signer: SigV4
    /// How far the store's clock is ahead of ours, once that has mattered.
    private let ahead = Mutex(Duration.zero)
    /// Told of every answer's date, and of ours then.
    private let onDate: @Sendable (Timestamp, Timestamp) -> Void

    /// "The time stamp must be within 15 minutes" of the store's; less is not why it objects.
    private static let toleratedSkew = Duration.seconds(4 * 60)
    /// A refusal, a list of a thousand parts: far less.
    static let usualAnswer = 1 << 20

    package init(
        site: S3Site, keys: S3Keys, http: any HTTPTransport, wall: any WallTime,
        onDate: @escaping @Sendable (_ theirs: Timestamp, _ ours: Timestamp) -> Void = { _, _ in }
    ) {
        self.onDate = onDate
        self.site = site
        self.keys = keys
        self.http = http
        self.wall = wall
        signer = SigV4(keyID: keys.id, secret: keys.secret, region: site.region)
    }

    /// What one request is made of; the client adds what all have.
    struct Call {
        var method: String
        var key: String?
        var query: [(name: String, value: String)] = []
        var headers: [HTTPHeader] = []
        var body = HTTPBody.none
        var payload = PayloadHash.empty
        var answerLimit = S3Client.usualAnswer
        var onSent: (@Sendable (UInt64) -> Void)?
    }

    func send(_ call: Call) async throws(S3Failure) -> HTTPResponse {
        let response = try await attempt(call)
        if (200..<300).contains(response.status) { return response }
        if response.status == 403 || response.status == 400, takesTime(from: response) {
            let second = try await attempt(call)
            if (200..<300).contains(second.status) { return second }
            throw .refused(S3Refusal(second, host: site.authority, now: wall.wallNow))
        }
        throw .refused(S3Refusal(response, host: site.authority, now: wall.wallNow))
    }

    private func attempt(_ call: Call) async throws(S3Failure) -> HTTPResponse {
        let moment = SigningMoment(wall.wallNow + ahead.withLock { $0 })
        let path = site.path(of: call.key)
        var headers = call.headers
        headers.append(HTTPHeader("x-amz-content-sha256", call.payload.text))
        headers.append(HTTPHeader("x-amz-date", moment.text))
        if let token = keys.token { headers.append(HTTPHeader("x-amz-security-token", token)) }
        let signable = SignableRequest(
            call.method, path: path, query: call.query,
            headers: headers + [HTTPHeader("host", site.authority)], payload: call.payload)
        headers.append(HTTPHeader("Authorization", signer.authorization(for: signable, at: moment)))
        let request = HTTPRequest(
            call.method, site.url(path: path, query: CanonicalRequest.query(call.query)), headers: headers,
            body: call.body, answerLimit: call.answerLimit, onSent: call.onSent)
        do throws(HTTPFailure) {
            let response = try await http.send(request)
            if let date = response.date { onDate(date, wall.wallNow) }
            return response
        } catch {
            throw .noAnswer(error)
        }
    }

    /// Whether the store's clock differs so much that this may be why it refused, and was not known to.
    private func takesTime(from response: HTTPResponse) -> Bool {
        guard let theirs = response.date else { return false }
        let found = theirs - wall.wallNow
        return ahead.withLock { ahead in
            let difference = found - ahead
            guard difference > Self.toleratedSkew || difference < .zero - Self.toleratedSkew else {
                return false
            }
            ahead = found
            return true
        }
    }

    /// A URL that its bearer may use for so long, exactly for this method, this key and these headers, which have
    /// to be sent with it.
    package func presignedURL(
        _ method: String, _ key: String, headers: [HTTPHeader] = [],
        query: [(name: String, value: String)] = [], expiresIn seconds: Int
    ) -> String {
        let moment = SigningMoment(wall.wallNow + ahead.withLock { $0 })
        let path = site.path(of: key)
        let query = signer.presignedQuery(
            for: SignableRequest(
                method, path: path, query: query, headers: headers + [HTTPHeader("host", site.authority)],
                payload: .unsigned),
            token: keys.token, expiresIn: seconds, at: moment)
        return site.url(path: path, query: query)
    }
}
