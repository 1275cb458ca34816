import Testing

/// The gallery's layers stay apart, and the rules that say so are seen to find what breaks them.
@Suite struct GalleryLayerTests {
    static let paths = House.swiftFiles(below: "Sources/Gallery")

    @Test(
        "SQL is written in the gallery's store, which knows nothing of HTTP, and what follows from changes is known once",
        arguments: paths)
    func files(path: String) throws {
        #expect(GalleryLayers.breaches(of: try House.text(path), at: path) == [])
    }

    @Test("the rules are about files that there are")
    func isAboutSomething() {
        for path in GalleryLayers.named { #expect(Self.paths.contains(path), "\(path)") }
        #expect(Self.paths.contains { $0.hasSuffix("Endpoints.swift") && !$0.hasPrefix(GalleryLayers.store) })
    }

    @Test(
        "what one layer may not know is found there",
        arguments: [
            ("Sources/Gallery/Photos/A.swift", "import Database"),
            ("Sources/Gallery/Photos/A.swift", "package import struct Database.Value"),
            ("Sources/Gallery/Photos/A.swift", "let sql = \"SELECT id FROM photos\""),
            ("Sources/Gallery/API/A.swift", "let sql = \"\"\"\n    UPDATE photos SET hidden = 1\n    \"\"\""),
            ("Sources/Gallery/API/A.swift", "run(\"DELETE FROM photos\")"),
            ("Sources/Gallery/API/A.swift", "run(\"INSERT INTO photos VALUES (1)\")"),
            ("Sources/Gallery/Store/A.swift", "import HTTPServer"),
            ("Sources/Gallery/Store/A.swift", "throw APIError.notFound(\"photo\")"),
            ("Sources/Gallery/Store/A.swift", "func photo(_ request: Request) {}"),
            ("Sources/Gallery/Store/Photos/A.swift", "let fields: JSONFields"),
            ("Sources/Gallery/Photos/A.swift", "feeds.tell(photo, in: event)"),
            ("Sources/Gallery/Events/A.swift", "if isGone { self.feeds.close(id) }"),
            ("Sources/Gallery/Store/A.swift", "feeds. close(id)"),
            ("Sources/Gallery/Events/A.swift", "images.forget()"),
            ("Sources/Gallery/Accounts/A.swift", "images.forgetLogins()"),
            ("Sources/Gallery/Store/Photos/A.swift", "try database.transaction { try moved() }"),
            ("Sources/Gallery/Store/Photos/A.swift", "let database: Connection"),
            ("Sources/Gallery/Store/Sync/A.swift", "let data: JSONValue"),
            ("Sources/Gallery/API/A.swift", "if storage is S3Storage { return }"),
            ("Sources/Gallery/API/A.swift", "if let folder = storage as? FolderStorage {}"),
            ("Sources/Gallery/API/A.swift", "guard let bucket = parts.storage as? S3Storage else { return }"),
            ("Sources/Gallery/Storage/FolderStorage.swift", "func served(_ key: String) -> Response"),
            ("Sources/Gallery/Storage/ObjectStorage.swift", "func place(_ request: Request)"),
            ("Sources/Gallery/Photos/A.swift", "try await storage.remove(key)"),
        ])
    func finds(path: String, code: String) {
        #expect(GalleryLayers.breaches(of: code, at: path).count == 1, "\(code)")
    }

    @Test(
        "what a layer may know is let be, and so are comments and other targets",
        arguments: [
            ("Sources/Gallery/Store/A.swift", "import Database"),
            ("Sources/Gallery/Store/A.swift", "let sql = \"SELECT id FROM photos\""),
            ("Sources/Gallery/Store/A.swift", "try write { note(change) }"),
            ("Sources/Gallery/Store/SQLiteGallery.swift", "let database: Connection"),
            ("Sources/Gallery/Store/A.swift", "/// Not an APIError: a Request is none of ours."),
            ("Sources/Gallery/API/A.swift", "import HTTPServer"),
            ("Sources/Gallery/API/A.swift", "// SELECT id FROM photos"),
            ("Sources/Gallery/API/A.swift", "let text = \"select a photo, or update them\""),
            ("Sources/Store/A.swift", "import Database"),
            ("Sources/Gallery/Photos/A.swift", "let stream = feeds.stream(of: event)"),
            ("Sources/Gallery/API/ChangeDispatcher.swift", "feeds.close(event); images.forget()"),
            ("Sources/Gallery/Uploads/Sweeper.swift", "try await storage.remove(key)"),
            ("Sources/Gallery/API/A.swift", "let storage: any ObjectStorage = FolderStorage(path: path)"),
            (
                "Sources/Gallery/Storage/FolderUploadEndpoint.swift",
                "func intake(_ request: Request) -> Response"
            ),
        ])
    func spares(path: String, code: String) {
        #expect(GalleryLayers.breaches(of: code, at: path) == [], "\(code)")
    }
}
