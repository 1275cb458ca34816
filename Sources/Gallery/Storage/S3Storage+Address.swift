package import Bridge
import Posix
import S3

extension S3Storage {
    /// `s3://bucket/prefix`; credentials, region and endpoint from where every S3 tool has them.
    package convenience init(
        address: String, variable: (String) -> String?, workshop: String, http: any HTTPTransport,
        wall: any WallTime, random: any RandomSource
    ) throws {
        let parts = address.dropFirst("s3://".count).split(separator: "/", omittingEmptySubsequences: true)
        guard address.hasPrefix("s3://"), let bucket = parts.first, !address.contains("?") else {
            throw StorageProblem(
                .refused, "'\(address)' names no bucket; write s3://bucket or s3://bucket/prefix")
        }
        do {
            let environment = S3Settings.variables.reduce(into: [:]) { $0[$1] = variable($1) }
            let settings = try S3Settings(S3Settings.Choice(), environment: environment)
            let site = try S3Site(bucket: String(bucket), settings: settings)
            let client = S3Client(site: site, keys: settings.keys, http: http, wall: wall)
            try self.init(
                client: client, prefix: parts.dropFirst().map { "\($0)/" }.joined(), workshop: workshop,
                wall: wall,
                random: random)
        } catch let problem as S3Settings.Problem {
            throw StorageProblem(.refused, problem.description)
        }
    }

    /// Where browsers are sent for what is large.
    package var imageSource: String { "\(client.site.scheme)://\(client.site.authority)" }
}
