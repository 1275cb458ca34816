import Arguments
import Basics
import Posix
import Upload

/// `login`, `register`, `logout`, `whoami`, `consent` and `events`: our account at a gallery.
enum GalleryCommands {
    static let specs = [login, register, logout, whoami, consent, events]
    static let names = Set(specs.map(\.name))

    private static let home = OptionSpec(
        "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
    private static let server = OptionSpec(
        "server", "URL", "Which gallery, where there is a log-in at several.")
    private static let json = OptionSpec.flag("json", "Print JSON, one value a line.")
    private static let address = PositionalSpec(
        "SERVER", .upToOne,
        "The gallery's address, such as https://gallery.example. Without a scheme https is meant, and of this machine http."
    )
    private static let entering = [
        OptionSpec("server", "URL", "The same, as other commands name it."),
        OptionSpec(
            "password-file", "FILE", "The password is the first line of this file; otherwise it is asked for."
        ),
        .flag("plain-http", "Log in over a connection that is not encrypted."), home,
    ]
    private static let passwords =
        "The password is typed, or the first line of standard input or of a file. It is no argument, because all users of this machine can read those."

    private static let login: CommandSpec = {
        var spec = CommandSpec("login", "Logs in at a gallery, for as long as a bridge is used now and then.")
        spec.discussion = [passwords]
        spec.positionals = [address]
        spec.options =
            [OptionSpec("email", "E-MAIL", "The account's address; asked for otherwise.")] + entering
        spec.examples = ["tetherline login https://gallery.example --email ann@example.org"]
        return spec
    }()

    private static let register: CommandSpec = {
        var spec = CommandSpec("register", "Makes an account at a gallery and logs in.")
        spec.discussion = [passwords]
        spec.positionals = [address]
        spec.options =
            [
                OptionSpec("email", "E-MAIL", "The account's address; asked for otherwise."),
                OptionSpec("name", "NAME", "What the gallery calls you; asked for otherwise."),
                OptionSpec(
                    "invite", "CODE",
                    "The invitation that you were given, or the code that a new gallery has printed."),
            ] + entering
        spec.examples = ["tetherline register https://gallery.example --email ann@example.org --name Ann"]
        return spec
    }()

    private static let logout: CommandSpec = {
        var spec = CommandSpec("logout", "Forgets the log-in at a gallery, here and there.")
        spec.options = [server, home]
        spec.examples = ["tetherline logout"]
        return spec
    }()

    private static let whoami: CommandSpec = {
        var spec = CommandSpec("whoami", "Which account this home is logged in with.")
        spec.options = [server, json, home]
        spec.examples = ["tetherline whoami"]
        return spec
    }()

    private static let consent: CommandSpec = {
        var spec = CommandSpec(
            "consent", "Whether the gallery has your consent, without which it takes no photo.")
        spec.options = [
            .flag("give", "Give it, to the version that is current."), server, json, home,
        ]
        spec.examples = ["tetherline consent --give"]
        return spec
    }()

    private static let events: CommandSpec = {
        var spec = CommandSpec("events", "The events of this home and of your account at a gallery.")
        var list = CommandSpec(
            "list", "All of them: which is open here, and with a star the one that is selected.")
        list.options = [server, json, home]
        list.examples = ["tetherline events list"]
        var create = CommandSpec("create", "Makes a new one there.")
        create.positionals = [PositionalSpec("NAME", .one, "Its name, at most 200 characters.")]
        create.options = [server, json, home]
        create.examples = ["tetherline events create 'Ann and Bob'"]
        var select = CommandSpec("select", "The one that 'run' goes into when it is told no other.")
        select.positionals = [PositionalSpec("EVENT", .one, "Its id or its name.")]
        select.options = [server, home]
        select.examples = ["tetherline events select 'Ann and Bob'"]
        spec.subcommands = [list, create, select] + EventWindowCommands.specs
        return spec
    }()

    static func run(_ invocation: Invocation, on reactor: Reactor) async throws -> ExitCode {
        switch invocation.path.first {
        case "login": try await LoginCommand(invocation, isNew: false).run(on: reactor)
        case "register": try await LoginCommand(invocation, isNew: true).run(on: reactor)
        case "events" where EventWindowCommands.names.contains(invocation.path.last ?? ""):
            try await EventWindowCommands(invocation).run(on: reactor)
        case "events" where invocation.path.last == "list":
            try await EventListCommand(invocation).run(on: reactor)
        case "events":
            try await GalleryDoor.open(invocation, on: reactor) { door in
                try await GalleryEventsCommand(invocation, door).run()
            }
        default:
            try await GalleryDoor.open(invocation, on: reactor) { door in
                try await AccountCommands(invocation, door).run()
            }
        }
    }
}

extension GalleryError {
    var exitCode: ExitCode {
        switch self {
        case .refused(let refusal):
            switch refusal.status {
            case 401, 402, 403: .noPermission
            case 404, 410: .noInput
            case 408, 425, 429, 500...: .tryAgain
            default: .failure
            }
        case .unanswered(.cancelled, _): .interrupted
        case .unanswered(.invalid, _): .usage
        case .unanswered, .foreign: .unavailable
        case .loggedOut: .noPermission
        case .credentials: .tryAgain
        }
    }
}
