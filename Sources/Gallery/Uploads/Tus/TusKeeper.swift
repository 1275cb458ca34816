import Basics
import Posix
import Synchronization

/// Keeps the pieces of uploads and puts them together. A piece is an object of the storage, as a photo is, and its row says so
/// only then: so any node goes on with an upload, and none acknowledges what another could lose.
package final class TusKeeper: Sendable {
    let store: StorePool
    let storage: any ObjectStorage
    let threads = DiskThreads(count: 2)
    let time: any TimeSource
    private let onLanded: @Sendable () -> Void
    let log: @Sendable (String) -> Void
    private let name = Mutex<String?>(nil)
    private let count = Atomic<UInt64>(0)

    private static let atOnce = 100
    /// So many lists of each are worked through by one sweep.
    private static let mostLists = 20

    init(
        store: StorePool, storage: any ObjectStorage, time: any TimeSource,
        onLanded: @escaping @Sendable () -> Void, log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.storage = storage
        self.time = time
        self.onLanded = onLanded
        self.log = log
    }

    /// What names of holders begin with in this run of the program.
    var run: String {
        name.withLock { name in
            if let name { return name }
            let new = String(store.random.next(), radix: 36) + "/"
            name = new
            return new
        }
    }

    var wallNow: Timestamp { store.wall.wallNow }

    /// Of this request and no other.
    func holder() -> String { run + String(count.add(1, ordering: .relaxed).newValue, radix: 36) }

    // MARK: Pieces

    /// Where the bytes of a request are collected, on this machine. What is there when the program ends is nothing that was
    /// acknowledged, and the next start removes it.
    func file(for key: String) async throws -> StagedFile {
        let (folder, name) = (
            storage.workshop, "\(key).\(count.add(1, ordering: .relaxed).newValue).tus"
        )
        return try await threads.store { () throws(SystemError) in
            try StagedFile(in: Directory(path: folder), partialName: name, mode: 0o600)
        }
    }

    /// Makes so many bytes of an upload durable: in the storage, and then in its row.
    func keep(_ file: StagedFile, size: UInt64, of piece: TusPiece) async throws -> TusUpload {
        if piece.isWhole, size == piece.count {
            try await keep(path(file), as: piece.key, type: piece.contentType)
            try await end(piece.upload, key: piece.key, holder: piece.holder)
        } else {
            let key = try await piece.isWhole ? store { try $0.keyForRest(of: piece) } : piece.key
            try await storage.keep(path(file), as: key, type: TusUpload.contentType)
            let upload = try await store { try $0.keptPiece(piece, key: key, size: size) }
            guard upload.received == upload.length else { return upload }
            await assemble(piece.upload, holder: piece.holder)
        }
        guard let upload = try await store({ try $0.tus(piece.upload) }) else {
            throw GalleryRefusal.notFound(.upload)
        }
        return upload
    }

    private func path(_ file: StagedFile) -> String { "\(file.directory.path)/\(file.name)" }

    private func keep(_ file: String, as key: String, type: String) async throws {
        do throws(StorageProblem) {
            try await storage.keep(file, as: key, type: type)
        } catch {
            // A run before has kept it, and has not come to say so.
            guard error.meaning == .taken else { throw error }
        }
    }

    private func end(_ upload: String, key: String, holder: String) async throws {
        if try await store({ try $0.wholeTus(upload, key: key, holder: holder) }) { onLanded() }
    }

    func release(_ piece: TusPiece) async {
        do {
            try await store { try $0.releaseTus(piece.upload, holder: piece.holder) }
        } catch {
            log("upload \(piece.upload) is held until its lease has run out: \(error)")
        }
    }

    /// Until the task is cancelled, nothing else brings bytes.
    func renew(_ upload: String, holder: String) async {
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + TusUpload.renewal)
                guard try await store({ try $0.renewTus(upload, holder: holder) }) else { return }
            } catch is CancellationError {
                return
            } catch {
                log("the lease on upload \(upload) could not be renewed: \(error)")
            }
        }
    }

    // MARK: The whole

    /// What fails is tried again by the next sweep: all bytes are durable already. Where one of them has gone from the storage
    /// all the same, the upload begins anew.
    private func assemble(_ upload: String, holder: String) async {
        do {
            guard let plan = try await store({ [run] in try $0.planTus(upload, holder: holder, run: run) })
            else { return }
            try await putTogether(plan, upload)
            try await end(upload, key: plan.key, holder: holder)
        } catch {
            log("the pieces of upload \(upload) could not be put together, which is tried again: \(error)")
            let hasLost = error is LostPiece
            do {
                try await store { store in
                    if hasLost { try store.restartTus(upload, holder: holder) }
                    try store.releaseTus(upload, holder: holder)
                }
            } catch {
                log("upload \(upload) is held until its lease has run out: \(error)")
            }
        }
    }

    private func putTogether(_ plan: TusPlan, _ upload: String) async throws {
        // A run before may have come so far.
        if try await storage.look(plan.key)?.size == plan.length { return }
        let whole = try await file(for: plan.key)
        do {
            var done: UInt64 = 0
            for piece in plan.pieces {
                try Task.checkCancellation()
                let start = done
                guard try await storage.look(piece.key) != nil else { throw LostPiece(key: piece.key) }
                try await storage.withFile(piece.key) { [threads] path in
                    try await threads.store { () throws(SystemError) in
                        try Self.append(path, piece.size, to: whole, at: start)
                    }
                }
                done += piece.size
            }
            guard done == plan.length else {
                throw StorageProblem(
                    .missing, "of the \(plan.length) bytes of upload \(upload) \(done) are there")
            }
            try await keep(path(whole), as: plan.key, type: plan.contentType)
        } catch {
            try await discard(whole)
            throw error
        }
    }

    func discard(_ file: StagedFile) async throws {
        do throws(StorageProblem) {
            try await threads.store { () throws(SystemError) in try file.discard() }
        } catch {
            // The storage has taken it already. Where nothing refers to it there, the sweeper removes it.
            guard error.meaning == .missing else { throw error }
        }
    }

    private static func append(
        _ path: String, _ size: UInt64, to whole: StagedFile, at start: UInt64
    ) throws(SystemError) {
        let source = try ReadableFile(path: path)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { memory.deallocate() }
        var done: UInt64 = 0
        while done < size {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory.prefix(Int(min(size - done, UInt64(memory.count)))))
            try source.read(into: piece, at: done)
            try whole.write(UnsafeRawBufferPointer(piece), at: start + done)
            done += UInt64(piece.count)
        }
    }

    // MARK: What is left

    /// Puts together what a program had no time for, and removes what was never finished.
    package func sweep() async throws {
        var last = ""
        for _ in 0..<Self.mostLists {
            let waiting = try await store { [last] in try $0.waitingTus(after: last, limit: Self.atOnce) }
            for upload in waiting {
                try Task.checkCancellation()
                let holder = holder()
                let renewal = Task { await renew(upload, holder: holder) }
                await assemble(upload, holder: holder)
                renewal.cancel()
            }
            guard let end = waiting.last, waiting.count == Self.atOnce else { break }
            last = end
        }
        for _ in 0..<Self.mostLists {
            if try await store({ try $0.forgetEndedTus(limit: Self.atOnce) }) < Self.atOnce { break }
        }
    }
}

/// The storage has one no more that was acknowledged.
private struct LostPiece: Error, CustomStringConvertible {
    let key: String

    var description: String { "the storage has lost the piece \(key)" }
}
