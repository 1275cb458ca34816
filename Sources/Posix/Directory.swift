import CLinux
import Glibc

/// A folder that is held open, so that names inside it mean the same folder whatever happens to the path.
///
/// Names given to it are single components: nothing here follows a slash, and no link is ever followed.
package final class Directory: Sendable {
    package let path: String
    private let descriptor: OwnedDescriptor

    /// Opens a folder that is there.
    package init(path: String) throws(SystemError) {
        self.path = path
        let number = try check("opening the folder", on: path) {
            tl_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        descriptor = OwnedDescriptor(owning: number)
    }

    private init(path: String, owning number: Int32) {
        self.path = path
        descriptor = OwnedDescriptor(owning: number)
    }

    var number: Int32 { descriptor.number }

    /// Makes every folder of a path that is missing, then opens the last.
    package static func make(path: String, mode: UInt32 = 0o777) throws(SystemError) -> Directory {
        var prefix = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: false) {
            prefix +=
                prefix.isEmpty && component.isEmpty
                ? "/" : (prefix.hasSuffix("/") || prefix.isEmpty ? "" : "/")
            prefix += component
            if component.isEmpty || prefix == "/" { continue }
            try makeIfMissing(AT_FDCWD, prefix, mode, describedAs: prefix)
        }
        return try Directory(path: path.isEmpty ? "." : path)
    }

    /// A folder inside this one, made if it is missing. Throws when the name is taken by anything else, a link
    /// included.
    package func subdirectory(_ name: String, mode: UInt32 = 0o777) throws(SystemError) -> Directory {
        Self.requireComponent(name)
        let whole = "\(path)/\(name)"
        try Self.makeIfMissing(number, name, mode, describedAs: whole)
        let opened = try check("opening the folder", on: whole) {
            tl_openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        }
        return Directory(path: whole, owning: opened)
    }

    private static func makeIfMissing(
        _ parent: Int32, _ name: String, _ mode: UInt32, describedAs path: String
    ) throws(SystemError) {
        do throws(SystemError) {
            try check("making the folder", on: path) { mkdirat(parent, name, mode) }
        } catch {
            if error.number != EEXIST { throw error }
        }
    }

    /// After this the names in it survive a power cut.
    package func sync() throws(SystemError) {
        try check("fsync of the folder", on: path) { fsync(number) }
    }

    package func remove(_ name: String) throws(SystemError) {
        Self.requireComponent(name)
        try check("removing", on: "\(path)/\(name)") { unlinkat(number, name, 0) }
    }

    /// What is known of a file in here, without opening it; nothing when there is none.
    package func facts(of name: String) throws(SystemError) -> FileFacts? {
        Self.requireComponent(name)
        var facts = stat()
        do throws(SystemError) {
            try check("stat", on: "\(path)/\(name)") { fstatat(number, name, &facts, AT_SYMLINK_NOFOLLOW) }
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        return FileFacts(facts)
    }

    /// The names in it, sorted, without `.` and `..`; more than `limit` is an error.
    package func names(limit: Int) throws(SystemError) -> [String] {
        // A copy, because closing the stream closes its descriptor.
        let copy = try check("opening the folder", on: path) {
            tl_openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw SystemError("reading the folder", errno, on: path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard names.count < limit else { throw SystemError("reading the folder", E2BIG, on: path) }
            names.append(name)
        }
        return names.sorted()
    }

    static func requireComponent(_ name: String) {
        precondition(
            !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/")),
            "a name inside a folder is one component")
    }
}

/// What `stat(2)` says.
package struct FileFacts: Equatable, Sendable {
    package enum Kind: Sendable {
        case file
        case folder
        case other
    }

    package let kind: Kind
    package let size: UInt64
    package let modified: Int64

    init(_ facts: stat) {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        default: kind = .other
        }
        size = UInt64(max(0, facts.st_size))
        modified = Int64(facts.st_mtim.tv_sec)
    }
}
