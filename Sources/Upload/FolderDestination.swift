package import Bridge
import Glibc
import Posix
import Synchronization

/// Delivers into a folder of this machine: a second disk, a share, what another program watches.
///
/// A photo appears there under its name when it is whole and on the disk, never over another. "Already there" is
/// believed only after size and SHA-256 have been compared.
package final class FolderDestination: TestableDestination {
    package let id: DestinationID
    package let url: String
    /// As many as there are threads. With two, one copies while the other waits for its fsync.
    package let reach: Reach
    private let hands: Mutex<[FolderHand]>
    private let look: FolderLook
    package let consumes: Bool

    /// `spool` is the folder of the event's whole files. Every delivery at a time needs a thread that may block. `wasMounted`:
    /// a disk has been seen mounted there before. `mountRoots`: below which folders disks are.
    package init(
        id: DestinationID, url: String, _ address: FolderAddress, spool: String,
        executors: [any SerialExecutor], wasMounted: Bool = false, mountRoots: [String] = DiskPlace.roots,
        onMoved: @escaping @Sendable (JobID, UInt64) -> Void = { _, _ in }
    ) {
        precondition(!executors.isEmpty, "deliveries happen on a thread")
        self.id = id
        self.url = url
        reach = .local(slots: executors.count)
        let top = FolderTop(address.path, wasMounted: wasMounted, roots: mountRoots)
        let writer = FolderWriter(address: address, top: top, spool: spool, onMoved: onMoved)
        hands = Mutex(executors.map { FolderHand(executor: $0, writer: writer) })
        look = FolderLook(top: top, executor: executors[0])
        consumes = address.consumes
    }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        var found: [Standing] = []
        for receipt in receipts { found.append(await look.standing(of: receipt)) }
        return found
    }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        try await look.read(receipt, take)
    }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        await withHand { await $0.deliver(job) }
    }

    package func test(_ job: Job) async -> DeliveryOutcome {
        await withHand { await $0.test(job) }
    }

    package func probe() async -> DeliveryOutcome? { await look.obstacle().map { .destinationFailed($0) } }

    private func withHand(_ body: (FolderHand) async -> DeliveryOutcome) async -> DeliveryOutcome {
        guard let hand = hands.withLock({ $0.popLast() }) else {
            preconditionFailure("more deliveries at a time than there are slots")
        }
        let outcome = await body(hand)
        hands.withLock { $0.append(hand) }
        return outcome
    }
}

/// One delivery at a time, on a thread that may block.
private actor FolderHand {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let writer: FolderWriter

    init(executor: any SerialExecutor, writer: FolderWriter) {
        self.executor = executor
        self.writer = writer
    }

    func deliver(_ job: Job) -> DeliveryOutcome { writer.deliver(job) }
    func test(_ job: Job) -> DeliveryOutcome { writer.test(job) }
}

/// The folder itself, as system calls in their order.
private final class FolderWriter: Sendable {
    private let address: FolderAddress
    private let top: FolderTop
    private let spool: String
    /// Called for every piece, so that the uploader knows whether anything moves.
    private let onMoved: @Sendable (JobID, UInt64) -> Void
    /// Folders whose names are known to be on the disk, by path below the top.
    private let synced = Mutex<Set<String>>([])

    private static let piece: UInt64 = 8 << 20
    /// Folders that are remembered.
    private static let mostFolders = 10_000

    init(
        address: FolderAddress, top: FolderTop, spool: String,
        onMoved: @escaping @Sendable (JobID, UInt64) -> Void
    ) {
        self.address = address
        self.top = top
        self.spool = spool
        self.onMoved = onMoved
    }

    func deliver(_ job: Job) -> DeliveryOutcome {
        let photo: LocalPhoto
        do throws(Undeliverable) {
            photo = try LocalPhoto(job, in: spool)
        } catch {
            return error.outcome
        }
        return told { try put(photo, job) }
    }

    /// As ``deliver(_:)``; then what lies there is read and taken away.
    func test(_ job: Job) -> DeliveryOutcome {
        let outcome = deliver(job)
        guard case .delivered(let receipt) = outcome, case .key(let key) = receipt.place else {
            return outcome
        }
        return told {
            let components = key.split(separator: "/").map { String($0) }
            guard let name = components.last else { return outcome }
            let folder = try folder(components.dropLast())
            let found = Result { try StagedFile(in: folder, reading: name).digest() }
            try folder.remove(name)
            return try "\(found.get())" == receipt.sha256
                ? outcome : .retryable("\(ServerFailure.notReadBack(name: name, place: address.path))")
        }
    }

    /// What went wrong, as what it means to the job.
    private func told(_ body: () throws -> DeliveryOutcome) -> DeliveryOutcome {
        do {
            return try body()
        } catch let error as SystemError where error.kind == .tooLarge {
            return .permanent("\(error)")
        } catch let error as SystemError {
            // Every job for this folder would meet the same disk.
            synced.withLock { $0 = [] }
            // Each has a file of its own, and the disk is full once.
            let told = error.kind == .noRoom ? SystemError("writing", error.number, on: address.path) : error
            return .destinationFailed("\(told)")
        } catch let error as Undeliverable {
            return error.outcome
        } catch let error as FolderTop.NoDisk {
            synced.withLock { $0 = [] }
            return .destinationFailed("\(error)")
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .retryable("\(error)")
        }
    }

