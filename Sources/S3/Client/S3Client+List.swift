import Basics

/// An object as a list has it.
package struct S3Entry: Equatable, Sendable {
    package let key: String
    package let size: UInt64
}

extension S3Client {
    /// "Returns up to 1,000 keys by default. The response might contain fewer keys but will never contain more."
    private static let mostOfPage = 1000

    /// Objects whose keys begin with that, in the order of these, from behind one of them on.
    package func objects(
        beginning prefix: String, after: String?, limit: Int
    ) async throws(S3Failure) -> [S3Entry] {
        var found: [S3Entry] = []
        var last = after
        while found.count < limit {
            var query = [(name: "list-type", value: "2"), (name: "prefix", value: prefix)]
            query.append((name: "max-keys", value: String(min(limit - found.count, Self.mostOfPage))))
            if let last { query.append((name: "start-after", value: last)) }
            let response = try await send(Call(method: "GET", query: query, answerLimit: 4 << 20))
            let list: XMLElement
            do throws(XMLElement.Malformed) {
                list = try XMLElement(response.body)
            } catch {
                throw .notAStore("\(notAStore(response)) (\(error))")
            }
            guard list.name == "ListBucketResult" else { throw .notAStore(notAStore(response)) }
            for object in list.all("Contents") {
                guard let key = object["Key"], let size = object["Size"].flatMap({ UInt64($0) }) else {
                    throw .notAStore(notAStore(response))
                }
                found.append(S3Entry(key: key, size: size))
            }
            // One that gives the same page again would keep us for ever.
            guard list["IsTruncated"] == "true", let next = found.last?.key, next > last ?? "" else { break }
            last = next
        }
        return Array(found.prefix(limit))
    }
}
