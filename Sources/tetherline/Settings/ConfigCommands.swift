import Arguments
import Basics
import Bridge
import Console
import HTTPClient
import Posix
import Store
import Upload

/// `tetherline config …`: the settings as they are, what is wrong with them, and one of them changed.
struct ConfigCommands {
    static let spec: CommandSpec = {
        var spec = CommandSpec("config", "The settings of config.json5: shown, checked, changed.")
        spec.subcommands = [showSpec, checkSpec, setSpec, unsetSpec]
        return spec
    }()

    private static let home = OptionSpec(
        "home", "DIR", "The home that config.json5 lies in. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")

    private static let showSpec: CommandSpec = {
        var spec = CommandSpec("show", "Every setting with its value, and where that comes from.")
        spec.discussion = [
            "Options of 'run' count more and are not known here. Secrets are not shown, nor is what stands behind the host "
                + "of a webhook."
        ]
        spec.positionals = [
            PositionalSpec("KEY", .any, "Only these, or what is below them. [all]", .words(keys))
        ]
        spec.options = [
            .flag("set", "Only what the file says."), .flag("json", "Print one JSON value."), home,
        ]
        spec.examples = ["tetherline config show", "tetherline config show deliver network --set"]
        return spec
    }()

    private static let checkSpec: CommandSpec = {
        var spec = CommandSpec("check", "Says every mistake in the settings, with its line.")
        spec.discussion = [
            "Also looked at are the files and folders that it names: hooks, deliver.privateCA, hud.certificate, hud.key, "
                + "webhooks[].secretFile, cameras[].ssh-password-file, what ?credentials= names in run.destinations, and keep.folder. 'tetherline doctor' "
                + "looks at more.",
            "Exit code: 0 all is well, also where there is no such file; 78 something cannot be used.",
        ]
        spec.options = [.flag("json", "Print one JSON value."), home]
        spec.examples = ["tetherline config check"]
        return spec
    }()

    private static let setSpec: CommandSpec = {
        var spec = CommandSpec("set", "Writes one setting into the file.")
        spec.discussion = [
            "Comments, order and the rest stay as they are, but for comments within a list or an object that is replaced. Nothing is written that could not be used. A list is several VALUEs, "
                + "or JSON5 in quotes. Names of the operator's stand between dots, in \"quotes\" where they have dots themselves.",
            "The next run goes by it; one that is under way goes on with what it has read. A secret has no place in a command line, "
                + "which all users of this machine can read: name its file in webhooks[].secretFile.",
        ]
        spec.positionals = [
            PositionalSpec("KEY", .one, "Which, as 'tetherline config show' writes it.", .words(keys)),
            PositionalSpec("VALUE", .any, "What it is from now on."),
        ]
        spec.options = [.flag("unset", "The same as 'config unset KEY'."), home]
        spec.examples = [
            "tetherline config set transfer.take jpeg-first",
            "tetherline config set run.cameras 192.168.1.1 auto",
            "tetherline config set network.interfaces.usb0.metered true",
            "tetherline config set transfer.take --unset",
        ]
        return spec
    }()

    private static let unsetSpec: CommandSpec = {
        var spec = CommandSpec("unset", "Takes one setting, or a section, out of the file.")
        spec.discussion = ["What was usual counts again. A misspelt key can be taken out as well."]
        spec.positionals = [
            PositionalSpec("KEY", .one, "Which, as 'tetherline config show' writes it.", .words(keys))
        ]
        spec.options = [home]
        spec.examples = ["tetherline config unset transfer.take"]
        return spec
    }()

    private static var keys: [String] { SettingText.keys }

    private let invocation: Invocation
    private let home: Home

    init(_ invocation: Invocation) {
        self.invocation = invocation
        home = Home(invocation.value("home"))
    }

    func run() throws -> ExitCode {
        switch invocation.path.last {
        case "show": return try show()
        case "check": return try check()
        case "set" where !invocation.has("unset"):
            let words = Array(invocation.positionals.dropFirst())
            guard !words.isEmpty else {
                throw UsageError("Say what \(invocation.positionals[0]) is from now on, or --unset.")
            }
            return try SettingsEdit(home, invocation.positionals[0]).set(words)
        default:
            guard invocation.positionals.count == 1 else {
                throw UsageError("A setting that is unset has no value.")
            }
            return try SettingsEdit(home, invocation.positionals[0]).unset()
        }
    }