    private func put(_ photo: LocalPhoto, _ job: Job) throws -> DeliveryOutcome {
        let components = job.components(by: address.template)
        guard let name = components.last else { preconditionFailure("a template gives a name") }
        let folder = try folder(Array(components.dropLast()))
        let partialName = ".tetherline-\(job.key).part"
        // What was delivered before has its name again, where that is free or still its own.
        let former = job.formerName.flatMap { Self.sibling($0, of: components) }
        let candidates = NameCandidates(name, sha256: job.photo.sha256)
        var walk = NameWalk(
            preferred: [former].compactMap { $0 }, candidates, size: job.photo.size)
        while true {
            switch walk.step {
            case .look(let name):
                let facts = try folder.facts(of: name)
                walk.saw(facts.map { $0.kind == .file ? .file(size: $0.size) : .other } ?? .nothing)
            case .compare(let name): walk.compared(isSame: try isSame(name, in: folder, job.photo))
            case .claim(let name):
                let isDone =
                    try address.links
                    ? link(photo, job, to: folder, as: name) : copy(photo, job, folder, partialName, name)
                walk.claimed(isDone ? .done : .taken)
            case .ended(.has(let name, let wasThere)):
                if wasThere, try folder.facts(of: partialName) != nil { try folder.remove(partialName) }
                return delivered(components, name, job)
            case .ended(.noneFree):
                return .retryable(
                    "\(FileNameFailure.noneFree(path: "\(folder.path)/\(name)", tried: candidates.count))")
            case .ended(.contested(let name)), .ended(.unclaimed(let name)):
                return .retryable("\(FileNameFailure.contested(name, place: folder.path))")
            }
        }
    }

    /// The last component of a path in the same folder as the one that its template gives.
    private static func sibling(_ path: String, of components: [String]) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = components.dropLast()
        guard parts.count == components.count, parts.dropLast().elementsEqual(folder, by: ==) else {
            return nil
        }
        return parts.last.map(String.init)
    }

    private func delivered(_ components: [String], _ name: String, _ job: Job) -> DeliveryOutcome {
        .delivered(
            Receipt(
                key: (components.dropLast() + [name]).joined(separator: "/"), size: job.photo.size,
                sha256: job.photo.sha256))
    }

    /// False when the name has been taken meanwhile.
    private func copy(
        _ photo: LocalPhoto, _ job: Job, _ folder: Directory, _ partialName: String, _ name: String
    ) throws -> Bool {
        let file = try StagedFile(in: folder, partialName: partialName)
        do {
            do {
                _ = try FileCopy.copy(
                    photo.file, to: file, inPieces: Self.piece, isCancelled: { Task.isCancelled },
                    onCopied: { onMoved(job.id, $0) })
            } catch let error as SystemError where error.subject == photo.file.path {
                // What fails at the photo itself says nothing about the folder.
                throw Undeliverable(error)
            }
            // What the receipt will say is what lies there, not what was meant to.
            if try "\(file.digest())" != job.photo.sha256 {
                // A byte has changed: in the spool, which is for good, or on the way, which need not happen again.
                try photo.confirm()
                throw Undeliverable(
                    outcome: .retryable("\(ServerFailure.damagedCopy(path: photo.file.path))"))
            }
            if let date = try Directory(path: job.photo.folder ?? spool).facts(of: job.photo.file)?.modified {
                try file.setModified(date)
            }
            return try file.publish(as: name) == .published
        } catch {
            let cause = error
            do {
                try file.discard()
            } catch {
                // It is written over at the next try; what went wrong first is what has to be known.
                throw cause
            }
            throw cause
        }
    }

    private func link(_ photo: LocalPhoto, _ job: Job, to folder: Directory, as name: String) throws -> Bool {
        // A receipt says what lies there; here, too.
        try photo.confirm()
        guard try Directory(path: job.photo.folder ?? spool).link(job.photo.file, to: folder, as: name) else {
            return false
        }
        try folder.sync()
        return true
    }

    private func isSame(_ name: String, in folder: Directory, _ photo: StagedPhoto) throws -> Bool {
        let file = try StagedFile(in: folder, reading: name)
        guard try "\(file.digest())" == photo.sha256 else { return false }
        // It may have got its name just before the power went.
        try file.sync()
        try folder.sync()
        return true
    }

    /// The folder below the top, made when it is new, and its name brought to the disk once. The top itself is not made
    /// here, but on a disk that is mounted: otherwise its folder would be one on another disk. Nothing stays open between
    /// two photos, so that a disk can be unmounted.
    private func folder(_ components: [String]) throws -> Directory {
        var directory = try top.open()
        var path = ""
        for component in components {
            path += "/\(component)"
            let inner = try directory.subdirectory(component)
            if synced.withLock({ !$0.contains(path) }) {
                try directory.sync()
                synced.withLock { synced in
                    if synced.count >= Self.mostFolders { synced = [] }
                    synced.insert(path)
                }
            }
            directory = inner
        }
        return directory
    }
}
