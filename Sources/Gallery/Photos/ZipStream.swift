import Basics
import HTTPServer
import Synchronization

/// An archive that is made while it is sent: nothing of it is ever on a disk, and one piece of one file in memory.
final class ZipStream: BodySource {
    private struct State {
        var archive: ZipAssembler
        /// What is to go out before anything else.
        var pending: ArraySlice<UInt8> = []
        /// What lies where the file that passes was found.
        var object: StoredObject?
    }

    private let state: Mutex<State>
    let length: UInt64
    private let storage: any ObjectStorage
    private let time: any TimeSource
    private let isThere: @Sendable (ZipEntry) async throws -> Bool
    private let onCut: @Sendable (any Error) -> Void

    /// Its length was said, so that nothing can be left out of it any more.
    struct Deleted: Error, CustomStringConvertible {
        let entry: ZipEntry

        var description: String {
            "'\(entry.name)' was deleted while it was under way; ask for the archive anew"
        }
    }

    /// Of a bucket each piece is a request, and so many streams may be under way that they are not larger.
    static let piece: UInt64 = 2 << 20
    /// A bucket that has much to do says so, and means "in a moment": half a wedding need not be fetched again for that.
    private static let pauses: [Duration] = [.seconds(1), .seconds(4)]

    /// Before every piece `isThere` says whether that photo has not been deleted meanwhile. `onCut` is told why an archive
    /// has no end.
    init(
        _ entries: [ZipEntry], from storage: any ObjectStorage, time: any TimeSource,
        isThere: @escaping @Sendable (ZipEntry) async throws -> Bool = { _ in true },
        onCut: @escaping @Sendable (any Error) -> Void
    ) {
        let archive = ZipAssembler(entries, piece: Self.piece)
        length = archive.length
        state = Mutex(State(archive: archive))
        self.storage = storage
        self.time = time
        self.isThere = isThere
        self.onCut = onCut
    }

    func read(into memory: UnsafeMutableRawBufferPointer) async throws -> Int {
        do {
            while true {
                if let count = state.withLock({ $0.pending.give(to: memory) }) { return count }
                switch try state.withLock({ try $0.archive.next() }) {
                case .bytes(let bytes): state.withLock { $0.pending = bytes[...] }
                case .part(let entry, let part):
                    let bytes = try await self.bytes(of: entry, part)
                    state.withLock { state in
                        state.archive.passed(bytes)
                        state.pending = bytes[...]
                    }
                case .end: return 0
                }
            }
        } catch {
            // Who has left needs no reason.
            if !Task.isCancelled { onCut(error) }
            throw error
        }
    }

    private func bytes(of entry: ZipEntry, _ part: Range<UInt64>) async throws -> [UInt8] {
        guard try await isThere(entry) else { throw Deleted(entry: entry) }
        if part.lowerBound == 0 {
            let found = try await patiently { () throws(StorageProblem) in try await storage.look(entry.key) }
            guard let found else {
                throw StorageProblem(
                    .missing,
                    "'\(entry.name)' (object \(entry.key)) is missing; put it back from a backup, or delete the photo"
                )
            }
            guard found.size == entry.size else { throw ZipAssembler.Damaged(entry: entry) }
            state.withLock { $0.object = found }
        }
        guard let object = state.withLock(\.object) else {
            preconditionFailure("a file's first part is asked for before its others")
        }
        return try await patiently { () throws(StorageProblem) in
            try await storage.read(entry.key, part, of: object)
        }
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

    func close() {
        state.withLock { state in
            state.pending = []
            state.object = nil
        }
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
