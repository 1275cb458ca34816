/// What keeping a photo asks of a disk, so that it can be a real one, or one in memory that forgets whatever was not
/// synced. Everything here blocks and is called on a thread that may.

/// Why the disk did not do it, by what it means for keeping photos.
public struct DiskError: Error, Equatable, Sendable {
    public enum Meaning: String, Equatable, Sendable {
        /// The disk, or this user's share of it, is full. It passes when the operator frees space.
        case noRoom
        /// The file is larger than the file system or a limit allows. It does not pass.
        case tooLarge
        /// Mounted read-only, or this user may not write. It passes when the operator changes that.
        case notWritable
        /// The disk itself fails. What was written last is not to be trusted.
        case failing
        /// A folder or file that was there is gone.
        case missing
        /// Too many files are open at once. It passes.
        case tooManyOpen
        case other
    }

    public let meaning: Meaning
    /// What was tried, on what, why not, and what to do: a sentence.
    public let description: String

    public init(_ meaning: Meaning, _ description: String) {
        self.meaning = meaning
        self.description = description
    }
}

extension DiskError: CustomStringConvertible {}

/// A folder that is held open. Names are single components.
public protocol DiskFolder: Sendable {
    var path: String { get }
    /// Made if it is missing.
    func folder(_ name: String) throws(DiskError) -> any DiskFolder
    /// Opens a file for reading and writing, made if it is missing. What it holds stays.
    func open(_ name: String) throws(DiskError) -> any DiskFile
    /// Opens a file that is there, for reading only.
    func openForReading(_ name: String) throws(DiskError) -> any DiskFile
    /// Nothing when there is no file of that name.
    func size(of name: String) throws(DiskError) -> UInt64?
    /// How much of the disk it takes, which may be more than its size; nothing when there is no file of that name.
    func allocated(to name: String) throws(DiskError) -> UInt64?
    /// The names of the files and folders in it, sorted.
    func names() throws(DiskError) -> [DiskEntry]
    /// False when the new name is taken; nothing has changed then.
    func move(_ name: String, to folder: any DiskFolder, as newName: String) throws(DiskError) -> Bool
    func remove(_ name: String) throws(DiskError)
    /// After this the names in it survive a power cut.
    func sync() throws(DiskError)
    func space() throws(DiskError) -> DiskSpace
}

public struct DiskEntry: Equatable, Sendable {
    public let name: String
    public let isFolder: Bool
    /// Neither a folder nor a file: a link, a pipe. The program makes none.
    public let isOdd: Bool

    public init(name: String, isFolder: Bool, isOdd: Bool = false) {
        self.name = name
        self.isFolder = isFolder
        self.isOdd = isOdd
    }
}

public struct DiskSpace: Equatable, Sendable {
    public let free: UInt64
    public let total: UInt64

    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}

public protocol DiskFile: Sendable {
    func size() throws(DiskError) -> UInt64
    func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError)
    /// At most `count` bytes; fewer only at the end.
    func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8]
    func truncate(to length: UInt64) throws(DiskError)
    /// Reserves space without changing the size. A disk that cannot is no error.
    func preallocate(_ length: UInt64) throws(DiskError)
    /// The bytes and the length survive a power cut.
    func syncData() throws(DiskError)
    /// Everything about the file survives a power cut.
    func sync() throws(DiskError)
    func makeReadOnly() throws(DiskError)
    func setModified(_ seconds: Int64) throws(DiskError)
}
