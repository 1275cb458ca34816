import Arguments
import Basics
import Posix
import Upload

/// `logout`, `whoami` and `consent`.
struct AccountCommands {
    private let invocation: Invocation
    private let door: GalleryDoor

    init(_ invocation: Invocation, _ door: GalleryDoor) {
        self.invocation = invocation
        self.door = door
    }

    func run() async throws -> ExitCode {
        switch invocation.path.first {
        case "logout": try await logout()
        case "whoami": try await whoami()
        case "consent": try await consent()
        default: preconditionFailure("the parser knows no other commands")
        }
    }

    /// Out here in any case; whether the gallery could be told is another matter.
    private func logout() async throws -> ExitCode {
        let token = try door.file.read()[door.address]?.tokens.refresh
        try await door.file.updatePatiently(door.time) { $0[door.address] = nil }
        if let token {
            do throws(GalleryError) {
                try await door.api.logout(token)
            } catch {
                printError(
                    "tetherline: the gallery could not be told, and keeps the log-in until it expires: \(Visible(error.description))"
                )
            }
        }
        printOutput("logged out from \(door.address)")
        return .success
    }

    private func whoami() async throws -> ExitCode {
        let user = try await door.account.perform { [api = door.api] token throws(GalleryError) in
            try await api.me(token)
        }
        if invocation.has("json") {
            let value: JSONValue = [
                "server": .string("\(door.address)"), "id": .string(user.id), "email": .string(user.email),
                "displayName": .optional(user.displayName) { .string($0) },
            ]
            printOutput(value.compact)
        } else {
            let name = user.displayName.map { ", \(Visible($0))" } ?? ""
            printOutput("\(Visible(user.email))\(name), at \(door.address)")
        }
        return .success
    }

    private func consent() async throws -> ExitCode {
        let consent = try await door.consent(gives: invocation.has("give"))
        if invocation.has("json") {
            let value: JSONValue = [
                "server": .string("\(door.address)"), "version": .string(consent.versionText),
                "given": .bool(consent.isGiven), "terms": .optional(consent.terms, JSONValue.string),
            ]
            printOutput(value.compact)
            return consent.isGiven ? .success : .failure
        }
        if consent.terms != nil {
            for line in consent.termLines { printOutput(Visible(line).description) }
            printOutput("")
        }
        if consent.isGiven {
            printOutput("consent to version \(consent.versionText) is given at \(door.address)")
        } else {
            printOutput(
                "consent to version \(consent.versionText) is not given at \(door.address), which takes no photo until it is. Give it with: tetherline consent --give"
            )
        }
        return consent.isGiven ? .success : .failure
    }
}