    // MARK: Show

    private func show() throws -> ExitCode {
        let file = try SettingsFile(of: home)
        try _ = file?.settings()
        let all = SettingText.all(of: file)
        for wanted in invocation.positionals {
            guard all.contains(where: { $0.isBelow(wanted) }) else {
                let near = Nearest.to(wanted, among: all.map(\.key)).map { "did you mean '\($0)'?" }
                throw UsageError(
                    "There is no setting '\(wanted)'; \(near ?? "'tetherline config show' shows those there are.")"
                )
            }
        }
        let chosen = all.filter { setting in
            (invocation.positionals.isEmpty || invocation.positionals.contains { setting.isBelow($0) })
                && (!invocation.has("set") || setting.line != nil)
        }
        if invocation.has("json") {
            printOutput(json(chosen, isThere: file != nil).compact)
            return .success
        }
        let width = Terminal.knownColumns(1)
        let path = "\(Visible(home.settings))\(file == nil ? " (not there yet)" : "")"
        for line in TextTable.hanging("", path, width: width) { printOutput(line) }
        guard !chosen.isEmpty else {
            printOutput("It says nothing of this: what is usual counts.")
            return .success
        }
        let rows = chosen.map { setting in
            [setting.key, setting.text, setting.line.map { "line \($0)" } ?? "default"]
        }
        let table = ([["setting", "value", "from"]] + rows).map { $0.map { Visible($0).description } }
        for line in TextTable.lines(table, width: width, flowing: 1) { printOutput(line) }
        return .success
    }

    private func json(_ settings: [SettingText], isThere: Bool) -> JSONValue {
        .object([
            (key: "path", value: .string(home.settings)), (key: "exists", value: .bool(isThere)),
            (
                key: "settings",
                value: .array(
                    settings.map { setting in
                        .object([
                            (key: "key", value: .string(setting.key)), (key: "value", value: setting.value),
                            (key: "source", value: setting.line == nil ? "default" : "file"),
                            (key: "line", value: .optional(setting.line) { .integer(Int64($0)) }),
                            (key: "option", value: .optional(setting.option) { .string("--\($0)") }),
                            (key: "isSecret", value: .bool(setting.isHidden)),
                        ])
                    })
            ),
        ])
    }

    // MARK: Check

    private func check() throws -> ExitCode {
        var unusable = Settings.Unusable(home.settings)
        var isThere = false
        do {
            if let file = try SettingsFile(of: home) {
                isThere = true
                unusable = file.unusable(try file.settings().fileProblems())
            }
        } catch let error as Settings.Unusable {
            isThere = true
            unusable = error
        }
        let mistakes = unusable.mistakes
        if invocation.has("json") {
            let list = mistakes.map { mistake -> JSONValue in
                .object([
                    (key: "key", value: .string(mistake.key)),
                    (key: "line", value: .optional(mistake.line) { .integer(Int64($0)) }),
                    (key: "problem", value: .string(mistake.sentence)),
                ])
            }
            printOutput(
                JSONValue.object([
                    (key: "path", value: .string(home.settings)), (key: "exists", value: .bool(isThere)),
                    (key: "ok", value: .bool(mistakes.isEmpty)), (key: "mistakes", value: .array(list)),
                ]).compact)
        } else {
            for mistake in mistakes { printOutput("\(Visible(unusable.text(mistake)))") }
            if mistakes.isEmpty {
                printOutput(
                    "\(Visible(home.settings)): "
                        + (isThere ? "all is well" : "there is no such file, and what is usual counts"))
            }
        }
        return mistakes.isEmpty ? .success : .configuration
    }
}

extension SettingText {
    /// It is this, or one of this section.
    fileprivate func isBelow(_ key: String) -> Bool {
        self.key == key || self.key.hasPrefix("\(key).") || self.key.hasPrefix("\(key)[")
    }

    fileprivate var text: String {
        if isHidden { return "(not shown)" }
        return switch value {
        case .null: "-"
        case .string(let text): text
        default: value.compact
        }
    }
}
