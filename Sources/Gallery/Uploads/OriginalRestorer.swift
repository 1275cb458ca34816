import Posix

/// The original of a photo whose bytes have come once more: where the storage has lost it, it is put there again. Only the
/// storage changes: a key stands for the same bytes for ever.
struct OriginalRestorer {
    let key: String
    let size: UInt64
    let type: String

    private static let piece: UInt64 = 8 << 20

    /// Says whether it was lost.
    func restore(from other: String, in storage: any ObjectStorage) async throws -> Bool {
        let found = try await storage.look(key)
        guard found?.size != size else { return false }
        if found != nil { try await storage.remove(key) }
        let name = "\(other).again"
        try await storage.withFile(other) { file in
            let copy = try StagedFile(in: Directory(path: storage.workshop), partialName: name)
            _ = try FileCopy.copy(ReadableFile(path: file), to: copy, inPieces: Self.piece) {
                Task.isCancelled
            }
        }
        try await storage.keep("\(storage.workshop)/\(name)", as: key, type: type)
        return true
    }
}
