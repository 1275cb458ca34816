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

    /// Gives a file another name, in this folder or another one of the same file system. Replaces nothing: false when
    /// the new name is taken, and then nothing has changed.
    package func move(
        _ name: String, to other: Directory, as newName: String
    ) throws(SystemError) -> Bool {
        Self.requireComponent(name)
        Self.requireComponent(newName)
        return try Self.unlessTaken { () throws(SystemError) in
            try check("moving to \(other.path)/\(newName)", on: "\(path)/\(name)") {
                tl_rename_without_replacing(number, name, other.number, newName)
            }
        }
    }

    /// A second name for the same file. Replaces nothing: false when that name is taken.
    package func link(
        _ name: String, to other: Directory, as newName: String
    ) throws(SystemError) -> Bool {
        Self.requireComponent(name)
        Self.requireComponent(newName)
        return try Self.unlessTaken { () throws(SystemError) in
            try check("linking to \(other.path)/\(newName)", on: "\(path)/\(name)") {
                linkat(number, name, other.number, newName, 0)
            }
        }
    }

    private static func unlessTaken(_ body: () throws(SystemError) -> Int32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try body()
            return true
        } catch {
            if error.number == EEXIST { return false }
            throw error
        }
    }

    /// The bytes of the file system it is on: those that this user may still fill, and all.
    package func space() throws(SystemError) -> (free: UInt64, total: UInt64) {
        var facts = statvfs()
        try check("statvfs", on: path) { fstatvfs(number, &facts) }
        // A file system in user space may say anything.
        func bytes(_ blocks: UInt64) -> UInt64 {
            let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: UInt64(facts.f_frsize))
            return isTooMany ? .max : bytes
        }
        return (bytes(UInt64(facts.f_bavail)), bytes(UInt64(facts.f_blocks)))
    }

    /// What is known of the folder itself.
    package func facts() throws(SystemError) -> FileFacts {
        var facts = stat()
        try check("stat", on: path) { fstat(number, &facts) }
        return FileFacts(facts)
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
        try list(limit: limit).map(\.name)
    }

    /// The same with what each of them is. Most file systems say it with the name; of others each file is looked at.
    package func kinds(limit: Int) throws(SystemError) -> [(name: String, kind: FileFacts.Kind)] {
        var kinds: [(name: String, kind: FileFacts.Kind)] = []
        for (name, type) in try list(limit: limit) {
            var kind = FileFacts.Kind(type)
            if kind == nil { kind = try facts(of: name)?.kind }
            // One that is not there any more has none.
            if let kind { kinds.append((name, kind)) }
        }
        return kinds
    }

    private func list(limit: Int) throws(SystemError) -> [(name: String, type: UInt8)] {
        // A copy, because closing the stream closes its descriptor.
        let copy = try check("opening the folder", on: path) {
            tl_openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw SystemError("reading the folder", errno, on: path)
        }
        defer { closedir(stream) }
        var list: [(name: String, type: UInt8)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard list.count < limit else { throw SystemError("reading the folder", E2BIG, on: path) }
            list.append((name, entry.pointee.d_type))
        }
        return list.sorted { $0.name < $1.name }
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

        /// As `readdir(3)` says it; nothing where it leaves it open.
        init?(_ type: UInt8) {
            switch Int(type) {
            case DT_UNKNOWN: return nil
            case DT_REG: self = .file
            case DT_DIR: self = .folder
            default: self = .other
            }
        }
    }

    package let kind: Kind
    package let size: UInt64
    package let modified: Int64
    /// What it takes of the disk.
    package let allocated: UInt64
    /// The user whose it is.
    package let owner: UInt32
    package let group: UInt32
    /// Users beside the owner may write to it: its group, or all.
    package let isWritableByOthers: Bool
    /// Who may read, write and run it, as `chmod(1)` has it.
    package var rights: UInt32

    /// Of what a link leads to; nothing where nothing is there.
    package init?(at path: String) throws(SystemError) {
        var facts = stat()
        do throws(SystemError) {
            try check("stat", on: path) { stat(path, &facts) }
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        self.init(facts)
    }

    init(_ facts: stat) {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        default: kind = .other
        }
        size = UInt64(max(0, facts.st_size))
        modified = Int64(facts.st_mtim.tv_sec)
        // "Number of 512 B blocks allocated" (stat(2)).
        allocated = UInt64(max(0, facts.st_blocks)) * 512
        owner = facts.st_uid
        group = facts.st_gid
        isWritableByOthers = facts.st_mode & (S_IWGRP | S_IWOTH) != 0
        rights = facts.st_mode & 0o777
    }
}

extension Directory {
    /// The path from the root on, whether the folder is there or not; nothing where the working folder is gone.
    package static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard !path.isEmpty, let here = getcwd(nil, 0) else { return nil }
        defer { free(here) }
        return "\(String(cString: here))/\(path)"
    }

    /// The folder of a file and its name in there; nothing for what names no file.
    package static func place(of file: String) -> (folder: String, name: String)? {
        guard let path = absolute(file), let slash = path.lastIndex(of: "/") else { return nil }
        let name = String(path[path.index(after: slash)...])
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// Whether files could be put into a folder, or the folder could be made: of what is not there yet, what is above it is
    /// asked.
    package static func checkWritable(_ path: String) throws(SystemError) {
        var path = path
        while true {
            if let facts = try FileFacts(at: path) {
                guard facts.kind == .folder else { throw SystemError("writing into it", ENOTDIR, on: path) }
                let known = path
                try check("writing into the folder", on: known) { access(known, W_OK | X_OK) }
                return
            }
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            guard let slash = path.lastIndex(of: "/") else { return }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }

    /// Where links lead; the path itself where nothing is there yet.
    package static func target(of path: String) throws(SystemError) -> String {
        guard let target = realpath(path, nil) else {
            let problem = errno
            if problem == ENOENT { return path }
            throw SystemError("following links", problem, on: path)
        }
        defer { free(target) }
        return String(cString: target)
    }

    /// The folder in which the file itself is that links lead to, and its name there.
    package static func following(_ path: String) throws(SystemError) -> (folder: Directory, name: String) {
        let parts = try target(of: path).split(separator: "/", omittingEmptySubsequences: false)
        return (
            try Directory(path: parts.dropLast().joined(separator: "/") + "/"), String(parts.last ?? "")
        )
    }
}
