import Bridge
import Digest
import S3

/// What lies in a bucket under a receipt's name, found out without putting anything there.
struct S3Look {
    let client: S3Client
    let address: S3Address

    /// Read at a time.
    private static let piece: UInt64 = 4 << 20

    func standing(of receipt: Receipt) async throws(S3Failure) -> Standing {
        guard let name = receipt.name else { return .notCheckable("its receipt names no object") }
        let key = address.prefix + name
        guard let object = try await client.head(key) else {
            // Where there is no such bucket, or something else answers, no object is there either: a list says which.
            let others = try await client.objects(beginning: key, after: nil, limit: 1)
            return others.first?.key == key ? .unanswered("it is listed and not given") : .gone
        }
        if let standing = receipt.standing(ofSize: object.size) { return standing }
        // An ETag is no hash of an object that came in parts, or that is encrypted; and metadata beside it may be older
        // than it is.
        guard let checksum = object.checksum, let ours = SHA256Digest(hex: receipt.sha256) else {
            return receipt.standing(ofDigest: try await digest(of: key, object))
        }
        return receipt.standing(ofDigest: checksum == Base64.text(ours.bytes) ? "\(ours)" : "another")
    }

    func digest(of key: String, _ object: S3Object) async throws(S3Failure) -> String {
        let hash = SHA256()
        try await pieces(of: key, object) { piece in
            hash.update(piece)
            return true
        }
        return "\(hash.finish())"
    }

    private func pieces(
        of key: String, _ object: S3Object, _ take: ([UInt8]) -> Bool
    ) async throws(S3Failure) {
        var position: UInt64 = 0
        while position < object.size {
            let end = min(position + Self.piece, object.size)
            guard take(try await client.read(key, position..<end, etag: object.etag)) else { return }
            position = end
        }
    }

    func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        guard let name = receipt.name else { throw NotReadable("its receipt names no object") }
        guard let object = try await client.head(address.prefix + name) else {
            throw NotReadable("there is no object \(name) in \(address.bucket)")
        }
        try await pieces(of: address.prefix + name, object) { take($0.span.bytes) }
    }
}
