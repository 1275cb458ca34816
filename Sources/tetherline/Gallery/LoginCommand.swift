import Arguments
import Basics
import Posix
import Store
import Upload

/// `login` and `register`.
struct LoginCommand {
    private let invocation: Invocation
    private let isNew: Bool
    private let home: Home
    private let address: GalleryAddress
    /// Whether the operator has said which it is, http or https.
    private let hasScheme: Bool

    init(_ invocation: Invocation, isNew: Bool) throws {
        self.invocation = invocation
        self.isNew = isNew
        home = Home(invocation.value("home"))
        let named = invocation.positionals + [invocation.value("server")].compactMap { $0 }
        guard let server = named.first, named.count == 1 else {
            throw UsageError(
                "Say which gallery, once: tetherline \(invocation.path[0]) https://gallery.example")
        }
        hasScheme = server.contains("://")
        do throws(GalleryAddress.Invalid) {
            address = try GalleryAddress(server, allowsPlain: invocation.has("plain-http"))
        } catch {
            throw UsageError("\(error)")
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let file = CredentialsFile(folder: try home.make().path)
        // What cannot be kept is better known before the operator types a password.
        _ = try file.read()
        let email = try await asked("email", "E-mail: ", on: reactor)
        let name = isNew ? try await asked("name", "Name: ", on: reactor) : ""
        let password = try await password(on: reactor)
        let login = try await CommandTransport.withTransport(home) { transport in
            let api = GalleryAPI(address, http: transport, wall: SystemWallTime())
            do throws(GalleryError) {
                return isNew
                    ? try await api.register(
                        email: email, password: password, displayName: name,
                        invite: invocation.value("invite"))
                    : try await api.login(email: email, password: password)
            } catch {
                if case .refused(let refusal) = error, refusal.status == 404 { throw Self.noGallery(refusal) }
                if case .unanswered(let failure, _) = error, failure != .cancelled { tellOtherScheme() }
                throw error
            }
        }
        let entry = GalleryCredentials.Entry(server: "\(address)", user: login.user, tokens: login.tokens)
        try await file.updatePatiently(reactor) { $0[address] = entry }
        // A bridge that waits for this need not wait any longer.
        _ = try await CommandRouter.ask([(key: "command", value: "tryAgain")], in: home, on: reactor)
        printOutput("logged in at \(address) as \(Visible(login.user.email))")
        return .success
    }

    /// Which of the two a host without a scheme speaks was a guess.
    private func tellOtherScheme() {
        guard !hasScheme, let other = address.otherScheme else { return }
        let command = other.loginCommand.split(separator: " ").dropFirst(2).joined(separator: " ")
        printError(
            "tetherline: without a scheme \(address.isEncrypted ? "https" : "http") was tried; where the gallery speaks "
                + "\(other.isEncrypted ? "https" : "http"): tetherline \(invocation.path[0]) \(command)")
    }

    private static func noGallery(_ refusal: GalleryRefusal) -> NothingThere {
        NothingThere(
            description:
                "\(refusal); no gallery is at this address. It mostly ends with the host's name or its port: what a browser "
                + "shows behind them, such as /host, does not belong to it.")
    }

    /// An option, or what the operator types. Where there is no terminal, standard input is for the password.
    private func asked(_ option: String, _ prompt: String, on reactor: Reactor) async throws -> String {
        let text: String
        if let given = invocation.value(option) {
            text = given
        } else if Terminal.isTerminal(0) {
            text = try await SecretLine.read(prompt, isHidden: false, on: reactor)
        } else {
            throw UsageError("Say --\(option): there is no terminal to ask at.")
        }
        guard !text.isEmpty, text.count <= 200 else {
            throw UsageError("--\(option) has 1 to 200 characters.")
        }
        return text
    }

    private func password(on reactor: Reactor) async throws -> String {
        var password = ""
        if let path = invocation.value("password-file") {
            let bytes = try ReadableFile.contents(of: path, limit: SecretLine.longest)
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            password = String(decoding: line, as: UTF8.self)
        } else {
            do {
                password = try await SecretLine.read("Password: ", on: reactor)
                if isNew, Terminal.isTerminal(0),
                    try await SecretLine.read("Once more: ", on: reactor) != password
                {
                    throw UsageError("The two passwords are not the same.")
                }
            } catch let error as SecretLine.Failure {
                throw UsageError("The password: \(error)")
            }
        }
        guard !password.isEmpty else { throw UsageError("The password is empty.") }
        return password
    }
}
