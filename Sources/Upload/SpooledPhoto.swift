import Bridge
import Digest
import Posix

/// Why a photo cannot be delivered, when that is known before anything is sent.
struct Undeliverable: Error {
    let outcome: DeliveryOutcome
}

extension Undeliverable {
    /// A photo of the spool could not be looked at.
    init(_ error: SystemError) {
        switch error.kind {
        case .missing:
            outcome = .permanent("localFileMissing: \(error.subject) is not in the spool any more")
        // Every photo would meet the same.
        case .tooManyOpen, .notAllowed: outcome = .destinationFailed("\(error)")
        case .failing, .noRoom, .tooLarge, .other: outcome = .retryable("\(error)")
        }
    }
}

/// A photo of a job as it lies in the spool, as large as it was when it was staged.
enum SpooledPhoto {
    static func open(_ job: Job, in spool: String) throws(Undeliverable) -> ReadableFile {
        let source: ReadableFile
        do throws(SystemError) {
            source = try ReadableFile(path: "\(spool)/\(job.photo.file)")
        } catch {
            throw Undeliverable(error)
        }
        try expect(source.size, job, source.path)
        return source
    }

    /// Without opening it: whoever sends it does that, elsewhere.
    static func path(of job: Job, in spool: String) throws(Undeliverable) -> String {
        let path = "\(spool)/\(job.photo.file)"
        let size: UInt64
        do throws(SystemError) {
            size = try ReadableFile.size(of: path)
        } catch {
            throw Undeliverable(error)
        }
        try expect(size, job, path)
        return path
    }

    private static func expect(_ size: UInt64, _ job: Job, _ path: String) throws(Undeliverable) {
        guard size == job.photo.size else {
            throw Undeliverable(
                outcome: .permanent(
                    "localFileDamaged: \(path) has \(size) bytes and had \(job.photo.size) when it was staged"
                ))
        }
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
