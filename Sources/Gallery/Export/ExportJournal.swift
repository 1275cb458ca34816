import Digest
import Posix
import Synchronization

/// Which files an export has brought to its folder, written down as they come: a line each, `mark sha256 size path`. What a
/// run that was interrupted has brought is known to the next one by it, and what no photo has any more.
///
/// It is no proof: a file counts as there when it is looked at, and has this size and this hash.
final class ExportJournal: Sendable {
    struct Line: Equatable, Sendable {
        /// See ``ExportFile/mark``.
        let mark: String
        let sha256: SHA256Digest
        let size: UInt64
    }

    private struct State {
        var lines: [String: Line]
        /// Where the next line is written.
        var end: UInt64
        /// How many lines say something that is not so any more.
        var outdated: Int
    }

    static let name = "files"
    /// Of as many photos as may be, with long names and three files each, written twice.
    private static let longest: UInt64 = 1 << 30

    private let folder: Directory
    private let file: StagedFile
    private let state: Mutex<State>

    /// A line that was cut is none, and nor is one that leads out of the export's folders.
    init(in folder: Directory) throws(SystemError) {
        let file = try StagedFile(in: folder, partialName: Self.name, mode: 0o644)
        let bytes = try Self.bytes(of: file)
        let end = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        var lines: [String: Line] = [:]
        var count = 0
        for text in bytes[..<end].split(separator: UInt8(ascii: "\n")) {
            count += 1
            if let (path, line) = Self.line(text) { lines[path] = line }
        }
        try file.truncate(to: UInt64(end))
        state = Mutex(State(lines: lines, end: UInt64(end), outdated: count - lines.count))
        (self.folder, self.file) = (folder, file)
    }

    private static func bytes(of file: StagedFile) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(min(try file.size(), longest)))
        var failure: SystemError?
        var done = 0
        bytes.withUnsafeMutableBytes { memory in
            do throws(SystemError) {
                while done < memory.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
                    let count = try file.read(into: rest, at: UInt64(done))
                    if count == 0 { break }
                    done += count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return Array(bytes[..<done])
    }

    private static func line(_ text: ArraySlice<UInt8>) -> (path: String, line: Line)? {
        let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 3)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 4, let hash = SHA256Digest(hex: parts[1]), let size = UInt64(parts[2]),
            ExportFolder.isPath(parts[3])
        else { return nil }
        return (parts[3], Line(mark: parts[0], sha256: hash, size: size))
    }

    private static func text(_ path: String, _ line: Line) -> [UInt8] {
        Array("\(line.mark) \(line.sha256) \(line.size) \(path)\n".utf8)
    }

    subscript(path: String) -> Line? { state.withLock { $0.lines[path] } }

    /// All that is known.
    var lines: [String: Line] { state.withLock(\.lines) }

    func note(_ path: String, _ line: Line) throws(SystemError) {
        let failure = state.withLock { state -> SystemError? in
            guard state.lines[path] != line else { return nil }
            if state.lines.updateValue(line, forKey: path) != nil { state.outdated += 1 }
            let text = Self.text(path, line)
            do throws(SystemError) {
                try file.write(text, at: state.end)
            } catch {
                return error
            }
            state.end += UInt64(text.count)
            return nil
        }
        if let failure { throw failure }
    }

    /// The file is gone. Its line stays until ``finish()``, and a run that reads it before then finds no file.
    func forget(_ path: String) {
        state.withLock { state in
            if state.lines.removeValue(forKey: path) != nil { state.outdated += 1 }
        }
    }

    /// Makes it as short as it can be, and lasting.
    func finish() throws(SystemError) {
        let text = state.withLock { state -> [UInt8]? in
            guard state.outdated > 0 else { return nil }
            return state.lines.sorted { $0.key < $1.key }.flatMap { Self.text($0.key, $0.value) }
        }
        guard let text else { return try file.sync() }
        try writeAtomically(text, to: Self.name, in: folder, mode: 0o644)
    }
}
