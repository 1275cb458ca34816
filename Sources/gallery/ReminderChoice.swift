import Arguments
import Basics
import Gallery
import HTTPClient
import Posix
import Web

/// How hosts are told that events end, as the command line says.
struct ReminderChoice {
    static let options = [
        OptionSpec(
            "reminder-command", "FILE",
            "A program that tells a host that an event ends, by what its argument says in JSON: two weeks and three days before "
                + "and when it has; called until it ends with 0. 'none': hosts are not told. [a mail, with --smtp]"
        ),
        OptionSpec(
            "reminder-url", "URL",
            "The same by POST of that JSON, until it is answered 2xx; $REMINDER_AUTHORIZATION is its Authorization."
        ),
    ]

    private static let none = "none"
    static let authorization = "REMINDER_AUTHORIZATION"
    /// Of our environment, what the operator's program gets.
    private static let inherited = ["PATH", "HOME", "LANG", authorization]

    private enum Way {
        case command(String)
        case webhook(String)
        /// Where mail is sent anyway.
        case mail
        case nothing
    }

    private let way: Way

    init(_ invocation: Invocation) throws {
        switch (invocation.value("reminder-command"), invocation.value("reminder-url")) {
        case (nil, nil): way = .mail
        case (_?, _?): throw UsageError("--reminder-command and --reminder-url: say one of them.")
        case (Self.none, nil): way = .nothing
        case (let program?, nil):
            guard let path = Directory.absolute(program) else {
                throw UsageError("--reminder-command needs a program's path, not '\(program)'.")
            }
            do throws(SystemError) {
                try ChildProcess.check(path)
            } catch {
                throw UsageError("--reminder-command: \(error)")
            }
            way = .command(path)
        case (nil, let url?):
            guard let address = PublicAddress(url), !address.host.isEmpty, url.utf8.count <= 500,
                url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw UsageError(
                    "--reminder-url needs an address such as https://mail.example.org/remind, not '\(url)'.")
            }
            way = .webhook(url)
        }
    }

    func reminders(by mail: MailChoice?, on reactor: Reactor) throws -> (any ReminderWay)? {
        switch way {
        case .mail:
            try mail.map {
                try ReminderMail(
                    $0.door(), random: SystemRandomSource(), time: reactor, wall: SystemWallTime())
            }
        case .nothing: nil
        case .command(let program):
            ReminderCommand(
                OperatorCommand(
                    program,
                    environment: Self.inherited.reduce(into: [:]) { $0[$1] = Program.environment($1) },
                    on: reactor))
        case .webhook(let url):
            ReminderWebhook(
                OperatorWebhook(
                    "the reminder URL", url, authorization: Program.environment(Self.authorization),
                    http: try CurlClient()))
        }
    }
}
