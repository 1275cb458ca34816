import Basics
import Bridge
import S3
import Synchronization

/// What a job has to remember while its photo is sent in parts.
struct PartsNote: Equatable {
    let upload: S3Upload
    let partSize: UInt64

    var text: String {
        JSONValue.object([
            (key: "upload", value: .string(upload.id)), (key: "key", value: .string(upload.key)),
            (key: "part", value: .unsigned(partSize)),
        ]).compact
    }

    init(upload: S3Upload, partSize: UInt64) {
        self.upload = upload
        self.partSize = partSize
    }

    /// Nothing for what is no such note: then it is begun anew.
    init?(_ text: String) {
        let members: [(key: String, value: JSONValue)]
        do throws(JSON5Error) {
            guard case .object(let found) = try JSON5.parse(text) else { return nil }
            members = found
        } catch {
            return nil
        }
        func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }
        guard case .string(let id) = value("upload"), case .string(let key) = value("key") else { return nil }
        switch value("part") {
        case .integer(let size) where size > 0: partSize = UInt64(size)
        case .unsigned(let size) where size > 0: partSize = size
        default: return nil
        }
        // As we make them: the hashing of parts goes by that.
        guard partSize.isMultiple(of: S3Delivery.smallestPart) else { return nil }
        upload = S3Upload(key: key, id: id)
    }
}

/// The notes of jobs: those in the ledger, and those of this run, which a job in hand does not know yet.
final class UploadMemory: Sendable {
    private let notes: any JobNotes
    /// Nothing for a job whose note does not count any more.
    private let fresh = Mutex<[JobID: PartsNote?]>([:])

    init(notes: any JobNotes) {
        self.notes = notes
    }

    func note(of job: Job) -> PartsNote? {
        if let known = fresh.withLock({ $0[job.id] }) { return known }
        return job.note.flatMap { PartsNote($0) }
    }

    /// Durable when it returns, so that no upload is begun that is unknown after a crash.
    func remember(_ note: PartsNote, of job: Job) async throws {
        try await notes.note(note.text, of: job.id)
        fresh.withLock { $0[job.id] = .some(note) }
    }

    func forget(_ job: Job) async throws {
        guard note(of: job) != nil else { return }
        fresh.withLock { $0[job.id] = .some(nil) }
        try await notes.note(nil, of: job.id)
    }
}
