import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// The program dies while it brings an older ledger up to date: at every place of the log, and while the log is put into
/// the file.
@Suite struct MigrationCrashTests {
    private static let page = 1024
    private static let logHeader = 32
    private static let frame = 24 + page

    /// What a finished migration leaves on the disk before and after the log is put into the file.
    private struct Finished {
        let file: [UInt8]
        let log: [UInt8]
        let merged: [UInt8]
        let contents: [String: OldLedger.Table]
    }

    private func finished(_ old: OldLedger) throws -> Finished {
        let (file, log, contents): ([UInt8], [UInt8], [String: OldLedger.Table]) = try {
            let connection = try Connection.open(path: old.path, Schema.migrations)
            return (
                try readFile(old.path), try readFile(old.path + "-wal"), try OldLedger.contents(connection)
            )
        }()
        // The last connection that closes puts the log into the file.
        return Finished(file: file, log: log, merged: try readFile(old.path), contents: contents)
    }

    /// Opens what a crash left, and says in which version that was; then it has to come to the same end.
    private func versionLeft(_ file: [UInt8], _ log: [UInt8], _ finished: Finished) throws -> Int {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        try folder.write(file, to: "l.sqlite")
        try folder.write(log, to: "l.sqlite-wal")
        let version = try {
            let look = try Connection(path: folder.file("l.sqlite"), .readWrite)
            #expect(try look.problems() == [])
            return try look.pragma("user_version")
        }()
        try folder.write(file, to: "l.sqlite")
        try folder.write(log, to: "l.sqlite-wal")
        let connection = try Connection.open(path: folder.file("l.sqlite"), Schema.migrations)
        #expect(try connection.pragma("user_version") == Schema.migrations.version)
        let isTheSame = try OldLedger.contents(connection) == finished.contents
        #expect(isTheSame)
        return version
    }

    @Test("a migration that is cut at any place of its log goes on at the next start", arguments: [1, 2, 3])
    func cutLog(version: Int) throws {
        let finished = try finished(OldLedger(version, in: TemporaryFolder.memory))
        let frames = (finished.log.count - Self.logHeader) / Self.frame
        #expect(frames > 10)
        var seen: [Int] = []
        for cut in 0...frames {
            let length = Self.logHeader + cut * Self.frame
            seen.append(try versionLeft(finished.file, Array(finished.log.prefix(length)), finished))
            // In the middle of a frame as well.
            seen.append(try versionLeft(finished.file, Array(finished.log.prefix(length + 500)), finished))
        }
        // Each step counts from its last frame on, and never half.
        #expect(seen == seen.sorted() && Set(seen) == Set(version...Schema.migrations.version))
    }

    @Test(
        "a migration whose log was only partly put into the file is whole at the next start",
        arguments: [1, 2, 3])
    func cutMerge(version: Int) throws {
        let finished = try finished(OldLedger(version, in: TemporaryFolder.memory))
        let pages = finished.merged.count / Self.page
        #expect(pages > 20 && finished.merged != finished.file)
        for count in 0...pages {
            let put = count * Self.page
            let file = Array(finished.merged.prefix(put)) + Array(finished.file.dropFirst(put))
            #expect(try versionLeft(file, finished.log, finished) == Schema.migrations.version)
        }
    }
}
