import Basics
import Bridge
import Digest
import S3
import Synchronization

/// One photo's way into a bucket, from name to name until one is its own.
struct S3Delivery: Sendable {
    let job: Job
    let path: String
    let address: S3Address
    let client: S3Client
    let memory: UploadMemory
    let reader: PhotoReader
    let names: ActiveNames
    let habit: StoreHabit
    let onMoved: @Sendable (UInt64) -> Void

    /// Larger photos are sent in parts.
    static let largestSingle: UInt64 = 64 << 20

    /// What came of asking for a name.
    enum Placing {
        case done
        /// Something has it, or is about to.
        case taken(S3Failure?)
        /// It may have been got: what lies there says so.
        case unknown(S3Failure)

        /// Nothing where the walk cannot settle it.
        init?(_ failure: S3Failure) {
            if failure.meansTaken {
                self = .taken(failure)
            } else if failure.isAmbiguous || failure.endsUpload {
                self = .unknown(failure)
            } else {
                return nil
            }
        }
    }

    private var isLarge: Bool { job.photo.size > Self.largestSingle }

    /// The walk, and what its last steps have shown.
    private struct Search {
        var walk: NameWalk
        let habits: S3Habits?
        /// What was looked at last.
        var object: S3Object?
        /// Why the last claim of this name was none.
        var failure: S3Failure?
        var isConfirmed: Bool
    }

    func run() async throws -> DeliveryOutcome {
        guard let sha256 = SHA256Digest(hex: job.photo.sha256) else {
            preconditionFailure("the ledger has no photo without a SHA-256")
        }
        let components = job.components(by: address.template)
        guard let last = components.last else { preconditionFailure("a template gives a name") }
        let candidates = NameCandidates(
            in: components.dropLast().map { "\($0)/" }.joined(), last, sha256: job.photo.sha256)
        let habits = isLarge ? nil : try await habit.found(client, address.prefix, names)
        var search = Search(
            walk: NameWalk(
                preferred: [begun, job.formerName].compactMap { $0 }, candidates, size: job.photo.size,
                claimsUnseen: habits?.refusesToReplace ?? false),
            // What a store compares, and all parts, need not be hashed once more here.
            habits: habits, isConfirmed: habits?.verifies ?? true)
        while let name = search.walk.name {
            if isLarge {
                try await step(&search, sha256)
            } else {
                // Some stores put parts together over what came meanwhile, so of two that want one name one waits.
                try await names.holding(address.prefix + name) {
                    while search.walk.name == name { try await step(&search, sha256) }
                }
            }
            if search.walk.name != name {
                // What was begun for a name that is not needed any more.
                try await settle(search, address.prefix + name)
                // Why that name was not got explains nothing of the next one.
                if search.walk.name != nil { search.failure = nil }
            }
        }
        switch search.walk.step {
        case .ended(.has(let name, _)):
            return .delivered(Receipt(key: name, size: job.photo.size, sha256: job.photo.sha256))
        case .ended(.contested(let name)), .ended(.unclaimed(let name)):
            if let failure = search.failure { throw failure }
            return .retryable("\(FileNameFailure.contested(name, place: address.bucket))")
        case .ended(.noneFree), .look, .compare, .claim:
            return .retryable("\(FileNameFailure.noneFree(path: candidates.wanted, tried: candidates.count))")
        }
    }

    /// What was begun under a name goes on under it.
    private var begun: String? {
        guard let note = memory.note(of: job), note.upload.key.hasPrefix(address.prefix) else { return nil }
        return String(note.upload.key.dropFirst(address.prefix.count))
    }

    private func step(_ search: inout Search, _ sha256: SHA256Digest) async throws {
        switch search.walk.step {
        case .look(let name):
            do throws(S3Failure) {
                search.object = try await client.head(address.prefix + name)
            } catch {
                // Everything was sent and no answer came: that is what went wrong.
                throw search.failure.map { $0.isAmbiguous ? $0 : error } ?? error
            }
            search.walk.saw(search.object.map { .file(size: $0.size) } ?? .nothing)
        case .compare(let name):
            guard let object = search.object else { preconditionFailure("what is compared was looked at") }
            search.walk.compared(isSame: try await isTwin(address.prefix + name, object, sha256))
        case .claim(let name):
            if !search.isConfirmed {
                try await reader.confirm(job)
                search.isConfirmed = true
            }
            let placing =
                isLarge
                ? try await putParts(address.prefix + name, sha256)
                : try await put(address.prefix + name, sha256, search.habits)
            switch placing {
            case .done: search.walk.claimed(.done)
            case .taken(let failure):
                search.failure = failure
                search.walk.claimed(.taken)
            case .unknown(let failure):
                search.failure = failure
                search.walk.claimed(.unknown)
            }
        case .ended: break
        }
    }

    /// In one request.
    private func put(
        _ key: String, _ sha256: SHA256Digest, _ habits: S3Habits?
    ) async throws(S3Failure) -> Placing {
        let content = S3Content(
            file: FileSlice(path: path, count: job.photo.size), sha256: sha256, type: ContentType.of(key))
        do throws(S3Failure) {
            try await client.put(
                key, content, refusesToReplace: habits?.refusesToReplace ?? false, onSent: onMoved)
            return .done
        } catch {
            guard let placing = Placing(error) else { throw error }
            return placing
        }
    }

    private func settle(_ search: Search, _ key: String) async throws {
        switch search.walk.step {
        // The store may have it still, or know nothing of it: the next try finds out, or begins anew.
        case .ended(.unclaimed), .ended(.contested):
            if search.failure?.endsUpload == true { try await memory.forget(job) }
        case .look, .compare, .claim, .ended(.has), .ended(.noneFree): try await drop(key)
        }
    }

    /// Whether this very photo lies there, which is as large: by the store's own reckoning, by our note beside it, or as it
    /// is read back.
    private func isTwin(
        _ key: String, _ object: S3Object, _ sha256: SHA256Digest
    ) async throws(S3Failure) -> Bool {
        if let checksum = object.checksum { return checksum == Base64.text(sha256.bytes) }
        // What is delivered again was found to be gone or altered there, whatever was noted beside it then.
        if job.formerName == nil, let noted = object.noted { return noted.lowercased() == job.photo.sha256 }
        return try await S3Look(client: client, address: address).digest(of: key, object) == job.photo.sha256
    }
}

extension S3Failure {
    /// Another object has the name, or is about to.
    var meansTaken: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.code == "PreconditionFailed" || refusal.code == "ConditionalRequestConflict"
            || refusal.status == 412
    }

    /// There is no such upload, or not with these parts.
    var endsUpload: Bool {
        guard case .refused(let refusal) = self else { return false }
        return ["NoSuchUpload", "InvalidPart", "InvalidPartOrder", "EntityTooSmall"].contains(refusal.code)
    }

    /// Everything has been sent and what came of it is not known.
    var isAmbiguous: Bool {
        if case .noAnswer(let failure) = self { failure.isAmbiguous } else { false }
    }
}

/// What is found out once about a store.
final class StoreHabit: Sendable {
    private let habits = Mutex<S3Habits?>(nil)

    func found(_ client: S3Client, _ prefix: String, _ names: ActiveNames) async throws -> S3Habits {
        if let known = habits.withLock({ $0 }) { return known }
        let key = "\(prefix).tetherline-probe"
        return try await names.holding(key) {
            if let known = habits.withLock({ $0 }) { return known }
            let found = try await client.habits(trying: key)
            habits.withLock { $0 = found }
            return found
        }
    }
}
