package import Basics
package import Posix

/// A folder of the machine's, as ``DiskFolder`` wants one.
package struct RealFolder: DiskFolder {
    private let directory: Directory

    package init(_ directory: Directory) {
        self.directory = directory
    }

    /// Made with all the folders above it, for this user only.
    package static func make(path: String) throws(DiskError) -> RealFolder {
        RealFolder(try translating { () throws(SystemError) in try Directory.make(path: path, mode: 0o700) })
    }

    package var path: String { directory.path }

    package func folder(_ name: String) throws(DiskError) -> any DiskFolder {
        RealFolder(
            try translating { () throws(SystemError) in try directory.subdirectory(name, mode: 0o700) })
    }

    package func open(_ name: String) throws(DiskError) -> any DiskFile {
        RealFile(
            file: try translating { () throws(SystemError) in
                try StagedFile(in: directory, partialName: name, mode: 0o600)
            })
    }

    package func openForReading(_ name: String) throws(DiskError) -> any DiskFile {
        RealFile(
            file: try translating { () throws(SystemError) in
                try StagedFile(in: directory, reading: name)
            })
    }

    package func size(of name: String) throws(DiskError) -> UInt64? {
        try translating { () throws(SystemError) in try directory.facts(of: name)?.size }
    }

    package func allocated(to name: String) throws(DiskError) -> UInt64? {
        try translating { () throws(SystemError) in try directory.facts(of: name)?.allocated }
    }

    /// More files than this in one folder are no event's.
    private static let mostNames = 2_000_000

    package func names() throws(DiskError) -> [DiskEntry] {
        try translating { () throws(SystemError) in
            try directory.kinds(limit: Self.mostNames).map { name, kind in
                DiskEntry(name: name, isFolder: kind == .folder, isOdd: kind == .other)
            }
        }
    }

    package func move(_ name: String, to folder: any DiskFolder, as newName: String) throws(DiskError) -> Bool
    {
        guard let folder = folder as? RealFolder else {
            preconditionFailure("a file cannot be moved from a real disk to an imagined one")
        }
        return try translating { () throws(SystemError) in
            try directory.move(name, to: folder.directory, as: newName)
        }
    }

    package func remove(_ name: String) throws(DiskError) {
        try translating { () throws(SystemError) in try directory.remove(name) }
    }

    package func sync() throws(DiskError) {
        try translating { () throws(SystemError) in try directory.sync() }
    }

    package func space() throws(DiskError) -> DiskSpace {
        let (free, total) = try translating { () throws(SystemError) in try directory.space() }
        return DiskSpace(free: free, total: total)
    }
}

/// A file in the making on a real disk.
package struct RealFile: DiskFile {
    private let file: StagedFile

    package init(file: StagedFile) {
        self.file = file
    }

    package func size() throws(DiskError) -> UInt64 {
        try translating { () throws(SystemError) in try file.size() }
    }

    package func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
        var failure: SystemError?
        bytes.withUnsafeBytes { pointer in
            do throws(SystemError) {
                try file.write(pointer, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw DiskError(failure) }
    }

    package func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, length in
            do throws(SystemError) {
                length = try file.read(into: UnsafeMutableRawBufferPointer(memory), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw DiskError(failure) }
        return bytes
    }

    package func truncate(to length: UInt64) throws(DiskError) {
        try translating { () throws(SystemError) in try file.truncate(to: length) }
    }

    package func preallocate(_ length: UInt64) throws(DiskError) {
        try translating { () throws(SystemError) in _ = try file.preallocate(length) }
    }

    package func syncData() throws(DiskError) {
        try translating { () throws(SystemError) in try file.syncData() }
    }

    package func sync() throws(DiskError) {
        try translating { () throws(SystemError) in try file.sync() }
    }

    package func makeReadOnly() throws(DiskError) {
        try translating { () throws(SystemError) in try file.makeReadOnly() }
    }

    package func setModified(_ seconds: Int64) throws(DiskError) {
        try translating { () throws(SystemError) in try file.setModified(seconds) }
    }
}

private func translating<Result>(_ body: () throws(SystemError) -> Result) throws(DiskError) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw DiskError(error)
    }
}
