import Arguments
import Bridge
import Gallery
import HTTPClient
import Posix
import Synchronization

/// Where photos lie, as the command line says.
struct StorageChoice {
    let storage: any ObjectStorage
    /// Where a browser is sent for images, besides here.
    let imageSources: [String]

    init(
        _ text: String?, _ data: DataFolder, _ settings: GallerySettings, _ landing: Landing
    ) throws {
        let key = try data.secret().key(for: .places)
        switch text {
        case nil, "dir":
            storage = try FolderStorage(
                path: data.objects, publicURL: settings.publicURL, key: key, wall: Calendar(),
                random: Chance()
            ) { key in landing.landed(key) }
            imageSources = []
        case let text?:
            guard text.hasPrefix("s3://") else {
                throw UsageError("--storage is dir, or s3://bucket/prefix, not '\(text)'.")
            }
            let bucket = try S3Storage(
                address: text, variable: Program.environment, workshop: "\(data.path)/workshop",
                http: CurlClient(),
                wall: Calendar(), random: Chance())
            storage = bucket
            imageSources = [bucket.imageSource]
        }
    }
}

/// Tells the server of bytes that have come; it is made after the storage is.
final class Landing: Sendable {
    private let known = Mutex<GalleryServer?>(nil)

    func serve(_ server: GalleryServer?) {
        known.withLock { $0 = server }
    }

    func landed(_ key: String) {
        guard let server = known.withLock({ $0 }) else { return }
        Task { await server.landed(key) }
    }
}
