import Arguments
import Basics
import Gallery
import Posix
import Web

/// `gallery qr EVENT`: what guests point their phones at, in the terminal.
struct QRCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("qr", "Shows an event's QR code in the terminal.")
        spec.discussion = [
            "Guests who scan it need no PIN. Once it is renewed, guests who came in by the old one are out; those who typed the PIN stay."
        ]
        spec.options = [
            DataFolder.option, DatabaseChoice.option,
            OptionSpec("public-url", "URL", "How the server is reached from outside."),
            .flag("svg", "Print an SVG picture instead."),
            .flag("renew", "Make a new code first: the old one opens nothing any more."),
        ]
        spec.positionals = [PositionalSpec("EVENT", .one, "Its name, id, or the address of its page.")]
        spec.examples = ["gallery qr Wedding --public-url https://photos.example.org"]
        return spec
    }()

    private let invocation: Invocation
    private let data: DataFolder
    private let publicURL: String

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        publicURL = try ServeCommand.publicURL(invocation.value("public-url") ?? "http://127.0.0.1:8080")
    }

    func run(on reactor: Reactor) async throws {
        let rows = try DatabaseChoice(invocation, data)
        let database = try rows.openForReading(reactor)
        defer { database.shutDown() }
        let reader = database.reader
        var event = try await Self.event(invocation.positionals[0], reader)
        if invocation.has("renew") {
            let command: JSONValue = ["command": "qr renew", "event": .string(event.id)]
            printError(try await AccountCommands(invocation).answer(to: command, on: reactor))
            event = try await Self.event(invocation.positionals[0], reader)
        }
        let url = event.entryURL(publicURL)
        let hasColours = TerminalColours.areWanted(
            isTerminal: Terminal.isTerminal(1), environment: { Program.environment($0) })
        printOutput(
            invocation.has("svg") ? qrSVG(url) : "\(qrTerminal(url, colours: hasColours))\n\(url)")
    }

    /// The one that an operator means.
    static func event(_ name: String, _ reader: ReaderPool) async throws -> Event {
        let found = try await reader { try $0.events(named: name) }
        guard let event = found.first else { throw APIError(.notFound, "there is no event '\(name)'") }
        guard found.count == 1 else {
            let choices = found.map { "\($0.slug) (\($0.name))" }.joined(separator: ", ")
            throw UsageError("'\(name)' are several events: \(choices). Say the address of one.")
        }
        return event
    }
}
