import Glibc
import Posix
import Synchronization

/// Changes a folder of objects: they come by `incoming`, for what is not whole yet. Everything here blocks.
final class ObjectFolder: Sendable {
    let tree: ObjectTree
    let incoming: Directory
    private let root: Directory
    /// Folders of which it is known that their own names survive a power cut.
    private let lasting = Mutex<Set<String>>([])

    private static let incomingName = "incoming"

    /// Makes it where it is not there, and takes away what a former run left half done.
    init(path: String) throws(SystemError) {
        // Renderers work in another folder.
        let path = Directory.absolute(path) ?? path
        tree = ObjectTree(path: path)
        root = try Directory.make(path: path, mode: 0o700)
        incoming = try root.subdirectory(Self.incomingName, mode: 0o700)
        for name in try incoming.names(limit: ObjectTree.mostNames) { try incoming.remove(name) }
        try root.sync()
    }

    var incomingPath: String { "\(tree.path)/\(Self.incomingName)" }

    /// Gives a whole file in `incoming` its place; false when something lies there, and then nothing has changed. The
    /// bytes have been synced before.
    func publish(_ name: String, as key: String) throws(SystemError) -> Bool {
        let folder = try makeFolder(of: key)
        guard try incoming.move(name, to: folder, as: key) else { return false }
        try folder.sync()
        return true
    }

    func remove(_ key: String) throws(SystemError) {
        do throws(SystemError) {
            let folder = try Directory(path: tree.folder(of: key))
            try folder.remove(key)
            try folder.sync()
        } catch {
            if error.kind != .missing { throw error }
        }
    }

    /// The folder of a key, made where it is missing. Another thread may have made it a moment ago and not have synced
    /// it yet, so the first call in this process syncs what is above it.
    private func makeFolder(of key: String) throws(SystemError) -> Directory {
        let (first, second) = ObjectTree.folders(of: key)
        let upper = try root.subdirectory(first, mode: 0o700)
        let folder = try upper.subdirectory(second, mode: 0o700)
        let name = first + second
        if !lasting.withLock({ $0.contains(name) }) {
            try upper.sync()
            try root.sync()
            lasting.withLock { _ = $0.insert(name) }
        }
        return folder
    }
}

extension StorageProblem {
    /// What the disk said, by what it means here.
    init(_ error: SystemError) {
        switch error.kind {
        case .noRoom: self.init(.noRoom, "\(error)")
        case .missing: self.init(.missing, "\(error)")
        case .notAllowed: self.init(.refused, "\(error)")
        case .tooLarge, .failing, .tooManyOpen, .other: self.init(.unavailable, "\(error)")
        }
    }
}
