import Bridge

extension S3Client {
    /// "Returns up to 1,000 keys by default. The response might contain fewer keys but will never contain more."
    private static let mostOfPage = 1000

    /// Keys that begin with that, in their order, from behind one of them on.
    package func keys(
        beginning prefix: String, after: String?, limit: Int
    ) async throws(S3Failure) -> [String] {
        var found: [String] = []
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
            let keys = list.all("Contents").compactMap { $0["Key"] }
            found += keys
            // One that gives the same page again would keep us for ever.
            guard list["IsTruncated"] == "true", let next = keys.last, next > last ?? "" else { break }
            last = next
        }
        return Array(found.prefix(limit))
    }
}
