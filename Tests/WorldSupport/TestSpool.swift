import Basics
package import Bridge
import Digest
import Glibc
package import TestSupport

/// A spool with photos in it, and the jobs that deliver them.
package final class TestSpool: Sendable {
    package let folder: TemporaryFolder

    /// In memory where a test has thousands of photos and nothing to say about disks.
    package init(inMemory: Bool = false) throws {
        folder = try inMemory ? TemporaryFolder(in: TemporaryFolder.memory) : TemporaryFolder()
    }

    package var path: String { folder.path }

    /// A whole photo in the spool, and its job. Two photos may have one name, as two cameras give them.
    package func job(
        _ number: Int64, _ name: String, _ bytes: [UInt8], modified: Int64 = 1_700_000_000
    ) throws -> Job {
        let file = "\(number)"
        try folder.write(bytes, to: file)
        setModified(file, modified)
        return job(number, name, size: UInt64(bytes.count), sha256: "\(SHA256.of(bytes))")
    }

    /// A photo of zeros, which takes no time to make.
    package func largeJob(_ number: Int64, _ name: String, size: Int) throws -> Job {
        try folder.write([], to: "\(number)")
        guard truncate(folder.file("\(number)"), size) == 0 else {
            throw FileProblem(path: folder.file("\(number)"), number: errno)
        }
        let hasher = SHA256()
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<size >> 20 { hasher.update(piece) }
        hasher.update(Array(piece.prefix(size & (1 << 20 - 1))))
        return job(number, name, size: UInt64(size), sha256: "\(hasher.finish())")
    }

    private func job(_ number: Int64, _ name: String, size: UInt64, sha256: String) -> Job {
        Job(
            id: JobID(number), capture: CaptureID(number), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: "00000000-0000-4000-8000-\(100_000_000_000 + number)",
            attempts: 0, due: Timestamp(milliseconds: 0),
            photo: StagedPhoto(file: "\(number)", size: size, sha256: sha256),
            facts: NameTemplate.Facts(
                event: "Wedding", date: "2026-11-21", time: "185903", camera: "Z 9", serial: "6001234",
                sequence: number, name: name))
    }

    private func setModified(_ file: String, _ seconds: Int64) {
        let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
        utimensat(AT_FDCWD, folder.file(file), times, 0)
    }

    package func remove(_ job: Job) {
        remove(job.photo.file)
    }

    package func remove(_ file: String) {
        unlink(folder.file(file))
    }

    package func overwrite(_ job: Job, with bytes: [UInt8]) throws {
        try folder.write(bytes, to: job.photo.file)
    }
}

/// Bytes of which no piece is like another, and none like those of another seed.
package func photoBytes(_ seed: UInt64, _ count: Int = 100_000) -> [UInt8] {
    var random = Seeded(seed)
    return random.bytes(count)
}

/// Bytes of which no part of a photo is like another, sooner than `photoBytes` has so many.
package func partBytes(_ seed: UInt64, megabytes: Int) -> [UInt8] {
    var piece = photoBytes(seed, 1 << 20)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(megabytes << 20)
    for index in 0..<megabytes {
        piece[piece.count - 1] = UInt8(index & 255)
        bytes += piece
    }
    return bytes
}

/// It begins as a JPEG begins.
package func jpeg(_ seed: UInt64, _ count: Int = 300) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE1] + photoBytes(seed, count - 4)
}
