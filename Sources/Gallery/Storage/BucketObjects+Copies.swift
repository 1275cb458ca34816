import Basics
import Digest
import S3

/// Putting copies there, and reading them back.
extension BucketObjects {
    /// So much is fetched at once.
    private static let piece: UInt64 = 4 << 20

    /// How large an object is, and its SHA-256 as its bytes are read now; nothing where none is.
    func readBack(_ key: String) async throws(StorageProblem) -> (size: UInt64, sha256: SHA256Digest)? {
        do throws(S3Failure) {
            guard let object = try await client.head(name(key)) else { return nil }
            let hash = SHA256()
            var done: UInt64 = 0
            while done < object.size {
                let part = done..<min(done + Self.piece, object.size)
                hash.update(try await client.read(name(key), part, etag: object.etag))
                done = part.upperBound
            }
            return (object.size, hash.finish())
        } catch {
            throw StorageProblem(error)
        }
    }

    /// Whatever lies there is replaced: the caller has looked, and it is not what is to be there.
    func put(
        _ file: String, size: UInt64, sha256: SHA256Digest, type: String, as key: String
    ) async throws(StorageProblem) {
        let content = S3Content(file: FileSlice(path: file, count: size), sha256: sha256, type: type)
        do throws(S3Failure) {
            try await client.put(name(key), content, refusesToReplace: false)
        } catch {
            throw StorageProblem(error)
        }
    }
}
