import Basics
import Digest
import HTTPServer
import Synchronization

/// A part of an archive that is made while it is sent: nothing of it is ever on a disk, and one piece of one file in memory.
final class ZipStream: BodySource {
    private struct State {
        /// Of what is read next.
        var place: UInt64
        /// What is to go out before anything else.
        var pending: ArraySlice<UInt8> = []
        /// What lies where the file that passes was found.
        var object: (file: Int, found: StoredObject)?
        /// The CRC of what has passed of a file, from its first byte on.
        var passing: (file: Int, done: UInt64, crc: CRC32)?
        /// Whether it was said how much was handed on.
        var isClosed = false
        /// Given back at the end.
        var seat: ArchiveSeats.Seat?
    }

    /// What an archive asks of the gallery while it is sent.
    struct Questions: Sendable {
        /// Whether the client that reads may still have that file.
        var mayHave: @Sendable (ZipEntry) async throws -> Bool = { _ in true }
        /// The SHA-256 of what was uploaded, where it is known.
        var sha256: @Sendable (ZipEntry) async throws -> String? = { _ in nil }
        /// The CRC of a file that had none.
        var learned: @Sendable (ZipEntry, UInt32) async -> Void = { _, _ in }
        /// How many bytes of it were handed on when it was closed.
        var closed: @Sendable (UInt64) -> Void = { _ in }
        /// Why an archive has no end.
        var cut: @Sendable (any Error) -> Void
    }

    private let state: Mutex<State>
    private let layout: ZipLayout
    private let begin: UInt64
    private let end: UInt64
    private let storage: any ObjectStorage
    private let time: any TimeSource
    private let questions: Questions

    /// Its length was said, so that nothing can be left out of it any more.
    struct TakenBack: Error, CustomStringConvertible {
        let entry: ZipEntry

        var description: String {
            "'\(entry.name)' was deleted or taken back while it was under way; ask for the archive anew"
        }
    }

    struct Damaged: Error, CustomStringConvertible {
        let entry: ZipEntry

        var description: String {
            "'\(entry.name)' (object \(entry.key)) is not what was uploaded; put it back from a backup, or delete the photo"
        }
    }

    /// Of a bucket each piece is a request, and so many streams may be under way that they are not larger.
    static let piece: UInt64 = 2 << 20
    /// Lines of the directory are made so many bytes at a time.
    private static let linesAtOnce = 64 << 10
    /// A bucket that has much to do says so, and means "in a moment": half a wedding need not be fetched again for that.
    private static let pauses: [Duration] = [.seconds(1), .seconds(4)]

    /// Before every piece the gallery is asked whether that photo may still be had.
    init(
        _ layout: ZipLayout, _ part: Range<UInt64>, from storage: any ObjectStorage, time: any TimeSource,
        seat: ArchiveSeats.Seat? = nil, _ questions: Questions
    ) {
        precondition(part.upperBound <= layout.length, "a part of an archive ends within it")
        self.layout = layout
        begin = part.lowerBound
        end = part.upperBound
        state = Mutex(State(place: part.lowerBound, seat: seat))
        self.storage = storage
        self.time = time
        self.questions = questions
    }

    func read(into memory: UnsafeMutableRawBufferPointer) async throws -> Int {
        do {
            while true {
                if let count = state.withLock({ $0.pending.give(to: memory) }) { return count }
                let place = state.withLock(\.place)
                if place == end { return 0 }
                let bytes = try await bytes(at: place).prefix(Int(clamping: end - place))
                state.withLock { state in
                    state.pending = bytes
                    state.place += UInt64(bytes.count)
                }
            }
        } catch {
            // Who has left needs no reason.
            if !Task.isCancelled { questions.cut(error) }
            throw error
        }
    }

