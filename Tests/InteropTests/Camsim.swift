import TestSupport
import Testing

/// A running camsim, as from a command line.
final class Camsim: Sendable {
    let daemon: Daemon
    let port: Int

    convenience init(_ arguments: String...) throws {
        try self.init(Daemon(Built.camsim, ["--listen", "127.0.0.1:0"] + arguments))
    }

    init(_ daemon: Daemon) throws {
        self.daemon = daemon
        let line = try daemon.wait(for: "listening on")
        port = Int(line.split(separator: ":").last.map(String.init) ?? "") ?? 0
    }

    var address: String { "127.0.0.1:\(port)" }
}

/// `tetherline` as an operator would run it, with a home of its own.
struct Operator {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Where what is fetched goes.
    var out: String { folder.file("out") }

    /// The files that have their names, by path below ``out``.
    func arrived() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in folder.contents() where path.hasPrefix("out/") && !path.hasSuffix(".part") {
            files[String(path.dropFirst(4))] = try readFile(folder.file(path))
        }
        return files
    }

    func run(_ arguments: String...) throws -> Tool.Output {
        try run(arguments)
    }

    func run(_ arguments: [String], measuresMemory: Bool = false) throws -> Tool.Output {
        let outcome = try Tool(Built.tetherline)?.run(
            arguments, environment: ["TETHERLINE_HOME": folder.file("home")], measuresMemory: measuresMemory)
        guard let outcome else { throw FileProblem(path: Built.tetherline, number: 2) }
        return outcome
    }

    /// What no attack may cost.
    static let mostMemory = 32 << 20

    /// Runs a command against something hostile, and sees that it stays small.
    func endure(
        _ arguments: [String], atMost limit: Int = mostMemory,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Tool.Output {
        let outcome = try run(arguments, measuresMemory: true)
        let peak = try #require(outcome.peakBytes)
        #expect(peak < limit, sourceLocation: sourceLocation)
        return outcome
    }

    /// What lies below a folder, by path, and its bytes.
    static func files(in folder: TemporaryFolder) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in folder.contents() { files[path] = try readFile(folder.file(path)) }
        return files
    }
}
