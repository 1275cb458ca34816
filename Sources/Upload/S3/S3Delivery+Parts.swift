import Basics
import Bridge
import Digest
import S3

/// What is large is sent in parts, and what has arrived of it is not sent again after a restart.
extension S3Delivery {
    /// "5 MiB" is the least that stores take; on a slow uplink a smaller part loses less when it is cut.
    static let smallestPart: UInt64 = 8 << 20
    /// Of one photo: more photos at a time are better than more parts of one.
    private static let partsAtATime = 2

    static func partSize(of size: UInt64) -> UInt64 {
        let least = (size + UInt64(S3Client.mostParts) - 1) / UInt64(S3Client.mostParts)
        return max(1, (least + smallestPart - 1) / smallestPart) * smallestPart
    }

    func putParts(_ key: String, _ sha256: SHA256Digest) async throws -> Placing {
        var note = memory.note(of: job)
        if note?.upload.key != key { note = nil }
        let partSize = note?.partSize ?? Self.partSize(of: job.photo.size)
        let slices = PartSlices(
            path: path, size: job.photo.size, partSize: partSize,
            digests: try await reader.parts(job, of: partSize))
        var upload = note?.upload
        var there: [Int: S3Part] = [:]
        if let known = upload {
            if let parts = try await client.parts(of: known) {
                // Some stores list a part that was sent twice twice.
                for part in parts where slices.hold(part) { there[part.number] = slices.named(part) }
            } else {
                // The store knows nothing of it any more.
                upload = nil
            }
        }
        let begun: S3Upload
        if let upload { begun = upload } else { begun = try await begin(key, sha256, partSize) }
        let sent: [S3Part]
        do {
            sent = try await send(slices, without: Set(there.keys), to: begun)
        } catch let error as S3Failure {
            // Gone while it was in hand: the next try begins anew.
            if error.endsUpload { try await memory.forget(job) }
            throw error
        }
        return try await complete(begun, (there.values + sent).sorted { $0.number < $1.number })
    }

    private func begin(_ key: String, _ sha256: SHA256Digest, _ partSize: UInt64) async throws -> S3Upload {
        let upload = try await client.begin(key, sha256: sha256, type: ContentType.of(key))
        do {
            try await memory.remember(PartsNote(upload: upload, partSize: partSize), of: job)
        } catch {
            // Without its note it could never be ended later.
            try await client.abort(upload)
            throw error
        }
        return upload
    }

    private func send(
        _ slices: PartSlices, without there: Set<Int>, to upload: S3Upload
    ) async throws -> [S3Part] {
        var rest = (1...slices.count).filter { !there.contains($0) }[...]
        return try await withThrowingTaskGroup(of: S3Part.self) { group in
            var sent: [S3Part] = []
            func next() {
                guard let number = rest.popFirst() else { return }
                group.addTask {
                    try await client.put(
                        part: number, slices.slice(number), sha256: slices.digest(number), to: upload,
                        onSent: onMoved)
                }
            }
            for _ in 0..<Self.partsAtATime { next() }
            while let part = try await group.next() {
                sent.append(part)
                next()
            }
            return sent
        }
    }

    private func complete(_ upload: S3Upload, _ parts: [S3Part]) async throws -> Placing {
        // Some stores look whether the name is taken only when they begin.
        try await names.holding(upload.key) {
            if try await client.head(upload.key) != nil { return Placing.taken(nil) }
            do throws(S3Failure) {
                try await client.complete(upload, parts)
            } catch {
                guard let placing = Placing(error) else { throw error }
                return placing
            }
            try await memory.forget(job)
            return .done
        }
    }

    /// What was begun for a name that is not needed any more.
    func drop(_ key: String) async throws {
        guard let note = memory.note(of: job), note.upload.key == key else { return }
        try await client.abort(note.upload)
        try await memory.forget(job)
    }
}

/// A photo in parts, from 1 on.
private struct PartSlices {
    let path: String
    let size: UInt64
    let partSize: UInt64
    let digests: [SHA256Digest]

    var count: Int { digests.count }

    func slice(_ number: Int) -> FileSlice {
        let start = UInt64(number - 1) * partSize
        return FileSlice(path: path, offset: start, count: min(partSize, size - start))
    }

    func digest(_ number: Int) -> SHA256Digest { digests[number - 1] }

    /// With its checksum, which some stores want to hear and do not tell.
    func named(_ part: S3Part) -> S3Part {
        var part = part
        part.checksum = Base64.text(digest(part.number).bytes)
        return part
    }

    /// Whether it is this very part that the store has.
    func hold(_ part: S3Part) -> Bool {
        guard (1...count).contains(part.number), part.size == slice(part.number).count else { return false }
        return part.checksum.map { $0 == Base64.text(digest(part.number).bytes) } ?? true
    }
}
