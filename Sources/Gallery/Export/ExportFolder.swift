import Basics
import Digest
import Glibc
import Posix
import Synchronization

/// The folder that an event is exported to. Everything here blocks. No link in it is followed, and what has a name that the
/// export does not need is not touched.
///
/// Files are made in a folder of their own, and have their names only when they are whole and on the disk.
final class ExportFolder: Sendable {
    let root: Directory
    let journal: ExportJournal
    private let work: Directory
    private let lock: FileLock
    private let parts = Atomic<Int>(0)
    /// Folders in which names have changed.
    private let changed = Mutex<Set<String>>([])

    static let workName = ".gallery-export"
    private static let aboutName = "about.json"
    /// 2: with pages of sections, which a program of before would leave behind.
    private static let format: Int64 = 2
    /// What file systems and desktops put into every folder.
    private static let ofSystems: Set = [
        "lost+found", "System Volume Information", "$RECYCLE.BIN", ".Trashes", ".fseventsd",
        ".Spotlight-V100", ".DS_Store", ".TemporaryItems",
    ]
    private static let mostNames = 10_000
    private static let longestAbout: UInt64 = 64 << 10

    /// Begins an export there, or goes on with one of the same event.
    init(_ path: String, of event: Event) throws {
        root = try Directory.make(path: path)
        let names = try root.names(limit: Self.mostNames)
        let others = names.filter {
            $0 != Self.workName && !Self.ofSystems.contains($0) && !$0.hasPrefix(".Trash-")
        }
        guard others.isEmpty || names.contains(Self.workName) else {
            throw ExportRefusal(
                "\(path) is not empty, and is no export of an event: '\(others[0])' is in it; name an empty folder"
            )
        }
        work = try root.subdirectory(Self.workName)
        do throws(FileLock.Failure) {
            lock = try FileLock(path: "\(work.path)/lock")
        } catch {
            switch error {
            case .held: throw ExportRefusal("another 'gallery export' works on \(path)", isBusy: true)
            case .system(let error): throw error
            }
        }
        let about = try Self.about(work)
        if let about {
            try Self.check(about, event, path)
        } else if let other = others.first {
            throw ExportRefusal(
                "\(path) is not empty, and does not say what it is an export of: '\(other)' is in it; name an empty folder"
            )
        }
        if about?["format"]?.integer != Self.format {
            let about: JSONValue = [
                "format": .integer(Self.format), "event": .string(event.id), "name": .string(event.name),
            ]
            try writeAtomically(Array(about.compact.utf8), to: Self.aboutName, in: work, mode: 0o644)
            try root.sync()
        }
        for name in try work.names(limit: Self.mostNames) where name.hasSuffix(".part") {
            try work.remove(name)
        }
        for name in names where Self.isCutPage(name) { try root.remove(name) }
        journal = try ExportJournal(in: work)
    }

    private static func about(_ work: Directory) throws -> JSONValue? {
        guard let facts = try work.facts(of: aboutName) else { return nil }
        guard facts.kind == .file, facts.size <= longestAbout else { return .null }
        var bytes = [UInt8](repeating: 0, count: Int(facts.size))
        let file = try StagedFile(in: work, reading: aboutName)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        do throws(JSON5Error) {
            return try JSON5.parse(Array(bytes[..<count]))
        } catch {
            // It is told as what cannot be read.
            return .null
        }
    }

    private static func check(_ about: JSONValue, _ event: Event, _ path: String) throws {
        guard let id = about["event"]?.string, let format = about["format"]?.integer else {
            throw ExportRefusal(
                "\(path)/\(workName)/\(aboutName) cannot be read, so it is not known what \(path) is an export of; "
                    + "name an empty folder")
        }
        guard format <= Self.format else {
            throw ExportRefusal(
                "\(path) was written by a newer program; use that one, or name an empty folder")
        }
        guard id == event.id else {
            let name = about["name"]?.string ?? id
            throw ExportRefusal(
                "\(path) is an export of another event, '\(name)'; name a folder for each event")
        }
    }

