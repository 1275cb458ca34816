package import Posix
import S3

/// Objects that are copied out of a gallery, beside one that may be serving.
package protocol ExportSource: Sendable {
    /// Fills a file with an object's bytes, at most so many. Throws ``ExportDamage`` for what is about this object alone, and
    /// what the disk said for what is about the file.
    func copy(_ key: String, of size: UInt64, into file: StagedFile, on threads: DiskThreads) async throws
    /// How many objects are worth being read at a time.
    var readsAtOnce: Int { get }
}

/// What is wrong with one object: "is missing in the store".
package struct ExportDamage: Error, Equatable, Sendable {
    let reason: String

    static let missing = ExportDamage(reason: "is missing in the store")

    static func size(_ found: UInt64, insteadOf wanted: UInt64) -> ExportDamage {
        ExportDamage(reason: "has \(found) bytes in the store instead of \(wanted)")
    }
}

extension FolderObjects: ExportSource {
    package var readsAtOnce: Int { 4 }

    /// Between two of these it is looked whether the export was interrupted.
    private static let piece: UInt64 = 64 << 20

    package func copy(
        _ key: String, of size: UInt64, into file: StagedFile, on threads: DiskThreads
    ) async throws {
        let path = tree.path(of: key)
        try await threads.perform {
            let object = try Self.open(path)
            guard object.size == size else { throw ExportDamage.size(object.size, insteadOf: size) }
            do {
                _ = try Self.copy(object, file, .reflink)
            } catch let error as SystemError where error.kind == .failing {
                // One of both disks: read and written apart, it is seen which.
                _ = try Self.copy(object, file, .bytes)
            }
        }
    }

    private static func open(_ path: String) throws -> ReadableFile {
        do throws(SystemError) {
            return try ReadableFile(path: path)
        } catch {
            switch error.kind {
            case .missing: throw ExportDamage.missing
            case .tooManyOpen: throw error
            case .noRoom, .tooLarge, .failing, .notAllowed, .other:
                throw ExportDamage(reason: "cannot be read: \(error)")
            }
        }
    }

    private static func copy(_ object: ReadableFile, _ file: StagedFile, _ way: FileCopy.Way) throws {
        do {
            _ = try FileCopy.copy(
                object, to: file, inPieces: piece, startingWith: way, isCancelled: { Task.isCancelled })
        } catch let error as SystemError where error.subject == object.path {
            throw ExportDamage(reason: "cannot be read: \(error)")
        }
    }
}

extension BucketObjects: ExportSource {
    package var readsAtOnce: Int { 8 }

    /// So much is fetched at once, and is in memory for each object that is read.
    private static let pieceOfExport: UInt64 = 4 << 20

    package func copy(
        _ key: String, of size: UInt64, into file: StagedFile, on threads: DiskThreads
    ) async throws {
        guard let object = try await asked({ () throws(S3Failure) in try await client.head(name(key)) })
        else { throw ExportDamage.missing }
        guard object.size == size else { throw ExportDamage.size(object.size, insteadOf: size) }
        var done: UInt64 = 0
        while done < size {
            try Task.checkCancellation()
            let part = done..<min(done + Self.pieceOfExport, size)
            let bytes = try await asked { () throws(S3Failure) in
                try await client.read(name(key), part, etag: object.etag)
            }
            try await threads.perform {
                try bytes.withUnsafeBytes { try file.write($0, at: part.lowerBound) }
            }
            done = part.upperBound
        }
    }

    private func asked<Result>(_ question: () async throws(S3Failure) -> Result) async throws -> Result {
        do throws(S3Failure) {
            return try await question()
        } catch {
            let problem = StorageProblem(error)
            throw problem.meaning == .missing ? ExportDamage.missing : problem
        }
    }
}
