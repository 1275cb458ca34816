package import Bridge
package import HTTPServer
package struct SyncEndpoint: Sendable {
    let store: GalleryStore
    let accounts: Accounts
    package func sync(_ request: Request) async throws -> Response { throw APIError.notFound("sync") }
}
package struct S3Storage {
}
