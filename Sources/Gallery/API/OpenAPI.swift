/// The document that says what this server answers; its tests hold it to that.
enum OpenAPI {
    static let document = BuiltInFile.text(of: "openapi.json")
}
