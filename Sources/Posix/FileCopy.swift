import CLinux
import Glibc

/// Copies a file the cheapest way that its file systems offer.
package enum FileCopy {
    package enum Way: Int, Comparable, Sendable {
        /// Both files share their blocks: no byte moves.
        case reflink
        /// `copy_file_range(2)`: no byte comes into this process.
        case kernel
        /// Read and written.
        case bytes

        package static func < (left: Way, right: Way) -> Bool { left.rawValue < right.rawValue }
    }

    /// So much is read and written at once.
    private static let bufferSize: UInt64 = 1 << 20

    /// All of `source`, as large as it was when it was opened; a file that has another size by now is an error. What
    /// the target held is gone. Looks at `isCancelled` between pieces, tells of the bytes of each, and says how it was done.
    package static func copy(
        _ source: ReadableFile, to target: StagedFile, inPieces piece: UInt64,
        startingWith first: Way = .reflink, isCancelled: () -> Bool, onCopied: (UInt64) -> Void = { _ in }
    ) throws -> Way {
        precondition(piece > 0, "a piece has bytes")
        try target.truncate(to: 0)
        if isCancelled() { throw CancellationError() }
        // Whatever keeps the first way from working keeps it from changing anything, and real trouble comes again with
        // the next one.
        if first == .reflink, source.size > 0, tl_reflink(target.number, source.number) == 0 {
            try requireSize(of: source, is: try target.size())
            onCopied(source.size)
            return .reflink
        }
        var done: UInt64 = 0
        var way = max(first, .kernel)
        while true {
            let count =
                way == .kernel
                ? try copyInKernel(source, target, done, piece) : try copyBytes(source, target, done, piece)
            guard let count else {
                way = .bytes
                continue
            }
            done += count
            onCopied(count)
            // One piece more than there should be is enough to know.
            if count == 0 || done > source.size { break }
            if isCancelled() { throw CancellationError() }
        }
        try requireSize(of: source, is: done)
        return way
    }

    private static func requireSize(of source: ReadableFile, is count: UInt64) throws(SystemError) {
        guard count == source.size else {
            throw SystemError("copying a file whose size has changed meanwhile", EIO, on: source.path)
        }
    }

    /// How many bytes went, fewer than a piece perhaps, none at the end; nothing where the kernel cannot do it.
    private static func copyInKernel(
        _ source: ReadableFile, _ target: StagedFile, _ offset: UInt64, _ piece: UInt64
    ) throws(SystemError) -> UInt64? {
        do throws(SystemError) {
            let count = try check("copying \(source.path)", on: target.path) {
                tl_copy_range(
                    source.number, Int64(offset), target.number, Int64(offset), Int(clamping: piece))
            }
            // Some file systems say that there is nothing where there is; reading decides.
            return count == 0 && offset < source.size ? nil : UInt64(count)
        } catch {
            switch error.number {
            case EXDEV, ENOSYS, EINVAL, EOPNOTSUPP, EPERM, ETXTBSY: return nil
            default: throw error
            }
        }
    }

    private static func copyBytes(
        _ source: ReadableFile, _ target: StagedFile, _ offset: UInt64, _ piece: UInt64
    ) throws(SystemError) -> UInt64 {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(piece, bufferSize)), alignment: MemoryLayout<UInt>.alignment)
        defer { memory.deallocate() }
        var done: UInt64 = 0
        while done < piece {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: memory.prefix(Int(min(piece - done, UInt64(memory.count)))))
            let count = try check("reading", on: source.path) {
                pread(source.number, room.baseAddress, room.count, off_t(offset + done))
            }
            if count == 0 { break }
            try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset + done)
            done += UInt64(count)
        }
        return done
    }
}
