import Bridge
import Digest
import Posix

/// Why a photo cannot be delivered, when that is known before anything is sent.
struct Undeliverable: Error {
    let outcome: DeliveryOutcome
}

/// A photo of a job as it lies in the spool.
enum SpooledPhoto {
    /// Opened, and as large as it was when it was staged.
    static func open(_ job: Job, in spool: String) throws(Undeliverable) -> ReadableFile {
        let source: ReadableFile
        do throws(SystemError) {
            source = try ReadableFile(path: "\(spool)/\(job.photo.file)")
        } catch {
            switch error.kind {
            case .missing:
                throw Undeliverable(
                    outcome: .permanent("localFileMissing: \(error.subject) is not in the spool any more"))
            // Every photo would meet the same.
            case .tooManyOpen, .notAllowed: throw Undeliverable(outcome: .destinationFailed("\(error)"))
            case .failing, .noRoom, .tooLarge, .other:
                throw Undeliverable(outcome: .retryable("\(error)"))
            }
        }
        guard source.size == job.photo.size else {
            throw Undeliverable(
                outcome: .permanent(
                    """
                    localFileDamaged: \(source.path) has \(source.size) bytes and had \(job.photo.size) \
                    when it was staged
                    """))
        }
        return source
    }

    static func damaged(_ path: String) -> DeliveryOutcome {
        .permanent("localFileDamaged: \(path) has another SHA-256 than when it was staged")
    }
}

/// Reads photos of the spool, on a thread that may block.
actor PhotoReader {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let buffer = 1 << 20

    init(executor: any SerialExecutor) {
        self.executor = executor
    }

    /// The SHA-256 of the file, and of each of its parts, from one reading. `partSize` is a multiple of a MiB.
    func digests(_ path: String, partSize: UInt64) throws -> (whole: SHA256Digest, parts: [SHA256Digest]) {
        let file = try ReadableFile(path: path)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.buffer, alignment: 4096)
        defer { memory.deallocate() }
        let whole = SHA256()
        var part = SHA256()
        var parts: [SHA256Digest] = []
        var position: UInt64 = 0
        while position < file.size {
            try Task.checkCancellation()
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory[..<Int(min(UInt64(Self.buffer), file.size - position))])
            try file.read(into: piece, at: position)
            whole.update(UnsafeRawBufferPointer(piece))
            part.update(UnsafeRawBufferPointer(piece))
            position += UInt64(piece.count)
            guard position.isMultiple(of: partSize), position < file.size else { continue }
            parts.append(part.finish())
            part = SHA256()
        }
        parts.append(part.finish())
        return (whole.finish(), parts)
    }

    func digest(_ path: String) throws -> SHA256Digest {
        let file = try ReadableFile(path: path)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.buffer, alignment: 4096)
        defer { memory.deallocate() }
        let whole = SHA256()
        var position: UInt64 = 0
        while position < file.size {
            try Task.checkCancellation()
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory[..<Int(min(UInt64(Self.buffer), file.size - position))])
            try file.read(into: piece, at: position)
            whole.update(UnsafeRawBufferPointer(piece))
            position += UInt64(piece.count)
        }
        return whole.finish()
    }
}
