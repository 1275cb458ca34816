package import Basics
package import S3

/// A gallery's part of a bucket, read-only.
package struct BucketObjects: ObjectList {
    let client: S3Client
    /// Stands before every key, with its slash.
    let prefix: String

    package init(client: S3Client, prefix: String) {
        self.client = client
        self.prefix = prefix
    }

    /// An address that names no bucket.
    package struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// `s3://bucket/prefix?endpoint=…`; keys, and what the address does not say, from where every S3 tool has them.
    package init(
        address text: String, variable: (String) -> String?, http: any HTTPTransport, wall: any WallTime
    ) throws {
        let address: BucketAddress
        do throws(S3Settings.Problem) {
            address = try BucketAddress(text)
        } catch {
            throw Unreadable(description: error.description)
        }
        do throws(S3Settings.Problem) {
            let environment = S3Settings.variables.reduce(into: [:]) { $0[$1] = variable($1) }
            let settings = try S3Settings(address.choice, environment: environment)
            let site = try S3Site(bucket: address.bucket, settings: settings)
            client = S3Client(site: site, keys: settings.keys, http: http, wall: wall)
            prefix = address.prefix
        } catch {
            throw StorageProblem(.refused, error.description)
        }
    }

    func name(_ key: String) -> String {
        ObjectKey.require(key)
        return prefix + key
    }

    package func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
        var found: [ListedObject] = []
        var last = after.map { prefix + $0 }
        // Whatever else lies there is passed over, and is not the end.
        while found.count < limit {
            let page: [S3Entry]
            do throws(S3Failure) {
                page = try await client.objects(beginning: prefix, after: last, limit: limit - found.count)
            } catch {
                throw StorageProblem(error)
            }
            guard let end = page.last else { break }
            for entry in page {
                let key = String(entry.key.dropFirst(prefix.count))
                if ObjectKey.isKey(key) { found.append(ListedObject(key: key, size: entry.size)) }
            }
            last = end.key
        }
        return found
    }
}
