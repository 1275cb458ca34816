import Bridge
import Digest
import Posix

/// Photos in the spool as a gallery's destination looks at them, on a thread that may block.
actor LocalPhotos {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let spool: String

    private static let piece = 1 << 20

    init(spool: String, executor: any SerialExecutor) {
        self.spool = spool
        self.executor = executor
    }

    nonisolated func path(of job: Job) -> String { "\(spool)/\(job.photo.file)" }

    enum Look: Sendable {
        /// It is there and as large as it was; its first bytes.
        case there([UInt8])
        case trouble(DeliveryOutcome)
    }

    func look(at job: Job) -> Look {
        do throws(SystemError) {
            let file = try ReadableFile(path: path(of: job))
            guard file.size == job.photo.size else {
                return .trouble(
                    .permanent(
                        "localFileDamaged: \(file.path) has \(file.size) bytes and had \(job.photo.size) when it was staged"
                    ))
            }
            return .there(try first(GalleryContentType.length, of: file))
        } catch {
            return .trouble(Self.outcome(error))
        }
    }

    /// What it means that the gallery has other bytes than it was told of: whether ours have changed.
    func compare(_ job: Job, after complaint: String) -> DeliveryOutcome {
        do {
            let file = try ReadableFile(path: path(of: job))
            guard try digest(of: file) == job.photo.sha256 else {
                return .permanent(
                    "localFileDamaged: \(file.path) has another SHA-256 than when it was staged")
            }
            return .retryable(complaint)
        } catch let error as SystemError {
            return Self.outcome(error)
        } catch {
            return .cancelled
        }
    }

    /// What fails at the photo itself says nothing about the gallery.
    private static func outcome(_ error: SystemError) -> DeliveryOutcome {
        switch error.kind {
        case .missing: .permanent("localFileMissing: \(error.subject) is not in the spool any more")
        // Every photo would meet the same.
        case .tooManyOpen, .notAllowed: .destinationFailed("\(error)")
        case .failing, .noRoom, .tooLarge, .other: .retryable("\(error)")
        }
    }

    private func first(_ count: Int, of file: ReadableFile) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(count, Int(file.size)))
        var failure: SystemError?
        bytes.withUnsafeMutableBytes { memory in
            do throws(SystemError) {
                try file.read(into: memory, at: 0)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private func digest(of file: ReadableFile) throws -> String {
        let hasher = SHA256()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 4096)
        defer { memory.deallocate() }
        var position: UInt64 = 0
        while position < file.size {
            if Task.isCancelled { throw CancellationError() }
            let count = Int(min(UInt64(Self.piece), file.size - position))
            let piece = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
            try file.read(into: piece, at: position)
            hasher.update(UnsafeRawBufferPointer(piece))
            position += UInt64(count)
        }
        return "\(hasher.finish())"
    }
}
