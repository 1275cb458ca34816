package import Basics
package import Digest

/// What a store says of an object.
package struct S3Object: Equatable, Sendable {
    package let size: UInt64
    package let etag: String
    /// SHA-256 by the store's own reckoning, in base64; nothing where it was made of parts.
    package let checksum: String?
    /// SHA-256 as the client that put it there noted it, in hexadecimal.
    package let noted: String?
}

/// What is put, and what the store is told of it.
package struct S3Content: Sendable {
    package let body: HTTPBody
    package let sha256: SHA256Digest
    package let type: String

    package init(file: FileSlice, sha256: SHA256Digest, type: String) {
        body = .file(file)
        self.sha256 = sha256
        self.type = type
    }

    /// A few bytes.
    package init(bytes: [UInt8], type: String) {
        body = .bytes(bytes)
        sha256 = SHA256.of(bytes)
        self.type = type
    }
}

extension S3Client {
    static let checksumHeader = "x-amz-checksum-sha256"
    static let noteHeader = "x-amz-meta-sha256"

    /// Puts an object where none is; the store is to refuse it when the name is taken, or when other bytes arrive than
    /// are named here. A store that does not know the first is not told of it.
    package func put(
        _ key: String, _ content: S3Content, refusesToReplace: Bool = true,
        onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(S3Failure) {
        let response = try await send(
            Call(
                method: "PUT", key: key,
                headers: (refusesToReplace ? [Self.nothingThere] : []) + [
                    HTTPHeader("content-type", content.type),
                    HTTPHeader(Self.checksumHeader, Base64.text(content.sha256.bytes)),
                    HTTPHeader(Self.noteHeader, content.sha256.description),
                ],
                body: content.body, payload: .sha256(content.sha256.description), onSent: onSent))
        // Whatever else says 200 knows nothing of this.
        guard response["etag"] != nil else { throw .notAStore(notAStore(response)) }
    }

    static let nothingThere = HTTPHeader("if-none-match", "*")

    func notAStore(_ response: HTTPResponse) -> String {
        "\(site.authority) answered \(response.status) and not as a store does; is there a log-in page between us?"
    }

    /// Nothing when there is none.
    package func head(_ key: String) async throws(S3Failure) -> S3Object? {
        let response: HTTPResponse
        do throws(S3Failure) {
            response = try await send(
                Call(
                    method: "HEAD", key: key, headers: [HTTPHeader("x-amz-checksum-mode", "ENABLED")]))
        } catch {
            if case .refused(let refusal) = error, refusal.status == 404 { return nil }
            throw error
        }
        guard let size = response["content-length"].flatMap({ UInt64($0) }), let etag = response["etag"]
        else { throw .notAStore(notAStore(response)) }
        // "A checksum of checksums" ends with the number of parts.
        let checksum = response[Self.checksumHeader].flatMap { $0.contains("-") ? nil : $0 }
        return S3Object(size: size, etag: etag, checksum: checksum, noted: response[Self.noteHeader])
    }

    /// A piece of an object that must not have changed since its ETag was seen.
    package func read(
        _ key: String, _ range: Range<UInt64>, etag: String
    ) async throws(S3Failure) -> [UInt8] {
        let response = try await send(
            Call(
                method: "GET", key: key,
                headers: [
                    HTTPHeader("if-match", etag),
                    HTTPHeader("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"),
                ], answerLimit: range.count + Self.usualAnswer))
        guard response.body.count == range.count else { throw .notAStore(notAStore(response)) }
        return response.body
    }

    package func delete(_ key: String) async throws(S3Failure) {
        _ = try await send(Call(method: "DELETE", key: key))
    }
}

extension S3Client {
    /// How this store treats what it is asked for, found out with empty objects that are taken away again. Some ignore
    /// a question instead of refusing it: then a photo would replace another of its name, or be stored as it is not.
    package func habits(trying key: String) async throws(S3Failure) -> S3Habits {
        // A hash that nothing empty has.
        let wrong = SHA256.of([0])
        let verifies = try await !putNothing("\(key)-verified", claiming: wrong, refusal: 400)
        let isNew = try await putNothing(key, claiming: SHA256.of([]), refusal: 412)
        let refuses = try await isNew ? !putNothing(key, claiming: SHA256.of([]), refusal: 412) : true
        do throws(S3Failure) {
            if !verifies { try await delete("\(key)-verified") }
            // An empty one that was there was left by a program that was killed.
            let size = isNew ? 0 : try await head(key)?.size
            if size == 0 { try await delete(key) }
        } catch {
            // Who may not delete leaves them, and is answered sooner the next time.
            return S3Habits(refusesToReplace: refuses, verifies: verifies)
        }
        return S3Habits(refusesToReplace: refuses, verifies: verifies)
    }

    /// False when the store refused for this reason.
    private func putNothing(
        _ key: String, claiming hash: SHA256Digest, refusal status: Int
    ) async throws(S3Failure) -> Bool {
        do throws(S3Failure) {
            let response = try await send(
                Call(
                    method: "PUT", key: key,
                    headers: [
                        Self.nothingThere, HTTPHeader(Self.checksumHeader, Base64.text(hash.bytes)),
                    ], payload: .sha256("\(hash)")))
            guard response["etag"] != nil else { throw .notAStore(notAStore(response)) }
            return true
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            switch refusal.status {
            case status where status == 412 || refusal.concern == .content || refusal.concern == .other:
                return false
            // It does not know the header, and says so; or something was left there.
            case 412, 501: return true
            default: throw error
            }
        }
    }
}

/// How a store treats what it is asked for.
package struct S3Habits: Equatable, Sendable {
    /// With `If-None-Match`, it does not put an object where one is.
    package let refusesToReplace: Bool
    /// It compares what arrives with the SHA-256 that was announced.
    package let verifies: Bool
}
