import Arguments
import Basics
import Posix
import Store
import Upload

/// One gallery with our log-in there, as a command uses it.
struct GalleryDoor: Sendable {
    let home: Home
    let address: GalleryAddress
    let api: GalleryAPI
    let account: GalleryAccount
    let file: CredentialsFile
    /// Held while no bridge runs in this home; nothing while one does.
    let lock: FileLock?
    let time: any TimeSource

    /// Runs a command at the gallery that it names, or at the only one there is a log-in for.
    static func open(
        _ invocation: Invocation, on reactor: Reactor,
        _ body: (GalleryDoor) async throws -> ExitCode
    ) async throws -> ExitCode {
        let home = Home(invocation.value("home"))
        let file = CredentialsFile(folder: home.path)
        let address = try address(invocation, try file.read())
        _ = try home.make()
        let lock = try home.lockWhereFree()
        let thread = ThreadExecutor(name: "account")
        defer { thread.shutDown() }
        return try await CommandTransport.withTransport(home) { transport in
            let api = GalleryAPI(address, http: transport, wall: SystemWallTime())
            let account = GalleryAccount(
                api: api, file: file, time: reactor, executor: thread, mayRefresh: lock != nil)
            let code = try await body(
                GalleryDoor(
                    home: home, address: address, api: api, account: account, file: file, lock: lock,
                    time: reactor))
            if let problem = await account.problem { printError("tetherline: \(problem)") }
            return code
        }
    }

    private static func address(
        _ invocation: Invocation, _ credentials: GalleryCredentials
    ) throws -> GalleryAddress {
        let servers = credentials.entries.map(\.server)
        if let text = invocation.value("server") {
            var address: GalleryAddress
            do throws(GalleryAddress.Invalid) {
                address = try GalleryAddress(text, allowsPlain: true)
            } catch {
                throw UsageError("--server: \(error)")
            }
            // Without a scheme the one that there is a log-in at is meant.
            if !text.contains("://"), !servers.contains("\(address)"), let other = address.otherScheme,
                servers.contains("\(other)")
            {
                address = other
            }
            guard servers.contains("\(address)") else {
                throw EventChoice.NotLoggedIn(
                    description:
                        "there is no log-in at \(address)\(listed(servers)). Log in first: \(address.loginCommand)"
                )
            }
            return address
        }
        guard let server = servers.first else {
            throw EventChoice.NotLoggedIn(
                description: "there is no log-in at any gallery yet; log in first: tetherline login SERVER")
        }
        guard servers.count == 1 else {
            throw UsageError("Say which gallery with --server\(listed(servers)).")
        }
        do throws(GalleryAddress.Invalid) {
            // The operator allowed plain http when logging in there, if it is plain.
            return try GalleryAddress(server, allowsPlain: true)
        } catch {
            throw NothingThere(description: "\(CredentialsFile(folder: "").path): \(error)")
        }
    }

    private static func listed(_ servers: [String]) -> String {
        servers.isEmpty ? "" : "; there are \(servers.joined(separator: ", "))"
    }
}

extension Home {
    /// Nothing while a bridge runs here: it is the one that renews the log-in.
    func lockWhereFree() throws(FileLock.Failure) -> FileLock? {
        do throws(FileLock.Failure) {
            return try FileLock(path: lockFile)
        } catch {
            guard case .held = error else { throw error }
            return nil
        }
    }
}

// MARK: What several commands ask of a gallery

extension GalleryDoor {
    /// Whether its terms are agreed to; `gives`: they are from now on.
    func consent(gives: Bool) async throws -> GalleryConsent {
        try await account.perform { [api] token throws(GalleryError) in
            let current = try await api.consent(token)
            return gives && !current.isGiven ? try await api.giveConsent(current, token) : current
        }
    }

    func events() async throws -> [GalleryEvent] {
        try await account.perform { [api] token throws(GalleryError) in try await api.events(token) }
    }

    func createEvent(named name: String) async throws -> GalleryEvent {
        try await account.perform { [api] token throws(GalleryError) in
            try await api.createEvent(named: name, token)
        }
    }
}

extension CredentialsFile {
    /// Another process writes for a moment at most.
    func updatePatiently(
        _ time: any TimeSource, _ change: (inout GalleryCredentials) -> Void
    ) async throws {
        for attempt in 1... {
            do throws(Problem) {
                return try update(change)
            } catch {
                guard error.isBusy, attempt < 40 else { throw error }
            }
            try await time.sleep(until: time.now + .milliseconds(50))
        }
    }
}
