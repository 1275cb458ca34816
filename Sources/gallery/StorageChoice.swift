import Arguments
import Basics
import Gallery
import HTTPClient
import Posix

/// Where photos lie, as the command line says.
struct StorageChoice {
    let storage: any ObjectStorage
    /// For messages.
    let name: String
    /// Where a browser is sent for images, besides here.
    let imageSources: [String]
    /// Nothing where it is a folder, which only one program has.
    let bucket: BucketObjects?

    static let option = OptionSpec(
        "storage", "WHERE",
        "Where photos lie: dir, or s3://bucket/prefix, with ?endpoint=URL&region=NAME where it is not Amazon's; keys in the "
            + "usual AWS_… environment. [dir]")

    static let lossOption = OptionSpec.flag(
        "objects-are-lost",
        "Start although the storage has none of the photos that are looked for at the start, or is another than the nodes had "
            + "so far: where they are truly lost, or were brought there."
    )

    init(
        _ text: String?, _ data: DataFolder, _ keys: KeyRing, _ settings: GallerySettings,
        cacheSize: UInt64?, warn: @escaping @Sendable (String) -> Void,
        onLanded: @escaping @Sendable (_ key: String) -> Void
    ) throws {
        let near = "\(data.path)/copies"
        if cacheSize == nil { try NearCopies.clear(near) }
        switch text {
        case nil, "dir":
            storage = try FolderStorage(
                path: data.objects, publicURL: settings.publicURL, keys: keys, wall: SystemWallTime(),
                random: SystemRandomSource(), onLanded: onLanded)
            name = data.objects
            (imageSources, bucket) = ([], nil)
        case let text?:
            let copies = try cacheSize.map {
                try NearCopies(in: near, most: $0, wall: SystemWallTime(), warn: warn)
            }
            let objects = try Self.bucket(text)
            let s3 = try S3Storage(
                objects, workshop: "\(data.path)/workshop", wall: SystemWallTime(),
                random: SystemRandomSource(), givesAddresses: settings.images.way == .storage, copies: copies)
            storage = s3
            name = text
            (imageSources, bucket) = ([s3.imageSource], objects)
        }
    }

    /// The same storage, read-only.
    static func objects(_ text: String?, _ data: DataFolder) throws -> any ObjectList {
        switch text {
        case nil, "dir": try folder(data)
        case let text?: try bucket(text)
        }
    }

    /// The same, for reading objects whole.
    static func exported(_ text: String?, _ data: DataFolder) throws -> any ExportSource {
        switch text {
        case nil, "dir": try folder(data)
        case let text?: try bucket(text)
        }
    }

    private static func folder(_ data: DataFolder) throws -> FolderObjects {
        do throws(SystemError) {
            _ = try Directory(path: data.objects)
        } catch {
            guard error.kind == .missing else { throw error }
            throw UsageError(
                "\(data.objects) is not there; where photos lie in a bucket, say --storage s3://bucket/prefix."
            )
        }
        return FolderObjects(path: data.objects)
    }

    static func bucket(_ text: String) throws -> BucketObjects {
        guard text.hasPrefix("s3://") else {
            throw UsageError("--storage is dir, or s3://bucket/prefix?endpoint=https://host, not '\(text)'.")
        }
        do {
            return try BucketObjects(
                address: text, variable: Program.environment, http: CurlClient(), wall: SystemWallTime())
        } catch let problem as BucketObjects.Unreadable {
            throw UsageError("--storage: \(problem)")
        }
    }
}
