import Basics
import Glibc
import Posix

/// The files of the cache: one for each image, named by the SHA-256 of its key.
struct ImageFolder {
    private let directory: Directory

    /// While it is written.
    private static let unfinished = ".part"
    /// More are no cache's.
    private static let mostNames = 2_000_000

    init(path: String) throws(SystemError) {
        directory = try Directory.make(path: path, mode: 0o700)
    }

    var path: String { directory.path }

    /// An empty one where there is none, for this user only.
    func makeFile(_ name: String) throws(SystemError) {
        _ = try StagedFile(in: directory, partialName: name, mode: 0o600)
    }

    /// Whole under its name, or not there. Not synced: what a power cut has spoilt shows by its hash when it is read.
    func write(_ bytes: [UInt8], as name: String) throws(SystemError) {
        let partial = name + Self.unfinished
        try remove(partial)
        try remove(name)
        let file = try StagedFile(in: directory, partialName: partial, mode: 0o600)
        do throws(SystemError) {
            var failure: SystemError?
            bytes.withUnsafeBytes { memory in
                do throws(SystemError) {
                    try file.write(memory, at: 0)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            guard try file.publish(as: name, isDurable: false) == .published else {
                throw SystemError("writing an image whose name is taken", EEXIST, on: "\(path)/\(name)")
            }
        } catch {
            // On a full disk the half of it would take what others need.
            try file.discard()
            throw error
        }
    }

    /// Nothing where there is no file of exactly that size.
    func read(_ name: String, size: Int) throws(SystemError) -> [UInt8]? {
        guard try directory.facts(of: name)?.size == UInt64(size) else { return nil }
        let file = try StagedFile(in: directory, reading: name)
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            var result: Result<Int, SystemError> = .success(0)
            bytes.withUnsafeMutableBytes { memory in
                let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
                do throws(SystemError) {
                    result = .success(try file.read(into: rest, at: UInt64(done)))
                } catch {
                    result = .failure(error)
                }
            }
            let count = try result.get()
            if count == 0 { return nil }
            done += count
        }
        return bytes
    }

    /// One that is gone already is no error.
    func remove(_ name: String) throws(SystemError) {
        do throws(SystemError) {
            try directory.remove(name)
        } catch {
            guard error.kind == .missing else { throw error }
        }
    }

    func size(of name: String) throws(SystemError) -> UInt64? { try directory.facts(of: name)?.size }

    /// The files that this cache has made, whole and unfinished. What else lies there was put there by other programs,
    /// and stays.
    func names() throws(SystemError) -> [String] {
        try directory.kinds(limit: Self.mostNames).filter { $0.kind == .file && Self.isOurs($0.name) }.map(
            \.name)
    }

    private static func isOurs(_ name: String) -> Bool {
        let key = name.hasSuffix(unfinished) ? name.dropLast(unfinished.count) : name[...]
        return key.utf8.count == 64
            && key.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    func space() throws(SystemError) -> DiskSpace {
        let (free, total) = try directory.space()
        return DiskSpace(free: free, total: total)
    }
}
