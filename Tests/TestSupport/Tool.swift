import Foundation

/// Another program, run as it is.
public struct Tool: Sendable {
    public let path: String

    /// Nothing where it is not installed.
    public init?(_ name: String) {
        if name.contains("/") {
            guard FileManager.default.isExecutableFile(atPath: name) else { return nil }
            path = name
            return
        }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard
            let found = folders.map({ "\($0)/\(name)" })
                .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        path = found
    }

    public static func isThere(_ name: String) -> Bool { Tool(name) != nil }

    public struct Output: Sendable {
        public let code: Int32
        public let output: [UInt8]
        public let errors: String
        /// The most memory it held.
        public let peakBytes: Int

        public var text: String { String(decoding: output, as: UTF8.self) }
        public var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// Runs it to its end. What it reads and writes goes through files, so that nothing can fill up.
    public func run(
        _ arguments: [String], in folder: String? = nil, input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws -> Output {
        let scratch = try TemporaryFolder()
        try scratch.write(input, to: "in")
        try scratch.write([], to: "out")
        try scratch.write([], to: "err")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardInput = FileHandle(forReadingAtPath: scratch.file("in"))
        process.standardOutput = FileHandle(forWritingAtPath: scratch.file("out"))
        process.standardError = FileHandle(forWritingAtPath: scratch.file("err"))
        try process.run()
        process.waitUntilExit()
        return Output(
            code: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: try readFile(scratch.file("out")),
            errors: String(decoding: try readFile(scratch.file("err")), as: UTF8.self), peakBytes: 0)
    }
}
