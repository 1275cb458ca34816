import Posix
import Store
import Upload

/// Whose the home is, and who else may write there: one rule for 'run' and the doctor.
extension Home {
    struct Exposure: Equatable {
        let sentence: String
        let cure: String
    }

    /// Other users could change where photos go, and run programs as this one.
    struct Unsafe: Error, CustomStringConvertible {
        let description: String
    }

    /// What a run goes by: the folder and the settings. What the administrator of this machine has put there is as good.
    func requireOwn() throws {
        for (path, mend) in [(path, "chmod 700"), (settings, "chmod 600")] {
            if let exposure = try Self.exposure(of: path, mend) {
                throw Unsafe(description: "\(exposure.sentence) \(exposure.cure)")
            }
        }
    }

    /// Nothing where all of it is ours alone, or not there yet.
    func exposures() throws -> [Exposure] {
        var found: [Exposure] = []
        if let folder = try Self.exposure(of: path, "chmod 700") { found.append(folder) }
        for name in ["config.json5", CredentialsFile.fileName, Ledger.fileName] {
            if let file = try Self.exposure(of: "\(path)/\(name)", "chmod 600") { found.append(file) }
        }
        return found
    }

    private static func exposure(of path: String, _ mend: String) throws(SystemError) -> Exposure? {
        guard let facts = try FileFacts(at: path) else { return nil }
        if facts.owner != Program.user, facts.owner != 0 {
            return Exposure(
                sentence:
                    "\(path) belongs to user \(facts.owner), and you are user \(Program.user): what stands there may not be yours.",
                cure:
                    "Look at what is in it; then 'sudo chown \(Program.user) \(path)', or name a home of your own with --home."
            )
        }
        guard facts.isWritableByOthers else { return nil }
        return Exposure(
            sentence:
                "other users may write to \(path): they could change where photos go, and run programs as you.",
            cure: "'\(mend) \(path)' keeps them out.")
    }
}
