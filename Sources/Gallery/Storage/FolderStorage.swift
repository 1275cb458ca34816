package import Basics
import Digest
import Posix

/// Objects in a folder of this machine: enough for a gallery on one machine.
package final class FolderStorage: ObjectStorage {
    package let places: FolderUploadEndpoint
    let folder: ObjectFolder
    private let threads: DiskThreads
    private let random: any RandomSource

    /// `keys` sign the URLs of places; `publicURL` is what stands before "/objects/…" in them.
    package init(
        path: String, publicURL: String, keys: KeyRing, wall: any WallTime, random: any RandomSource,
        onLanded: @escaping @Sendable (_ key: String) -> Void
    ) throws(StorageProblem) {
        do throws(SystemError) {
            folder = try ObjectFolder(path: path)
        } catch {
            throw StorageProblem(error)
        }
        threads = DiskThreads()
        self.random = random
        places = FolderUploadEndpoint(
            signature: PlaceSignature(keys), publicURL: publicURL, folder: folder, threads: threads,
            wall: wall, random: random, onLanded: onLanded)
    }

    package var workshop: String { folder.incomingPath }

    package func place(_ claim: PlaceClaim) async throws(StorageProblem) -> UploadTarget {
        places.place(claim)
    }

    package func look(_ key: String) async throws(StorageProblem) -> StoredObject? {
        try await onDisk { folder throws(SystemError) in
            try folder.tree.size(of: key).map { StoredObject(size: $0, etag: Self.etag(key)) }
        }
    }

    package func withFile<Result>(
        _ key: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        guard try await look(key) != nil else { throw Self.missing(key) }
        return try await body(folder.tree.path(of: key))
    }

    package func keep(_ file: String, as key: String, type: String) async throws(StorageProblem) {
        let name = "\(key).\(Self.unique(random)).part"
        let isPlaced: Bool
        do throws(StorageProblem) {
            isPlaced = try await onDisk { folder throws(SystemError) in
                try folder.adopt(file, as: name)
                return try folder.publish(name, as: key)
            }
        } catch {
            await withdraw(name)
            throw error
        }
        guard isPlaced else {
            try await onDisk { folder throws(SystemError) in try folder.incoming.remove(name) }
            throw StorageProblem(.taken, "something lies under the key \(key) already")
        }
    }

    /// What could not be placed.
    private func withdraw(_ name: String) async {
        do throws(StorageProblem) {
            try await onDisk { folder throws(SystemError) in try folder.incoming.remove(name) }
        } catch {
            // It never came so far, or the next start removes it. What is told is why it was not placed.
            return
        }
    }

    package func remove(_ key: String) async throws(StorageProblem) {
        try await onDisk { folder throws(SystemError) in try folder.remove(key) }
    }

    package func read(
        _ key: String, _ part: Range<UInt64>, of object: StoredObject
    ) async throws(StorageProblem) -> [UInt8] {
        let bytes = try await onDisk { folder throws(SystemError) in
            try folder.tree.read(key, part, ofSize: object.size)
        }
        guard let bytes else { throw StorageProblem(.missing, "the object \(key) has changed its size") }
        return bytes
    }

    package func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
        try await onDisk { folder throws(SystemError) in try folder.tree.objects(after: after, limit: limit) }
    }

    /// Looks at one entry of a folder, which is nearly always in memory: a change of threads would cost more.
    package func content(
        of key: String, size: UInt64, savedAs disposition: String?
    ) async throws(StorageProblem) -> ObjectContent {
        let found: UInt64?
        do throws(SystemError) {
            found = try folder.tree.size(of: key)
        } catch {
            throw StorageProblem(error)
        }
        guard let found else { throw Self.missing(key) }
        return .file(path: folder.tree.path(of: key), size: found)
    }

    /// The server finds out whether the file is there when it opens it.
    package func contentAtHand(of key: String, size: UInt64, savedAs disposition: String?) -> ObjectContent? {
        .file(path: folder.tree.path(of: key), size: size)
    }

    package var intake: FolderUploadEndpoint? { places }

    /// What lies under a key never changes, so that the key says all.
    static func etag(_ key: String) -> String { "\"\(key)\"" }

    static func unique(_ random: any RandomSource) -> String { String(random.next(), radix: 16) }

    static func missing(_ key: String) -> StorageProblem {
        StorageProblem(.missing, "nothing lies under the key \(key)")
    }

    @discardableResult
    private func onDisk<Result: Sendable>(
        _ work: @Sendable (ObjectFolder) throws(SystemError) -> Result
    ) async throws(StorageProblem) -> Result {
        let folder = folder
        return try await threads.store { () throws(SystemError) in try work(folder) }
    }
}
