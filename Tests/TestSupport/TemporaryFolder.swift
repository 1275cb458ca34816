import Glibc

/// A folder of a test's own, gone with it.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// A file system in memory, for those who write very often and whom no power cut concerns.
    public static let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    public init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/tetherline-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileProblem(path: parent, number: errno) }
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        remove()
    }

    /// For a folder that lives as long as the process, so that it is never released.
    public func remove() {
        TemporaryFolder.remove(path)
    }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    public func write(_ bytes: [UInt8], to name: String) throws {
        guard let file = fopen(file(name), "wb") else { throw FileProblem(path: name, number: errno) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FileProblem(path: name, number: errno)
        }
    }

    public func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), to: name)
    }

    public func makeFolder(_ name: String) {
        mkdir(file(name), 0o755)
    }

    /// Everything below it, sorted, as paths from it.
    public func contents() -> [String] { TemporaryFolder.contents(of: path) }

    /// Everything below any folder, sorted, as paths from it.
    public static func contents(of path: String) -> [String] {
        walk(path).map { String($0.dropFirst(path.count + 1)) }.sorted()
    }

    private static func walk(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            let whole = "\(path)/\(name)"
            if entry.pointee.d_type == UInt8(DT_DIR) { found += walk(whole) } else { found.append(whole) }
        }
        return found
    }

    private static func remove(_ path: String) {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name == "." || name == ".." { continue }
                if entry.pointee.d_type == UInt8(DT_DIR) {
                    remove("\(path)/\(name)")
                } else {
                    unlink("\(path)/\(name)")
                }
            }
            closedir(stream)
        }
        rmdir(path)
    }
}

extension TemporaryFolder {
    /// A file loses its end.
    public static func cut(_ path: String, to length: Int) throws {
        guard truncate(path, length) == 0 else { throw FileProblem(path: path, number: errno) }
    }
}
