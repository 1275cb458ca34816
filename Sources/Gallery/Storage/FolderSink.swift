import Basics
import Digest
import HTTPServer
import Posix
import Synchronization

/// Bytes on their way to a file that has its name only when they are all there, right and on the disk.
final class FolderSink: BodySink {
    private let file: StagedFile
    private let claim: PlaceClaim
    private let folder: ObjectFolder
    private let threads: DiskThreads
    private let onLanded: @Sendable (_ key: String) -> Void
    private let progress: Mutex<Progress>

    private struct Progress {
        var written: UInt64 = 0
        let hash: SHA256?
    }

    init(
        _ file: StagedFile, _ claim: PlaceClaim, folder: ObjectFolder, threads: DiskThreads,
        onLanded: @escaping @Sendable (_ key: String) -> Void
    ) {
        self.file = file
        self.claim = claim
        self.folder = folder
        self.threads = threads
        self.onLanded = onLanded
        progress = Mutex(Progress(hash: claim.sha256 == nil ? nil : SHA256()))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let offset = progress.withLock { $0.written }
        try file.write(bytes, at: offset)
        let count = UInt64(bytes.count)
        nonisolated(unsafe) let bytes = bytes
        progress.withLock { progress in
            progress.written += count
            progress.hash?.update(bytes)
        }
    }

    func finish() async -> Response {
        let (written, hash) = progress.withLock { ($0.written, $0.hash?.finish()) }
        guard written == claim.length else {
            abandon()
            return APIError(
                .badRequest, "\(claim.length) bytes were announced, and \(written) have come"
            ).response
        }
        if let hash, hash.description != claim.sha256?.lowercased() {
            abandon()
            return APIError(.badRequest, "these bytes do not have the SHA-256 that was announced").response
        }
        return await land()
    }

    private func land() async -> Response {
        let (file, folder, key) = (file, folder, claim.key)
        do throws(SystemError) {
            let isPlaced = try await threads.perform { () throws(SystemError) in
                try file.makeReadOnly()
                try file.sync()
                return try folder.publish(file.name, as: key)
            }
            guard isPlaced else {
                abandon()
                return FolderUploadEndpoint.alreadyThere.response
            }
        } catch {
            abandon()
            return FolderUploadEndpoint.answer(to: error).response
        }
        onLanded(key)
        return Response(status: 200, headers: [HTTPHeader("ETag", FolderStorage.etag(key))])
    }

    func abandon() {
        do throws(SystemError) {
            try file.discard()
        } catch {
            // The next start removes it; the client is answered all the same.
            return
        }
    }
}
