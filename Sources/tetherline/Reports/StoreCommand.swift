import Arguments
import Basics
import Bridge
import Database
import Posix
import Store

/// `tetherline store …`: the ledger itself.
enum StoreCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("store", "Checks, backs up and exports the ledger.")
        let home = OptionSpec(
            "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
        var backup = CommandSpec("backup", "Copies the ledger as it is now, also while a bridge runs.")
        backup.positionals = [
            PositionalSpec("FILE", .one, "Where to; a file that is there already is not replaced.")
        ]
        backup.options = [home]
        backup.examples = ["tetherline store backup /media/usb/ledger.sqlite"]
        var export = CommandSpec(
            "export", "Every row of every table as JSON, one a line, for a report or a spreadsheet.")
        export.discussion = [
            "What lets its reader in somewhere is left out: a gallery's signed addresses, and the addresses of webhooks behind "
                + "their hosts."
        ]
        export.options = [home]
        export.examples = ["tetherline store export > ledger.jsonl"]
        spec.subcommands = [StoreCheck.spec, backup, export]
        return spec
    }()

    static func run(_ invocation: Invocation, on reactor: Reactor) async throws -> ExitCode {
        let home = Home(invocation.value("home"))
        switch invocation.path.last {
        case "check": return try await StoreCheck(invocation).run(on: reactor)
        case "backup": return try backup(home, to: invocation.positionals[0])
        default: return try export(home)
        }
    }

    private static func backup(_ home: Home, to path: String) throws -> ExitCode {
        let reader = try home.reader()
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw UsageError("FILE names a file, not '\(path)'.")
        }
        let folder = try Directory(
            path: parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/")
        let partial = ".\(SafeName.shortened(String(name), by: 5)).part"
        if try folder.facts(of: String(name)) != nil {
            throw UsageError("\(path) is there already and is not replaced; give another name.")
        }
        if try folder.facts(of: partial) != nil { try folder.remove(partial) }
        try reader.database.backUp(to: "\(folder.path)/\(partial)")
        let file = try StagedFile(in: folder, partialName: partial)
        guard try file.publish(as: String(name)) == .published else {
            throw UsageError("\(path) is there already and is not replaced; give another name.")
        }
        printOutput("\(path): \(try file.size()) bytes")
        return .success
    }

    private static func export(_ home: Home) throws -> ExitCode {
        let reader = try home.reader()
        let tables = try reader.database.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        ) { row in try row.get(0, as: String.self) }
        for table in tables {
            let columns = try reader.database.all("SELECT name FROM pragma_table_info(?)", table) { row in
                try row.get(0, as: String.self)
            }
            let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table)"
            try reader.database.each(sql) { row in
                var members: [(key: String, value: JSONValue)] = [(key: "table", value: .string(table))]
                for (index, column) in columns.enumerated() {
                    let value = json(try row.get(Int32(index), as: Value.self))
                    members.append((key: column, value: Self.harmless(value, column, of: table)))
                }
                printOutput(JSONValue.object(members).compact)
            }
        }
        return .success
    }

    /// Without what would let its reader in: an export is sent to others.
    private static func harmless(_ value: JSONValue, _ column: String, of table: String) -> JSONValue {
        switch (table, column, value) {
        case ("upload_jobs", "note", .string(let note)):
            guard var intent = PresignedUpload(noted: note) else { return value }
            if !intent.url.isEmpty { intent.url = omitted }
            intent.headers = []
            return .string(intent.noted)
        case ("webhooks", "url", _): return NotificationSettings.shown(column, value)
        default: return value
        }
    }

    private static let omitted = "(signed: not exported)"

    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .double(number)
        case .text(let text): .string(text)
        case .blob(let bytes): .array(bytes.map { .integer(Int64($0)) })
        }
    }
}