    private func bytes(at place: UInt64) async throws -> ArraySlice<UInt8> {
        switch layout.piece(at: place) {
        case .header(let file, let begin):
            return ZipBytes.header(layout.files[file], crc: try await crc(of: file))[begin...]
        case .part(let file, let rest):
            let most = min(Self.piece, end - place)
            let part = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + most)
            let bytes = try await bytes(of: file, part)
            try check(file, part, bytes)
            return bytes[...]
        case .line(let file, let begin): return try await lines(from: file)[begin...]
        case .end(let begin): return layout.ending[begin...]
        }
    }

    /// Some lines of the directory.
    private func lines(from first: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var file = first
        while file < layout.files.count, bytes.count < Self.linesAtOnce {
            bytes += ZipBytes.line(
                layout.files[file], at: layout.start(of: file), crc: try await crc(of: file))
            file += 1
        }
        return bytes
    }

    func close() {
        let sent = state.withLock { state -> UInt64? in
            let sent = state.isClosed ? nil : state.place - begin - UInt64(state.pending.count)
            state.pending = []
            state.object = nil
            state.seat = nil
            state.isClosed = true
            return sent
        }
        if let sent { questions.closed(sent) }
    }
}

// MARK: Files

extension ZipStream {
    private func bytes(of file: Int, _ part: Range<UInt64>) async throws -> [UInt8] {
        let entry = layout.files[file]
        guard try await questions.mayHave(entry) else { throw TakenBack(entry: entry) }
        let known = state.withLock { $0.object?.file == file ? $0.object?.found : nil }
        let object: StoredObject
        if let known { object = known } else { object = try await look(file) }
        return try await patiently { () throws(StorageProblem) in
            try await storage.read(entry.key, part, of: object)
        }
    }

    private func look(_ file: Int) async throws -> StoredObject {
        let entry = layout.files[file]
        let found = try await patiently { () throws(StorageProblem) in try await storage.look(entry.key) }
        guard let found else {
            throw StorageProblem(
                .missing,
                "'\(entry.name)' (object \(entry.key)) is missing; put it back from a backup, or delete the photo"
            )
        }
        guard found.size == entry.size else { throw Damaged(entry: entry) }
        state.withLock { $0.object = (file, found) }
        return found
    }

    private func patiently<Result>(_ work: () async throws(StorageProblem) -> Result) async throws -> Result {
        for pause in Self.pauses {
            do throws(StorageProblem) {
                return try await work()
            } catch {
                guard error.meaning == .unavailable, !Task.isCancelled else { throw error }
            }
            try await time.sleep(until: time.now + pause)
        }
        return try await work()
    }

    // MARK: CRCs

    /// A file that passes from its beginning to its end is held against its CRC before its last piece is sent: a client is
    /// not left to find out what is known here.
    private func check(_ file: Int, _ part: Range<UInt64>, _ bytes: [UInt8]) throws {
        let entry = layout.files[file]
        let sum = state.withLock { state -> UInt32? in
            if part.lowerBound == 0 { state.passing = (file, 0, CRC32()) }
            guard var passing = state.passing, passing.file == file, passing.done == part.lowerBound else {
                return nil
            }
            bytes.withUnsafeBytes { passing.crc.update($0) }
            passing.done = part.upperBound
            state.passing = passing
            return passing.done == entry.size ? passing.crc.value : nil
        }
        guard let sum, let known = layout.crc(of: file) else { return }
        guard sum == known else { throw Damaged(entry: entry) }
    }

    /// That of a photo from before CRCs were kept is made out of its bytes, once for all archives.
    private func crc(of file: Int) async throws -> UInt32 {
        let entry = layout.files[file]
        if let known = layout.crc(of: file) { return known }
        let hash = SHA256()
        var crc = CRC32()
        var done: UInt64 = 0
        while done < entry.size {
            let part = done..<min(done + Self.piece, entry.size)
            let bytes = try await bytes(of: file, part)
            hash.update(bytes)
            bytes.withUnsafeBytes { crc.update($0) }
            done = part.upperBound
        }
        // The CRC is that of what has passed, whatever it was, so that a damaged file would pass every later check.
        if let sha256 = try await questions.sha256(entry), "\(hash.finish())" != sha256 {
            throw Damaged(entry: entry)
        }
        let sum = crc.value
        layout.learn(sum, of: file)
        await questions.learned(entry, sum)
        return sum
    }
}

extension ArraySlice<UInt8> {
    /// Moves as much as fits; nothing when there is nothing.
    fileprivate mutating func give(to memory: UnsafeMutableRawBufferPointer) -> Int? {
        if isEmpty { return nil }
        let count = Swift.min(self.count, memory.count)
        memory.copyBytes(from: self[startIndex..<startIndex + count])
        removeFirst(count)
        return count
    }
}
