package import Basics
import Digest
import Glibc
import Posix
import S3

/// Objects in a bucket. Clients put them there by themselves; that they have landed is found out by looking.
package final class S3Storage: ObjectStorage {
    private let objects: BucketObjects
    private let folder: Directory
    private let threads: DiskThreads
    private let wall: any WallTime
    private let random: any RandomSource
    /// Also renditions are given out by the bucket itself.
    private let givesAddresses: Bool
    /// Of what passes through this process; nothing where each is fetched each time.
    package let copies: NearCopies?

    package var workshop: String { folder.path }

    /// So much is fetched at once.
    private static let piece: UInt64 = 4 << 20
    /// What is no larger goes through this process: renditions. For larger ones, browsers are sent to the bucket.
    private static let mostHere: UInt64 = 4 << 20
    /// For that. A browser that was sent there may begin as long as this, also when the photo is hidden meanwhile; much shorter
    /// and a bucket whose clock differs would refuse it.
    static let redirectSeconds = 60

    private var client: S3Client { objects.client }

    /// Where browsers are sent for what is large.
    package var imageSource: String { "\(client.site.scheme)://\(client.site.authority)" }

    /// `workshop` is a folder of this machine.
    package init(
        _ objects: BucketObjects, workshop: String, wall: any WallTime, random: any RandomSource,
        givesAddresses: Bool = false, copies: NearCopies? = nil
    ) throws(StorageProblem) {
        self.copies = copies
        self.objects = objects
        self.givesAddresses = givesAddresses
        self.wall = wall
        self.random = random
        threads = DiskThreads(count: 2)
        do throws(SystemError) {
            // Renderers work in another folder.
            folder = try Directory.make(path: Directory.absolute(workshop) ?? workshop, mode: 0o700)
            for name in try folder.names(limit: 1 << 20) { try folder.remove(name) }
        } catch {
            throw StorageProblem(error)
        }
    }

    package func place(_ claim: PlaceClaim) async throws(StorageProblem) -> UploadTarget {
        let headers = FolderUploadEndpoint.requiredHeaders(claim)
        let seconds = max(1, Int(claim.expiresAt.seconds - wall.wallNow.seconds))
        return UploadTarget(
            url: client.presignedURL("PUT", name(claim.key), headers: headers, expiresIn: seconds),
            requiredHeaders: headers)
    }

    package func look(_ key: String) async throws(StorageProblem) -> StoredObject? {
        do throws(S3Failure) {
            return try await client.head(name(key)).map { StoredObject(size: $0.size, etag: $0.etag) }
        } catch {
            throw StorageProblem(error)
        }
    }

    package func withFile<Result>(
        _ key: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let path = try await fetch(key)
        defer { unlink(path) }
        return try await body(path)
    }

    package func keep(_ file: String, as key: String, type: String) async throws(StorageProblem) {
        let (size, hash) = try await threads.store { () throws(SystemError) in
            let file = try ReadableFile(path: file)
            return (file.size, try file.sha256())
        }
        let content = S3Content(file: FileSlice(path: file, count: size), sha256: hash, type: type)
        do throws(StorageProblem) {
            try await put(content, as: key)
        } catch {
            // It has been taken over all the same.
            if error.meaning == .taken { unlink(file) }
            throw error
        }
        try await threads.store { () throws(SystemError) in try check("removing", on: file) { unlink(file) } }
    }

    private func put(_ content: S3Content, as key: String) async throws(StorageProblem) {
        do throws(S3Failure) {
            try await client.put(name(key), content)
        } catch {
            throw StorageProblem(error)
        }
    }

    package func remove(_ key: String) async throws(StorageProblem) {
        do throws(S3Failure) {
            try await client.delete(name(key))
        } catch {
            guard case .refused(let refusal) = error, refusal.status == 404 else {
                throw StorageProblem(error)
            }
        }
        // Before that it could be fetched once more.
        await copies?.forget(key)
    }

    package func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
        try await objects.list(after: after, limit: limit)
    }

    package var intake: FolderUploadEndpoint? { nil }

    /// An address is signed without asking the bucket.
    package func contentAtHand(of key: String, size: UInt64, savedAs disposition: String?) -> ObjectContent? {
        givesAddresses || size > Self.mostHere
            ? .elsewhere(address(of: key, savedAs: disposition)) : copies?.atHand(key, size: size)
    }

    package func tidy() async { await copies?.tidy() }

    private func address(of key: String, savedAs disposition: String?) -> String {
        let query = disposition.map { [(name: "response-content-disposition", value: $0)] } ?? []
        return client.presignedURL("GET", name(key), query: query, expiresIn: Self.redirectSeconds)
    }

    package func content(
        of key: String, size: UInt64, savedAs disposition: String?
    ) async throws(StorageProblem) -> ObjectContent {
        if let content = contentAtHand(of: key, size: size, savedAs: disposition) { return content }
        guard let copies else { return .bytes(try await whole(key)) }
        return try await copies.content(of: key, size: size) { () async throws(StorageProblem) in
            try await self.whole(key)
        }
    }

    private func whole(_ key: String) async throws(StorageProblem) -> [UInt8] {
        guard let object = try await look(key) else { throw missing(key) }
        guard object.size <= Self.mostHere else {
            throw StorageProblem(.unavailable, "the object \(key) is larger than was noted")
        }
        return try await read(key, 0..<object.size, of: object)
    }

    private func name(_ key: String) -> String { objects.name(key) }

    private func missing(_ key: String) -> StorageProblem {
        StorageProblem(.missing, "nothing lies under the key \(key)")
    }

    package func read(
        _ key: String, _ part: Range<UInt64>, of object: StoredObject
    ) async throws(StorageProblem) -> [UInt8] {
        if part.isEmpty { return [] }
        do throws(S3Failure) {
            return try await client.read(name(key), part, etag: object.etag)
        } catch {
            if case .refused(let refusal) = error, refusal.status == 412 {
                throw StorageProblem(.missing, "the object \(key) has changed")
            }
            throw StorageProblem(error)
        }
    }

    /// The whole object as a file in the workshop.
    private func fetch(_ key: String) async throws(StorageProblem) -> String {
        guard let object = try await look(key) else { throw missing(key) }
        let name = "\(key).\(FolderStorage.unique(random)).got"
        let folder = folder
        let file = try await threads.store { () throws(SystemError) in
            try StagedFile(in: folder, partialName: name, mode: 0o600)
        }
        do throws(StorageProblem) {
            try await fill(file, key, object)
        } catch {
            try await threads.store { () throws(SystemError) in try file.discard() }
            throw error
        }
        return "\(folder.path)/\(name)"
    }

    private func fill(
        _ file: StagedFile, _ key: String, _ object: StoredObject
    ) async throws(StorageProblem) {
        var done: UInt64 = 0
        while done < object.size {
            let bytes = try await read(key, done..<min(done + Self.piece, object.size), of: object)
            let offset = done
            try await threads.store { () throws(SystemError) in try file.write(bytes, at: offset) }
            done += UInt64(bytes.count)
        }
    }
}

extension StorageProblem {
    init(_ failure: S3Failure) {
        switch failure {
        case .noAnswer, .notAStore: self.init(.unavailable, "\(failure)")
        case .refused(let refusal):
            switch refusal.concern {
            case .object where refusal.status == 412: self.init(.taken, "\(refusal)")
            case .object: self.init(.missing, "\(refusal)")
            case .settings: self.init(.refused, "\(refusal)")
            case .content, .never, .store, .other: self.init(.unavailable, "\(refusal)")
            }
        }
    }
}
