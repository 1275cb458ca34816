package import Basics
package import Posix

/// The folder of one bridge: what is in it, and who may write there.
package struct Home: Sendable {
    package let path: String

    /// The first that is said: `--home`, `$TETHERLINE_HOME`, `$STATE_DIRECTORY`, `$XDG_STATE_HOME`, `$HOME`.
    package init(_ option: String?) {
        func named(_ variable: String, _ suffix: String = "") -> String? {
            Program.environment(variable).flatMap { $0.isEmpty ? nil : $0 + suffix }
        }
        path =
            option ?? named("TETHERLINE_HOME") ?? named("STATE_DIRECTORY") ?? named(
                "XDG_STATE_HOME", "/tetherline")
            ?? named("HOME", "/.local/state/tetherline") ?? ".tetherline"
    }

    package var database: String { "\(path)/\(Ledger.fileName)" }
    package var spool: String { "\(path)/spool" }
    package var settings: String { "\(path)/config.json5" }
    /// Images of the gallery, which can be had again.
    package var imageCache: String { "\(path)/cache" }

    /// The socket of the bridge that runs here. A path that is too long for a socket is replaced by one in the
    /// user's runtime folder, made of the same home.
    package var controlSocket: String {
        let usual = "\(path)/control.sock"
        guard usual.utf8.count > ControlListener.longestPath,
            let runtime = Program.environment("XDG_RUNTIME_DIR"), !runtime.isEmpty
        else { return usual }
        // FNV-1a: a short name for a long one, nothing secret.
        let hash = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(runtime)/tetherline-\(String(hash, radix: 16)).sock"
    }

    package func make() throws(SystemError) -> Directory {
        try Directory.make(path: path, mode: 0o700)
    }

    /// Held by the bridge that runs in this home, as long as the value lives.
    package func lock() throws -> FileLock {
        _ = try make()
        return try FileLock(path: lockFile)
    }

    package var lockFile: String { "\(path)/lock" }

    /// For this user only, and so are the files that SQLite puts beside it.
    package func makeDatabaseFile() throws(SystemError) {
        _ = try StagedFile(in: try make(), partialName: Ledger.fileName, mode: 0o600)
    }

    package func openSpool() throws(DiskError) -> any DiskFolder {
        let folder = try RealFolder.make(path: spool)
        // The spool's own name, before any photo in it counts.
        try RealFolder.make(path: path).sync()
        return folder
    }
}
