import Posix

/// Objects as files, read-only: `ab/cd/abcd…`, so that no folder grows large. Everything here blocks, and makes
/// nothing.
struct ObjectTree: Sendable {
    let path: String

    /// Of one folder: 65,536 of them make a gallery far larger than one disk.
    static let mostNames = 1 << 20

    static func folders(of key: String) -> (first: String, second: String) {
        ObjectKey.require(key)
        // By bytes: a key is ASCII, and characters cost ten times as much.
        let bytes = key.utf8
        return (String(Substring(bytes.prefix(2))), String(Substring(bytes.dropFirst(2).prefix(2))))
    }

    func folder(of key: String) -> String {
        let (first, second) = Self.folders(of: key)
        return "\(path)/\(first)/\(second)"
    }

    func path(of key: String) -> String { "\(folder(of: key))/\(key)" }

    /// Nothing when it is not there.
    func size(of key: String) throws(SystemError) -> UInt64? {
        do throws(SystemError) {
            return try ReadableFile.size(of: path(of: key))
        } catch {
            if error.kind == .missing { return nil }
            throw error
        }
    }

    /// Nothing when it has another size.
    func read(_ key: String, _ part: Range<UInt64>, ofSize size: UInt64) throws(SystemError) -> [UInt8]? {
        let file = try ReadableFile(path: path(of: key))
        return file.size == size ? try file.read(part) : nil
    }

    /// In the order of their keys, from behind that one on.
    func objects(after last: String?, limit: Int) throws(SystemError) -> [ListedObject] {
        var found: [ListedObject] = []
        let last = last ?? ""
        for first in try Self.folderNames(path) where first >= last.prefix(2) {
            for second in try Self.folderNames("\(path)/\(first)") where first + second >= last.prefix(4) {
                let names = try Self.names("\(path)/\(first)/\(second)")
                for name in names where name > last && ObjectKey.isKey(name) {
                    if found.count == limit { return found }
                    // Some go while they are listed.
                    if let size = try size(of: name) { found.append(ListedObject(key: name, size: size)) }
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

/// What lies in a folder, beside a gallery that may be running on it.
package struct FolderObjects: ObjectList {
    let tree: ObjectTree
    private let threads = DiskThreads(count: 1)

    package init(path: String) {
        tree = ObjectTree(path: path)
    }

    package func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
        let tree = tree
        return try await threads.store { () throws(SystemError) in
            try tree.objects(after: after, limit: limit)
        }
    }
}
