import Arguments
import Bridge
import Gallery
import Posix
import Synchronization

/// `gallery user` and `gallery credits`: what only whoever runs the server may do. While it runs it does it itself, since one
/// program writes at a time.
struct AccountCommands {
    static let userSpec: CommandSpec = {
        var add = CommandSpec("add", "Makes an account.")
        add.options = [
            DataFolder.option, OptionSpec("name", "NAME", "How it is shown. [the address]"),
            OptionSpec(
                "password-file", "FILE", "Take the password from a file's first line, instead of asking."),
        ]
        add.positionals = [PositionalSpec("EMAIL", .one, "What it logs in with.")]
        var list = CommandSpec("list", "Lists all accounts.")
        list.options = [DataFolder.option]
        var spec = CommandSpec("user", "Accounts of this server.")
        spec.subcommands = [add, list]
        return spec
    }()

    static let creditsSpec: CommandSpec = {
        var grant = CommandSpec(
            "grant", "Gives an account so many photos more; 'unlimited' ends the counting.")
        grant.options = [DataFolder.option]
        grant.positionals = [
            PositionalSpec("ACCOUNT", .one, "Its address or id."),
            PositionalSpec("N", .one, "How many, or 'unlimited'."),
        ]
        var spec = CommandSpec("credits", "What accounts may upload.")
        spec.subcommands = [grant]
        return spec
    }()

    private let invocation: Invocation
    private let data: DataFolder

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
    }

    func run(on reactor: Reactor) async throws {
        var command: [(key: String, value: JSONValue)] = [
            ("command", .string(invocation.path.joined(separator: " ")))
        ]
        switch invocation.path {
        case ["user", "add"]:
            let email = invocation.positionals[0]
            command += [
                ("email", .string(email)), ("name", .string(invocation.value("name") ?? email)),
                ("password", .string(try await password(on: reactor))),
            ]
        case ["credits", "grant"]:
            command += [
                ("account", .string(invocation.positionals[0])),
                ("count", .string(invocation.positionals[1])),
            ]
        default: break
        }
        printOutput(try await answer(to: .object(command), on: reactor))
    }

    private func password(on reactor: Reactor) async throws -> String {
        if let path = invocation.value("password-file") {
            let bytes = try ReadableFile.contents(of: path, limit: SecretLine.longest)
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return String(decoding: line, as: UTF8.self)
        }
        let password = try await SecretLine.read("Password: ", on: reactor)
        if Terminal.isTerminal(0), try await SecretLine.read("Once more: ", on: reactor) != password {
            throw UsageError("The two passwords are not the same.")
        }
        return password
    }

    /// By the server that runs, or here where none does.
    private func answer(to command: JSONValue, on reactor: Reactor) async throws -> String {
        let lines = Lines()
        do {
            try await ControlClient.ask(
                path: data.socket, command.compact, on: reactor, timeout: .seconds(30)
            ) {
                lines.add($0)
            }
            return try Self.read(lines.first)
        } catch is ControlClient.NobodyListens {
            // Nobody serves there, so that this program may write.
        }
        _ = try data.make()
        let lock = try data.lock()
        defer { withExtendedLifetime(lock) {} }
        let thread = ThreadExecutor(name: "writing")
        defer { thread.shutDown() }
        let store = try data.open(on: thread)
        let accounts = Accounts(
            store: store, secret: try data.secret(),
            hasher: PasswordHasher(executor: thread, random: Chance()), time: reactor)
        do {
            return try await Self.perform(command, accounts)
        } catch let error as APIError {
            // As it is said by the server that runs.
            throw Failed(description: "\(error)")
        }
    }

    private static func read(_ line: String?) throws -> String {
        guard let line else {
            throw Failed(description: "the server ended before it had answered; try again")
        }
        let answer = try JSON5.parse(line)
        if let error = answer["error"]?.string { throw Failed(description: error) }
        return answer["text"]?.string ?? ""
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    // MARK: In the program that writes

    static func answer(
        _ line: String, _ accounts: Accounts, _ reply: ControlListener.Reply, _ log: GalleryLog
    ) async {
        do {
            let answer: JSONValue
            do {
                answer = ["text": .string(try await perform(try JSON5.parse(line), accounts))]
            } catch {
                answer = ["error": .string("\(error)")]
            }
            try await reply(answer.compact)
        } catch {
            log.warning("whoever gave a command has gone before it was answered: \(error)")
        }
    }

    private static func perform(_ command: JSONValue, _ accounts: Accounts) async throws -> String {
        func text(_ key: String) -> String { command[key]?.string ?? "" }
        switch text("command") {
        case "user add":
            let account = try await accounts.addUser(
                email: text("email"), name: text("name"), password: text("password"))
            return "account \(account.email) made"
        case "user list":
            let users = try await accounts.users()
            guard !users.isEmpty else { return "there is no account yet" }
            return users.map { user in
                let credits = user.credits.map { "\($0) credits" } ?? "unlimited"
                return "\(user.id)  \(user.email)  \(user.displayName)  \(credits)"
            }.joined(separator: "\n")
        case "credits grant":
            let count: Int?
            if text("count") == "unlimited" {
                count = nil
            } else {
                guard let number = Int(text("count")) else {
                    throw UsageError("N is a number, or 'unlimited'.")
                }
                count = number
            }
            let account = try await accounts.grantCredits(to: text("account"), count)
            return "\(account.email) has \(account.credits.map { "\($0) credits" } ?? "unlimited credits")"
        default: throw UsageError("That is no command.")
        }
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var first: String? { lines.withLock { $0.first } }
}