    // MARK: Names

    /// Whether a path that was written down leads to a file of an export's: "thumbs/a.jpg", "thumbs/0003/a.jpg".
    static func isPath(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && ExportKind.allCases.contains { $0.folder == parts[0] }
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
    }

    /// Those that an export may have taken away: all but the first.
    private static func isPage(_ name: String) -> Bool {
        name.wholeMatch(of: /(section-[0-9a-f-]{36}-)?page-([2-9]|[1-9][0-9]{1,5})\.html/) != nil
            || name.wholeMatch(of: /section-[0-9a-f-]{36}\.html/) != nil
    }

    /// A page that a run which ended by force has left half written; see ``writeAtomically(_:to:in:mode:replacing:like:)``.
    private static func isCutPage(_ name: String) -> Bool {
        name.wholeMatch(
            of:
                /\.(index\.html|section-[0-9a-f-]{36}\.html|(section-[0-9a-f-]{36}-)?page-[0-9]+\.html|gallery\.(css|js)|icon\.svg|photos\.json|SHA256SUMS)\.[0-9]+\.new/
        ) != nil
    }

    /// The folder that a file is in, made where it is missing.
    private func place(_ path: String) throws(SystemError) -> (folder: Directory, name: String) {
        var folder = root
        let parts = path.split(separator: "/").map(String.init)
        for name in parts.dropLast() { folder = try folder.subdirectory(name) }
        return (folder, parts[parts.count - 1])
    }

    private func noteChange(_ path: String) {
        let folders = path.split(separator: "/").dropLast()
        // With those above, where its own folder may be new.
        changed.withLock { changed in
            for count in 0...folders.count { changed.insert(folders.prefix(count).joined(separator: "/")) }
        }
    }

    // MARK: Files

    /// The hash of the file that lies there; nothing where none does, or where it is not this one.
    func hash(of file: ExportFile) throws(SystemError) -> SHA256Digest? {
        var wanted = file.sha256.flatMap(SHA256Digest.init(hex:))
        if wanted == nil, let line = journal[file.path], line.mark == file.mark { wanted = line.sha256 }
        guard let wanted else { return nil }
        let (folder, name) = try place(file.path)
        guard let facts = try folder.facts(of: name), facts.kind == .file, facts.size == file.size else {
            return nil
        }
        let there = try StagedFile(in: folder, reading: name)
        let found = try there.sha256()
        guard found == wanted else { return nil }
        if facts.modified != file.taken { try setTime(of: there, to: file.taken) }
        try journal.note(file.path, ExportJournal.Line(mark: file.mark, sha256: found, size: file.size))
        return found
    }

    /// The camera's clock may have been set right since.
    private func setTime(of file: StagedFile, to taken: Int64) throws(SystemError) {
        do throws(SystemError) {
            try file.setModified(taken)
        } catch {
            // Another user's may be read and not touched; its content is right.
            guard error.number == EPERM else { throw error }
        }
    }

    /// A file in the making.
    func part() throws(SystemError) -> StagedFile {
        let number = parts.wrappingAdd(1, ordering: .relaxed).newValue
        return try StagedFile(in: work, partialName: "\(number).part", mode: 0o644)
    }

    /// Gives a file that is whole its name, in place of whatever has that.
    func publish(_ part: StagedFile, as file: ExportFile, _ hash: SHA256Digest) throws(SystemError) {
        try part.setModified(file.taken)
        try part.sync()
        let (folder, name) = try place(file.path)
        if try !work.move(part.name, to: folder, as: name) {
            try folder.remove(name)
            guard try work.move(part.name, to: folder, as: name) else {
                throw SystemError(
                    "giving a file its name, which another program has taken", EEXIST, on: file.path)
            }
        }
        noteChange(file.path)
        try journal.note(file.path, ExportJournal.Line(mark: file.mark, sha256: hash, size: file.size))
    }

