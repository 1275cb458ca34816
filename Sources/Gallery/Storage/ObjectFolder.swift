import Glibc
import Posix
import Synchronization

/// Objects as files: `ab/cd/abcd…`, so that no folder grows large, and `incoming` for what is not whole yet. Everything
/// here blocks.
final class ObjectFolder: Sendable {
    let path: String
    let incoming: Directory
    private let root: Directory
    /// Folders of which it is known that their own names survive a power cut.
    private let lasting = Mutex<Set<String>>([])

    private static let incomingName = "incoming"
    /// Of one folder: 65,536 of them make a gallery far larger than one disk.
    private static let mostNames = 1 << 20

    /// Makes it where it is not there, and takes away what a former run left half done; whoever only looks does that
    /// beside a gallery that runs.
    init(path: String, onlyLooks: Bool = false) throws(SystemError) {
        // Renderers work in another folder.
        let path = Directory.absolute(path) ?? path
        self.path = path
        root = try Directory.make(path: path, mode: 0o700)
        incoming = try root.subdirectory(Self.incomingName, mode: 0o700)
        if onlyLooks { return }
        for name in try incoming.names(limit: Self.mostNames) { try incoming.remove(name) }
        try root.sync()
    }

    var incomingPath: String { "\(path)/\(Self.incomingName)" }

    func path(of key: String) -> String {
        let (first, second) = Self.folders(of: key)
        return "\(path)/\(first)/\(second)/\(key)"
    }

    /// Nothing when it is not there.
    func size(of key: String) throws(SystemError) -> UInt64? {
        let file = path(of: key)
        var facts = stat()
        do throws(SystemError) {
            try check("stat", on: file) { lstat(file, &facts) }
        } catch {
            if error.kind == .missing { return nil }
            throw error
        }
        return UInt64(max(0, facts.st_size))
    }

    /// Gives a whole file in `incoming` its place; false when something lies there, and then nothing has changed. The
    /// bytes have been synced before.
    func publish(_ name: String, as key: String) throws(SystemError) -> Bool {
        let folder = try makeFolder(of: key)
        guard try incoming.move(name, to: folder, as: key) else { return false }
        try folder.sync()
        return true
    }

    func remove(_ key: String) throws(SystemError) {
        let (first, second) = Self.folders(of: key)
        do throws(SystemError) {
            let folder = try Directory(path: "\(path)/\(first)/\(second)")
            try folder.remove(key)
            try folder.sync()
        } catch {
            if error.kind != .missing { throw error }
        }
    }

    /// The folder of a key, made where it is missing. Somebody else may have made it a moment ago and not have synced
    /// it yet, so whoever comes first in this process syncs what is above it.
    private func makeFolder(of key: String) throws(SystemError) -> Directory {
        let (first, second) = Self.folders(of: key)
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

    private static func folders(of key: String) -> (first: String, second: String) {
        ObjectKey.require(key)
        return (String(key.prefix(2)), String(key.dropFirst(2).prefix(2)))
    }
}

extension ObjectFolder {
    /// Keys in their order, from behind that one on.
    func keys(after last: String?, limit: Int) throws(SystemError) -> [String] {
        var found: [String] = []
        let last = last ?? ""
        for first in try Self.folderNames(path) where first >= last.prefix(2) {
            for second in try Self.folderNames("\(path)/\(first)") where first + second >= last.prefix(4) {
                let names = try Self.names("\(path)/\(first)/\(second)")
                for name in names where name > last && ObjectKey.isKey(name) {
                    if found.count == limit { return found }
                    found.append(name)
                }
            }
        }
        return found
    }

    private static func folderNames(_ path: String) throws(SystemError) -> [String] {
        try names(path).filter { $0.utf8.count == 2 }
    }

    private static func names(_ path: String) throws(SystemError) -> [String] {
        try Directory(path: path).names(limit: mostNames)
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
