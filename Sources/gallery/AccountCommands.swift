import Arguments
import Basics
import Gallery
import Posix
import Synchronization

/// `gallery user`, `gallery credits` and others: what only the server's operator may do. A server that runs does it itself, since
/// one program writes at a time.
struct AccountCommands {
    private let invocation: Invocation
    private let data: DataFolder
    private let rows: DatabaseChoice
    /// By which this program mails, where it has to do that itself.
    private let mail: MailChoice?

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        rows = try DatabaseChoice(invocation, data)
        mail = try MailChoice(invocation)
    }

    private func lockedFolder() throws -> FileLock {
        _ = try data.make()
        return try data.lock()
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
            if let credits = invocation.value("credits") {
                guard Credits(credits) != nil else { throw UsageError("--credits needs \(Credits.rule).") }
                command.append(("credits", .string(credits)))
            }
        case ["user", "password"]:
            try checkMail()
            let url = try ServeCommand.publicURL(invocation.value("public-url") ?? "http://127.0.0.1:8080")
            command += [
                ("account", .string(invocation.positionals[0])), ("url", .string(url)),
                ("mails", .bool(invocation.has("mail"))),
            ]
        case ["user", "delete"]:
            let account = invocation.positionals[0]
            command.append(("account", .string(account)))
            if !invocation.has("yes") { try await confirm(account, on: reactor) }
        case ["invite"]:
            let uses = try invocation.integer("uses", in: Accounts.invitationUses) ?? 1
            let days = try invocation.integer("days", in: Accounts.invitationDays) ?? 7
            command += [("uses", .integer(Int64(uses))), ("days", .integer(Int64(days)))]
        case ["keys", "retire"]:
            let number = try KeyCommands.number(invocation.positionals[0])
            command.append(("number", .integer(number)))
            if !invocation.has("yes") { try await KeyCommands.confirm(number, on: reactor) }
        case ["credits", "grant"]:
            command += [
                ("account", .string(invocation.positionals[0])),
                ("count", .string(invocation.positionals[1])),
            ]
        default: break
        }
        printOutput(try await answer(to: .object(command), on: reactor))
    }

    private func checkMail() throws(UsageError) {
        switch (invocation.has("mail"), mail) {
        case (false, .some): throw UsageError("--smtp belongs to --mail.")
        case (true, nil) where rows.isShared:
            throw UsageError(
                "Nodes that share a database are not asked to send mail: say --smtp and --public-url as they have it, or leave "
                    + "out --mail, and pass on the link.")
        case (_, _): break
        }
    }

    /// What goes with an account is told before it is asked.
    private func confirm(_ account: String, on reactor: Reactor) async throws {
        let told = try await answer(
            to: ["command": "user belongings", "account": .string(account)], on: reactor)
        printOutput("\(told)\nAll of it is deleted, for guests as well. Nothing brings it back.")
        let typed = try await SecretLine.read("Type \(account) to delete it: ", isHidden: false, on: reactor)
        guard typed == account else { throw Failed(description: "nothing was deleted") }
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
    func answer(to command: JSONValue, on reactor: Reactor) async throws -> String {
        let lines = Lines()
        // A mail server may take its time.
        let timeout = Duration.seconds(command["mails"]?.bool == true ? 150 : 30)
        // Nodes that share a database are not asked: any program may write to it.
        if !rows.isShared {
            do {
                try await ControlClient.ask(
                    path: data.socket, command.compact, on: reactor, timeout: timeout
                ) {
                    lines.add($0)
                }
                return try Self.read(lines.first)
            } catch is ControlClient.NobodyListens {
                // No server runs there, so that this program may write.
            }
        }
        return try await perform(command, on: reactor)
    }

    private func perform(_ command: JSONValue, on reactor: Reactor) async throws -> String {
        // Where rows are at a server, any number of programs write.
        let lock = rows.isShared ? nil : try lockedFolder()
        defer { withExtendedLifetime(lock) {} }
        let thread = ThreadExecutor(name: "passwords")
        defer { thread.shutDown() }
        let database = try rows.open(reactor, migrates: false) { printError("gallery: \($0)") }
        defer { database.shutDown() }
        let store = database.store
        var settings = AccountSettings()
        if let mail { (settings.publicURL, settings.mail) = (command["url"]?.string, try mail.door()) }
        let accounts = Accounts(
            store: store, keys: try await KeyCommands.ring(invocation, rows, database, reactor),
            hasher: PasswordHasher(executor: thread, random: SystemRandomSource()), time: reactor,
            settings: settings)
        do {
            return try await Self.perform(command, accounts) { event in
                try await store { try $0.renewKey(of: event) }
            }
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

    /// Gives an event another key; nothing where it is gone.
    typealias Renewal = @Sendable (_ event: String) async throws -> Event?

    static func answer(
        _ line: String, _ accounts: Accounts, _ renew: Renewal, _ reply: ControlListener.Reply,
        _ log: GalleryLog
    ) async {
        do {
            let answer: JSONValue
            do {
                answer = ["text": .string(try await perform(try JSON5.parse(line), accounts, renew))]
            } catch {
                answer = ["error": .string("\(error)")]
            }
            try await reply(answer.compact)
        } catch {
            log.warning("the program that gave a command was gone before it was answered: \(error)")
        }
    }

    private static func perform(
        _ command: JSONValue, _ accounts: Accounts, _ renew: Renewal
    ) async throws -> String {
        func text(_ key: String) -> String { command[key]?.string ?? "" }
        switch text("command") {
        case "user add":
            let account = try await accounts.addUser(
                email: text("email"), name: text("name"), password: text("password"),
                credits: Credits(text("credits")))
            return "account \(account.email) made"
        case "user list":
            let users = try await accounts.users()
            guard !users.isEmpty else { return "there is no account yet" }
            return users.map { user in
                let credits = user.credits.map { "\($0) credits" } ?? "unlimited"
                return "\(user.id)  \(user.email)  \(user.displayName)  \(credits)"
            }.joined(separator: "\n")
        case "invite":
            func number(_ key: String) -> Int { command[key]?.integer.flatMap(Int.init(exactly:)) ?? 0 }
            return said(of: try await accounts.invite(uses: number("uses"), days: number("days")), accounts)
        case "qr renew":
            guard try await renew(text("event")) != nil else { throw APIError.notFound("event") }
            return
                "the old code opens nothing any more; guests who came in by it are asked for the PIN or the new code"
        case "user password":
            if command["mails"]?.bool == true {
                try await accounts.mailPasswordLink(to: text("account"))
                return "a link for another password is mailed to \(text("account"))"
            }
            return try await accounts.passwordLink(
                for: text("account"), publicURL: accounts.settings.publicURL ?? text("url"))
        case "keys list", "keys rotate", "keys retire":
            return try await KeyCommands.perform(command, accounts.keys)
        case "user belongings": return try await accounts.belongings(of: text("account"))
        case "user delete": return try await accounts.deleteUser(text("account"))
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

    private static func said(of invitation: Accounts.Invitation, _ accounts: Accounts) -> String {
        let accountsText = invitation.uses == 1 ? "one account" : "\(invitation.uses) accounts"
        let end = CivilTime.rfc3339(milliseconds: invitation.expiresAt.milliseconds)
        var lines = [
            invitation.code.text,
            "for \(accountsText) until \(end): at /host, or tetherline register URL --invite CODE",
        ]
        if accounts.settings.registration != .invite {
            lines.append("It counts once the server runs with --registration invite.")
        }
        return lines.joined(separator: "\n")
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var first: String? { lines.withLock { $0.first } }
}
