package import Basics
package import Digest

/// A part that a store has.
package struct S3Part: Equatable, Sendable {
    package let number: Int
    package let size: UInt64
    package let etag: String
    /// In base64; a store that lists parts may not say it.
    package var checksum: String?

    package init(number: Int, size: UInt64, etag: String, checksum: String?) {
        self.number = number
        self.size = size
        self.etag = etag
        self.checksum = checksum
    }
}

/// An object that is put in parts.
package struct S3Upload: Equatable, Sendable {
    package let key: String
    package let id: String

    package init(key: String, id: String) {
        self.key = key
        self.id = id
    }

    var query: [(name: String, value: String)] { [(name: "uploadId", value: id)] }
}

extension S3Client {
    /// "Part numbers: 1 to 10,000", each of at least 5 MiB but the last.
    package static let mostParts = 10_000
    private static let partsOfPage = 1000

    package func begin(_ key: String, sha256: SHA256Digest, type: String) async throws(S3Failure) -> S3Upload
    {
        let response = try await send(
            Call(
                method: "POST", key: key, query: [(name: "uploads", value: "")],
                headers: [
                    HTTPHeader("content-type", type), HTTPHeader("x-amz-checksum-algorithm", "SHA256"),
                    HTTPHeader(Self.noteHeader, sha256.description),
                ]))
        guard let id = try element(response)["UploadId"], !id.isEmpty, id.utf8.count <= 2048 else {
            throw .notAStore(notAStore(response))
        }
        return S3Upload(key: key, id: id)
    }

    package func put(
        part number: Int, _ slice: FileSlice, sha256: SHA256Digest, to upload: S3Upload,
        onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(S3Failure) -> S3Part {
        let checksum = Base64.text(sha256.bytes)
        let response = try await send(
            Call(
                method: "PUT", key: upload.key,
                query: upload.query + [(name: "partNumber", value: String(number))],
                headers: [HTTPHeader(Self.checksumHeader, checksum)], body: .file(slice),
                payload: .sha256(sha256.description), onSent: onSent))
        guard let etag = response["etag"] else { throw .notAStore(notAStore(response)) }
        return S3Part(number: number, size: slice.count, etag: etag, checksum: checksum)
    }

    /// What is there of it; nothing when the store does not know this upload any more.
    package func parts(of upload: S3Upload) async throws(S3Failure) -> [S3Part]? {
        var parts: [S3Part] = []
        var after = "0"
        for _ in 0...(Self.mostParts / Self.partsOfPage) {
            let response: HTTPResponse
            do throws(S3Failure) {
                response = try await send(
                    Call(
                        method: "GET", key: upload.key,
                        query: upload.query + [
                            (name: "max-parts", value: String(Self.partsOfPage)),
                            (name: "part-number-marker", value: after),
                        ], answerLimit: 4 << 20))
            } catch {
                if case .refused(let refusal) = error, refusal.status == 404 { return nil }
                throw error
            }
            let list = try element(response)
            for part in list.all("Part") {
                guard let number = part["PartNumber"].flatMap({ Int($0) }), let etag = part["ETag"],
                    let size = part["Size"].flatMap({ UInt64($0) })
                else { throw .notAStore(notAStore(response)) }
                parts.append(S3Part(number: number, size: size, etag: etag, checksum: part["ChecksumSHA256"]))
            }
            guard list["IsTruncated"] == "true", let next = list["NextPartNumberMarker"], next != after else {
                return parts
            }
            after = next
        }
        return parts
    }

    /// Makes one object of the parts, where none is.
    package func complete(_ upload: S3Upload, _ parts: [S3Part]) async throws(S3Failure) {
        var text = "<CompleteMultipartUpload>"
        for part in parts {
            text += "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(Self.escaped(part.etag))</ETag>"
            if let checksum = part.checksum {
                text += "<ChecksumSHA256>\(Self.escaped(checksum))</ChecksumSHA256>"
            }
            text += "</Part>"
        }
        let body = Array("\(text)</CompleteMultipartUpload>".utf8)
        let response = try await send(
            Call(
                method: "POST", key: upload.key, query: upload.query,
                headers: [HTTPHeader("content-type", "application/xml"), HTTPHeader("if-none-match", "*")],
                body: .bytes(body), payload: .sha256("\(SHA256.of(body))")))
        // "A request could return a 200 OK and then fail": the answer is begun before the work is done.
        let root = try element(response)
        guard root.name != "Error" else {
            throw .refused(
                S3Refusal(
                    status: 500, code: root["Code"] ?? "InternalError", message: root["Message"] ?? "",
                    host: site.authority))
        }
        guard root["ETag"] != nil else { throw .notAStore(notAStore(response)) }
    }

    package func abort(_ upload: S3Upload) async throws(S3Failure) {
        do throws(S3Failure) {
            _ = try await send(Call(method: "DELETE", key: upload.key, query: upload.query))
        } catch {
            // Gone is what was wanted.
            if case .refused(let refusal) = error, refusal.status == 404 { return }
            throw error
        }
    }

    private func element(_ response: HTTPResponse) throws(S3Failure) -> XMLElement {
        do throws(XMLElement.Malformed) {
            return try XMLElement(response.body)
        } catch {
            throw .notAStore("\(notAStore(response)) (\(error))")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
