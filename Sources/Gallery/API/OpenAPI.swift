/// The document that says what this server answers; its tests hold it to that.
enum OpenAPI {
    static let document = String(decoding: PackageResources.openapi_json, as: UTF8.self)
}
