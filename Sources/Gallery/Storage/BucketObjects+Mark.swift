import Basics
import S3

/// Where photos are put to, with a mark that tells it from all other such places.
package protocol MarkedPlace: Sendable {
    /// Nothing where there is none yet.
    func mark() async throws(StorageProblem) -> String?
    /// Where one is already, it is a problem that it is taken.
    func leave(_ mark: String) async throws(StorageProblem)
}

extension BucketObjects: MarkedPlace {
    /// No key, so that it is no photo for who lists them, and that nothing puts it away.
    private var nameOfMark: String { "\(prefix)gallery-mark" }

    /// Of what else lies under that name, the beginning, which is no gallery's mark.
    private static let most: UInt64 = 64

    package func mark() async throws(StorageProblem) -> String? {
        do throws(S3Failure) {
            guard let object = try await client.head(nameOfMark) else {
                // A bucket that is not there answers the same.
                _ = try await client.objects(
                    beginning: prefix, after: "\(prefix)\(ObjectKey.beyondAll)", limit: 1)
                return nil
            }
            guard object.size > 0 else { return "" }
            let part = 0..<min(object.size, Self.most)
            return String(decoding: try await client.read(nameOfMark, part, etag: object.etag), as: UTF8.self)
        } catch {
            throw StorageProblem(error)
        }
    }

    package func leave(_ mark: String) async throws(StorageProblem) {
        do throws(S3Failure) {
            let content = S3Content(bytes: Array(mark.utf8), type: "text/plain")
            try await client.put(nameOfMark, content)
        } catch {
            throw StorageProblem(error)
        }
    }
}
