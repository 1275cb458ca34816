import Basics
import Bridge
import Digest
import Posix

/// Why a photo cannot be delivered, when that is known before anything is sent.
struct Undeliverable: Error {
    let outcome: DeliveryOutcome
}

extension Undeliverable {
    /// A photo of the spool could not be read. That says nothing about its destination.
    init(_ error: SystemError) {
        self.init(DiskError(error), reading: error.subject)
    }

    init(_ error: DiskError, reading path: String) {
        switch error.meaning {
        case .missing: outcome = .permanent("\(SpoolFileFailure.missing(path: path))")
        // Every photo would meet the same.
        case .tooManyOpen, .notWritable: outcome = .destinationFailed("\(error)")
        case .noRoom, .tooLarge, .failing, .other: outcome = .retryable("\(error)")
        }
    }

    init(_ failure: SpoolFileFailure) {
        outcome = .permanent("\(failure)")
    }
}

/// A photo of a job as it lies in the spool, as large as it was when it was staged. Its calls block.
struct LocalPhoto {
    let file: ReadableFile
    private let photo: StagedPhoto

    static func path(of job: Job, in spool: String) -> String {
        "\(job.photo.folder ?? spool)/\(job.photo.file)"
    }

    init(_ job: Job, in spool: String) throws(Undeliverable) {
        photo = job.photo
        do throws(SystemError) {
            file = try ReadableFile(path: Self.path(of: job, in: spool))
        } catch {
            throw Undeliverable(error)
        }
        try Self.expect(file.size, job, file.path)
    }

    /// Without opening it: a server's client does that, elsewhere.
    static func expect(_ job: Job, in spool: String) throws(Undeliverable) {
        let path = path(of: job, in: spool)
        let size: UInt64
        do throws(SystemError) {
            size = try ReadableFile.size(of: path)
        } catch {
            throw Undeliverable(error)
        }
        try expect(size, job, path)
    }

    private static func expect(_ size: UInt64, _ job: Job, _ path: String) throws(Undeliverable) {
        guard size == job.photo.size else {
            throw Undeliverable(.otherSize(path: path, found: size, staged: job.photo.size))
        }
    }

    /// Throws where its bytes are not those that were staged.
    func confirm() throws {
        guard "\(try reading { try file.digest() })" == photo.sha256 else {
            throw Undeliverable(.otherBytes(path: file.path))
        }
    }

    /// The SHA-256 of each of its parts. `partSize` is a multiple of a MiB. Throws where its bytes are not those that were
    /// staged.
    func parts(of partSize: UInt64) throws -> [SHA256Digest] {
        let whole = SHA256()
        var part = SHA256()
        var parts: [SHA256Digest] = []
        var position: UInt64 = 0
        try reading {
            try file.pieces { piece in
                whole.update(piece)
                part.update(piece)
                position += UInt64(piece.count)
                if position.isMultiple(of: partSize), position < file.size {
                    parts.append(part.finish())
                    part = SHA256()
                }
                return true
            }
        }
        parts.append(part.finish())
        guard "\(whole.finish())" == photo.sha256 else { throw Undeliverable(.otherBytes(path: file.path)) }
        return parts
    }

    func beginning(_ count: Int) throws(Undeliverable) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(0..<min(UInt64(count), file.size))
        } catch {
            throw Undeliverable(error)
        }
    }

    private func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            throw Undeliverable(error)
        }
    }
}

/// Reads photos of the spool, on a thread that may block.
actor PhotoReader {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let spool: String

    /// `spool` is the folder of the event's whole files.
    init(spool: String, executor: any SerialExecutor) {
        self.spool = spool
        self.executor = executor
    }

    nonisolated func path(of job: Job) -> String { LocalPhoto.path(of: job, in: spool) }

    /// Throws where it is gone or has another size than when it was staged.
    func expect(_ job: Job) throws(Undeliverable) { try LocalPhoto.expect(job, in: spool) }

    /// Throws where it is gone, or its bytes are not those that were staged.
    func confirm(_ job: Job) throws { try LocalPhoto(job, in: spool).confirm() }

    func parts(_ job: Job, of partSize: UInt64) throws -> [SHA256Digest] {
        try LocalPhoto(job, in: spool).parts(of: partSize)
    }

    func beginning(_ job: Job, _ count: Int) throws(Undeliverable) -> [UInt8] {
        try LocalPhoto(job, in: spool).beginning(count)
    }

    /// What it means that the other side got other bytes than it was told of: whether ours have changed, which is for good,
    /// or they were damaged on their way.
    func blame(_ job: Job, or complaint: String) -> DeliveryOutcome {
        do {
            try confirm(job)
            return .retryable(complaint)
        } catch let problem as Undeliverable {
            return problem.outcome
        } catch {
            return .cancelled
        }
    }
}

/// A piece that is hashed while it is still in the processor's cache.
private let pieceSize = 256 << 10

/// Every byte of a file of this machine, in pieces.
private func pieces(
    read: (UnsafeMutableRawBufferPointer, UInt64) throws -> Int,
    to take: (UnsafeRawBufferPointer) throws -> Bool
) throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 4096)
    defer { memory.deallocate() }
    var position: UInt64 = 0
    while true {
        try Task.checkCancellation()
        let count = try read(memory, position)
        guard count > 0, try take(UnsafeRawBufferPointer(rebasing: memory[..<count])) else { return }
        position += UInt64(count)
    }
}

extension ReadableFile {
    /// Gives every byte that it had when it was opened, in pieces, until `take` says false.
    func pieces(_ take: (UnsafeRawBufferPointer) throws -> Bool) throws {
        try Upload.pieces(
            read: { memory, position in
                let count = Int(min(UInt64(memory.count), size - position))
                try read(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), at: position)
                return count
            }, to: take)
    }

    func digest() throws -> SHA256Digest {
        let hasher = SHA256()
        try pieces { piece in
            hasher.update(piece)
            return true
        }
        return hasher.finish()
    }
}

extension StagedFile {
    /// Of what lies there now.
    func digest() throws -> SHA256Digest {
        let hasher = SHA256()
        try Upload.pieces(
            read: { try read(into: $0, at: $1) },
            to: { piece in
                hasher.update(piece)
                return true
            })
        return hasher.finish()
    }
}
