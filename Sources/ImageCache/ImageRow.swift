import Basics
import Digest

/// What the index knows of one image.
struct ImageRow: Equatable, Sendable {
    let cacheKey: String
    let key: String
    let url: String
    let object: ImageObject
    let kind: String
    let owner: ImageOwner
    let size: Int
    let sha256: SHA256Digest
    let contentType: String
    /// As the gallery wrote them, to ask it whether anything has changed.
    let etag: String?
    let lastModified: String?
    var freshUntil: Timestamp
    var mayBeStale: Bool
    var expiresAt: Timestamp?
    let createdAt: Timestamp

    /// Whether that is what the request means: a key that another server has as well is another image.
    func answers(_ request: ImageRequest) -> Bool {
        key == request.key && url == request.url && owner == request.owner && object == request.object
            && kind == request.kind
    }

    /// A moment much further ahead than any answer allows was written by a clock that was wrong. Clocks that are set back
    /// by less cost nothing.
    func isFresh(at now: Timestamp) -> Bool {
        now < freshUntil && freshUntil <= now + ImageFreshness.longest * 2
    }

    func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    func isOf(_ bytes: [UInt8]) -> Bool { bytes.count == size && SHA256.of(bytes) == sha256 }

    /// A digest of all of it. The index is not synced, and a disk may err: a row that says another account or type than
    /// was written is not believed.
    var seal: [UInt8] {
        let texts = [
            cacheKey, key, url, object.type, object.id, kind, owner.account, owner.event, "\(size)",
            "\(sha256)", contentType, etag.map { "+\($0)" } ?? "-", lastModified.map { "+\($0)" } ?? "-",
            "\(freshUntil.milliseconds)", "\(mayBeStale)", expiresAt.map { "\($0.milliseconds)" } ?? "-",
            "\(createdAt.milliseconds)",
        ]
        let hash = SHA256()
        for text in texts { hash.update(Array("\(text.utf8.count):\(text)".utf8)) }
        return hash.finish().bytes
    }
}

extension ImageRow {
    /// More are no tag that a gallery gives.
    private static let longestTag = 1000

    init(
        _ request: ImageRequest, _ response: HTTPResponse, type: String, _ freshness: ImageFreshness,
        at now: Timestamp
    ) {
        self.init(
            cacheKey: ImageRequest.cacheKey(of: request.key), key: request.key, url: request.url,
            object: request.object, kind: request.kind, owner: request.owner, size: response.body.count,
            sha256: SHA256.of(response.body), contentType: type,
            etag: response["ETag"].flatMap { $0.utf8.count <= Self.longestTag ? $0 : nil },
            lastModified: response["Last-Modified"].flatMap { $0.utf8.count <= Self.longestTag ? $0 : nil },
            freshUntil: freshness.until, mayBeStale: freshness.mayBeStale, expiresAt: request.expiresAt,
            createdAt: now)
    }

    /// What asks the gallery whether it is still the same; nothing where it gave nothing to ask by.
    var conditions: [HTTPHeader] {
        if let etag { return [HTTPHeader("If-None-Match", etag)] }
        return lastModified.map { [HTTPHeader("If-Modified-Since", $0)] } ?? []
    }
}
