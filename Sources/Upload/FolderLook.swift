import Bridge
import Posix

/// What lies in a folder under a receipt's name, on a thread that may block.
actor FolderLook {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// The folder of the destination itself.
    private let top: FolderTop

    init(top: FolderTop, executor: any SerialExecutor) {
        self.top = top
        self.executor = executor
    }

    func standing(of receipt: Receipt) -> Standing {
        guard let name = receipt.name else { return .notCheckable("its receipt names no file") }
        do {
            // A folder that is not there may be a disk that is not mounted, which says nothing of a photo.
            try top.check()
            _ = try Directory(path: top.path)
        } catch {
            return .unanswered("\(error)")
        }
        do {
            let file = try ReadableFile(path: path(of: name))
            return try receipt.standing(ofSize: file.size) ?? receipt.standing(ofDigest: "\(file.digest())")
        } catch let error as SystemError where error.kind == .missing {
            return .gone
        } catch {
            return .unanswered("\(error)")
        }
    }

    /// Why nothing can be put there.
    func obstacle() -> String? {
        do {
            _ = try top.open()
            try Directory.checkWritable(top.path)
            return nil
        } catch {
            return "\(error)"
        }
    }

    func read(_ receipt: Receipt, _ take: (RawSpan) -> Bool) throws {
        guard let name = receipt.name else { throw NotReadable("its receipt names no file") }
        try ReadableFile(path: path(of: name)).pieces { take($0.bytes) }
    }

    /// Names in receipts were made by us, and are below the folder.
    private func path(of name: String) -> String { "\(top.path)/\(name)" }
}