    // MARK: What was there before

    /// Takes away what no photo of the plan has, and gives those files that are there their names of now, which are others
    /// where a photo of the same name has gone. How many were taken away.
    func makeWay(for files: [ExportFile]) throws(SystemError) -> Int {
        let wanted = Dictionary(files.map { ($0.path, $0.mark) }) { first, _ in first }
        let marks = Set(files.map(\.mark))
        var removed = 0
        for (path, line) in journal.lines where !marks.contains(line.mark) {
            removed += try remove(path) ? 1 : 0
        }
        var movable: [String: String] = [:]
        for (path, line) in journal.lines where wanted[path] != line.mark { movable[line.mark] = path }
        for file in files where journal[file.path]?.mark != file.mark {
            guard let old = movable[file.mark] else { continue }
            try move(old, to: file)
        }
        for path in journal.lines.keys where wanted[path] == nil { removed += try remove(path) ? 1 : 0 }
        return removed
    }

    private func move(_ old: String, to file: ExportFile) throws(SystemError) {
        guard let line = journal[old] else { return }
        let (from, name) = try place(old)
        let (folder, newName) = try place(file.path)
        do throws(SystemError) {
            // Where the name is taken, by a file that keeps it, this one is copied anew.
            guard try from.move(name, to: folder, as: newName) else { return }
        } catch {
            guard error.kind == .missing else { throw error }
            return
        }
        noteChange(old)
        noteChange(file.path)
        journal.forget(old)
        try journal.note(file.path, line)
    }

    /// Whether there was anything.
    private func remove(_ path: String) throws(SystemError) -> Bool {
        let (folder, name) = try place(path)
        journal.forget(path)
        do throws(SystemError) {
            try folder.remove(name)
        } catch {
            guard error.kind == .missing else { throw error }
            return false
        }
        noteChange(path)
        return true
    }

    /// For photos that were hidden or deleted while they were brought.
    func removeAll(of files: [ExportFile]) throws(SystemError) {
        for file in files { _ = try remove(file.path) }
    }

    // MARK: Pages

    /// A small file at the top, replaced as a whole where it is another one by now. Its hash.
    func write(_ bytes: [UInt8], to name: String) throws(SystemError) -> SHA256Digest {
        let hash = SHA256.of(bytes)
        if let facts = try root.facts(of: name), facts.kind == .file, facts.size == UInt64(bytes.count),
            try StagedFile(in: root, reading: name).sha256() == hash
        {
            return hash
        }
        try writeAtomically(bytes, to: name, in: root, mode: 0o644)
        return hash
    }

    /// Pages of a run that had others.
    func removePages(but pages: Set<String>) throws(SystemError) {
        for name in try root.names(limit: Self.mostNames) where Self.isPage(name) && !pages.contains(name) {
            guard try root.facts(of: name)?.kind == .file else { continue }
            try root.remove(name)
        }
    }

    /// After this everything survives a power cut.
    func finish() throws(SystemError) {
        for path in changed.withLock(\.self).sorted() where !path.isEmpty {
            try place("\(path)/x").folder.sync()
        }
        try journal.finish()
        try root.sync()
    }
}

/// Why a folder is not exported to.
package struct ExportRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
    /// It passes when another program has ended.
    package let isBusy: Bool

    init(_ description: String, isBusy: Bool = false) {
        self.description = description
        self.isBusy = isBusy
    }
}

extension StagedFile {
    private static let pieceOfHash = 256 << 10

    /// Of all that it holds.
    func sha256() throws(SystemError) -> SHA256Digest {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceOfHash, alignment: 16)
        defer { memory.deallocate() }
        let hash = SHA256()
        var done: UInt64 = 0
        while true {
            let count = try read(into: memory, at: done)
            if count == 0 { return hash.finish() }
            hash.update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            done += UInt64(count)
        }
    }
}
