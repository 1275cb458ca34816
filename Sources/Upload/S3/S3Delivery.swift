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
    let names: NamesInHand
    let habit: StoreHabit
    let onMoved: @Sendable (UInt64) -> Void

    /// What has become of one name.
    enum Placing {
        /// It is this photo's.
        case ours
        /// It is another's.
        case taken
    }

    /// Larger photos are sent in parts.
    static let largestSingle: UInt64 = 64 << 20
    /// Read back at a time, where a store knows no checksum.
    private static let pieceRead: UInt64 = 4 << 20

    func run() async throws -> DeliveryOutcome {
        guard let sha256 = SHA256Digest(hex: job.photo.sha256) else {
            preconditionFailure("the ledger has no photo without a SHA-256")
        }
        let components = address.template.components(for: job.facts)
        guard let last = components.last else { preconditionFailure("a template gives a name") }
        let folder = components.dropLast().map { "\($0)/" }.joined()
        // What was begun under a name goes on under it.
        if let note = memory.note(of: job), note.upload.key.hasPrefix(address.prefix) {
            let name = String(note.upload.key.dropFirst(address.prefix.count))
            if try await place(name, sha256) == .ours { return delivered(name) }
        }
        if let name = job.formerName, try await place(name, sha256) == .ours { return delivered(name) }
        for choice in NameChoice(name: last, sha256: job.photo.sha256).names {
            let name = folder + choice
            if try await place(name, sha256, mayBeTaken: choice != last) == .ours { return delivered(name) }
        }
        return .retryable(NameChoice.exhausted(folder + last))
    }

    private func delivered(_ name: String) -> DeliveryOutcome {
        .delivered(Receipt(key: name, size: job.photo.size, sha256: job.photo.sha256))
    }

    /// Where a name like it is taken already, it is asked before the bytes are sent once more.
    private func place(
        _ name: String, _ sha256: SHA256Digest, mayBeTaken: Bool = false
    ) async throws -> Placing {
        let key = address.prefix + name
        if job.photo.size > Self.largestSingle { return try await putParts(key, sha256) }
        let content = S3Content(
            file: FileSlice(path: path, count: job.photo.size), sha256: sha256, type: ContentType.of(name))
        let habits = try await habit.found(client, address.prefix, names)
        if !habits.verifies, try await reader.digest(path) != sha256 {
            throw Undeliverable(outcome: SpooledPhoto.damaged(path))
        }
        // Some stores put parts together over what came meanwhile, so of two that want one name one waits.
        return try await names.holding(key) {
            // What does not refuse is asked: then only what others put in the same instant can be replaced.
            if !habits.refusesToReplace || mayBeTaken, let object = try await client.head(key) {
                return try await settled(key, object)
            }
            return try await put(key, content, refusesToReplace: habits.refusesToReplace)
        }
    }

    /// In one request.
    private func put(
        _ key: String, _ content: S3Content, refusesToReplace: Bool
    ) async throws -> Placing {
        for isLast in [false, true] {
            do throws(S3Failure) {
                try await client.put(
                    key, content, refusesToReplace: refusesToReplace, onSent: onMoved)
                return .ours
            } catch {
                switch error {
                case .refused(let refusal) where refusal.meansTaken:
                    if let object = try await client.head(key) { return try await settled(key, object) }
                    // Gone again: once more, and then somebody else works on it.
                    if isLast { throw error }
                case .noAnswer(let failure) where failure.isAmbiguous:
                    return try await asked(key, after: error)
                case .noAnswer, .refused, .notAStore: throw error
                }
            }
        }
        preconditionFailure("the second try returns or throws")
    }

    /// Everything was sent and no answer came. What lies there is asked; if nothing does, what went wrong is what counts.
    func asked(_ key: String, after failure: S3Failure) async throws(S3Failure) -> Placing {
        let object: S3Object?
        do throws(S3Failure) {
            object = try await client.head(key)
        } catch {
            throw failure
        }
        guard let object else { throw failure }
        return try await settled(key, object)
    }

    func settled(_ key: String, _ object: S3Object) async throws(S3Failure) -> Placing {
        try await isTwin(key, object) ? .ours : .taken
    }

    /// Whether this very photo lies there: as large, and with its SHA-256 by the store's own reckoning, by our note
    /// beside it, or as it is read back.
    private func isTwin(_ key: String, _ object: S3Object) async throws(S3Failure) -> Bool {
        guard object.size == job.photo.size else { return false }
        if let checksum = object.checksum {
            return checksum == SHA256Digest(hex: job.photo.sha256).map { Base64.text($0.bytes) }
        }
        // What is delivered again was found to be gone or altered there, whatever was noted beside it then.
        if job.formerName == nil, let noted = object.noted { return noted.lowercased() == job.photo.sha256 }
        let hash = SHA256()
        var position: UInt64 = 0
        while position < object.size {
            let end = min(position + Self.pieceRead, object.size)
            hash.update(try await client.read(key, position..<end, etag: object.etag))
            position = end
        }
        return "\(hash.finish())" == job.photo.sha256
    }
}

/// What is found out once about a store.
final class StoreHabit: Sendable {
    private let habits = Mutex<S3Habits?>(nil)

    func found(_ client: S3Client, _ prefix: String, _ names: NamesInHand) async throws -> S3Habits {
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

extension S3Refusal {
    /// Somebody has the name, or is about to.
    var meansTaken: Bool {
        code == "PreconditionFailed" || code == "ConditionalRequestConflict" || status == 412
    }
}
