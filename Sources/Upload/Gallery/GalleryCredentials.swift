import Basics
import Posix

/// What lets us in at galleries: `credentials.json` in the home, for this user only.
package struct GalleryCredentials: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        /// The gallery's address in its one spelling.
        package let server: String
        package var user: GalleryUser
        package var tokens: GalleryTokens

        package init(server: String, user: GalleryUser, tokens: GalleryTokens) {
            self.server = server
            self.user = user
            self.tokens = tokens
        }
    }

    package var entries: [Entry] = []

    package init() {}

    package subscript(server: GalleryAddress) -> Entry? {
        get { entries.first { $0.server == "\(server)" } }
        set {
            let index = entries.firstIndex { $0.server == "\(server)" }
            switch (index, newValue) {
            case (let index?, let entry?): entries[index] = entry
            case (let index?, nil): entries.remove(at: index)
            case (nil, let entry?): entries.append(entry)
            case (nil, nil): break
            }
        }
    }
}

/// The file itself. It is replaced, never written into: a reader sees the old one or the new one.
package struct CredentialsFile: Sendable {
    /// Why it cannot be used. The text never repeats what is in the file.
    package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
        /// Another process is writing it at this moment.
        package var isBusy = false
    }

    package static let fileName = "credentials.json"
    private static let limit = 1 << 20
    static let mostServers = 100
    private static let version: Int64 = 1

    private let folder: String
    package var path: String { "\(folder)/\(Self.fileName)" }

    /// The folder is the home.
    package init(folder: String) {
        self.folder = folder
    }

    /// Empty where there is no such file yet.
    package func read() throws(Problem) -> GalleryCredentials {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: path, limit: Self.limit)
        } catch {
            if error.kind == .missing { return GalleryCredentials() }
            throw Problem(description: "\(error)")
        }
        let value: JSONValue
        do throws(JSON5Error) {
            value = try JSON5.parse(bytes)
        } catch {
            // Not the error's own text: it shows what it found, and what it found may be a token.
            throw damaged("it stops being JSON at line \(error.line), column \(error.column)")
        }
        do throws(GalleryResponseFields.Mismatch) {
            return try Self.credentials(value)
        } catch {
            throw damaged(error.description)
        }
    }

    private func damaged(_ what: String) -> Problem {
        Problem(
            description: "\(path) is damaged: \(what). Remove it and log in again: tetherline login SERVER")
    }

    private static func credentials(_ value: JSONValue) throws(GalleryResponseFields.Mismatch)
        -> GalleryCredentials
    {
        let whole = try GalleryResponseFields(value)
        guard value["version"]?.integer == version else {
            throw GalleryResponseFields.Mismatch(description: "its version is none that this program knows")
        }
        guard let servers = whole.value("servers")?.members, servers.count <= mostServers else {
            throw GalleryResponseFields.Mismatch(description: "it holds no servers")
        }
        var credentials = GalleryCredentials()
        for (server, value) in servers {
            let fields = try GalleryResponseFields(value)
            credentials.entries.append(
                GalleryCredentials.Entry(
                    server: server, user: try GalleryUser(try fields.fields("user")),
                    tokens: GalleryTokens(
                        access: try fields.secret("accessToken"), refresh: try fields.secret("refreshToken")))
            )
        }
        return credentials
    }

    /// Reads, changes and writes it as one step among all programs of this user. Durable when it returns.
    package func update(_ change: (inout GalleryCredentials) -> Void) throws(Problem) {
        let lock: FileLock
        do throws(FileLock.Failure) {
            lock = try FileLock(path: "\(folder)/.\(Self.fileName).lock")
        } catch {
            switch error {
            case .held: throw Problem(description: "\(error)", isBusy: true)
            case .system(let error): throw Problem(description: "\(error)")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        var after = before
        change(&after)
        guard after != before else { return }
        guard after.entries.count <= Self.mostServers else {
            throw Problem(
                description: "\(path) holds \(Self.mostServers) servers; log out from some of them first.")
        }
        do throws(SystemError) {
            // Written by root it stays its owner's, who could not read it otherwise.
            let directory = try Directory(path: folder)
            var old = try directory.facts(of: Self.fileName)
            old?.rights = 0o600
            try writeAtomically(
                Array((Self.json(after).compact + "\n").utf8), to: Self.fileName, in: directory,
                mode: 0o600, like: old)
        } catch {
            throw Problem(description: "\(error)")
        }
    }

    private static func json(_ credentials: GalleryCredentials) -> JSONValue {
        let servers = credentials.entries.map { entry in
            let user: JSONValue = [
                "id": .string(entry.user.id), "email": .string(entry.user.email),
                "displayName": .optional(entry.user.displayName) { .string($0) },
            ]
            let value: JSONValue = [
                "user": user, "accessToken": .string(entry.tokens.access),
                "refreshToken": .string(entry.tokens.refresh),
            ]
            return (key: entry.server, value: value)
        }
        return ["version": .integer(version), "servers": .object(servers)]
    }
}
