import Arguments
import Basics
import Gallery
import Posix

/// `gallery keys`: what log-ins, passes and links are signed with. Done by the server that runs, as ``AccountCommands`` are.
enum KeyCommands {
    static let spec: CommandSpec = {
        var list = CommandSpec(
            "list", "Lists the keys by their numbers; the keys themselves are never shown.")
        list.options = [DataFolder.option, DatabaseChoice.option]
        list.examples = ["gallery keys list"]
        var rotate = CommandSpec("rotate", "Makes another key, which signs what is new.")
        rotate.discussion = [
            "No user is logged out: what the keys before it have signed stays good until they are retired. With --database the new one "
                + "signs a quarter of a minute later, when every node has read it."
        ]
        rotate.options = [DataFolder.option, DatabaseChoice.option]
        rotate.examples = ["gallery keys rotate"]
        var retire = CommandSpec("retire", "Ends a key with all that was signed with it.")
        retire.discussion = [
            "Who has not been here since a newer key signs has to log in, or to type the PIN, again: thirty days after 'rotate' that is "
                + "no user. Where a key has leaked, rotate and retire at once."
        ]
        retire.options = [DataFolder.option, DatabaseChoice.option, .flag("yes", "Do not ask.")]
        retire.examples = ["gallery keys retire 1"]
        retire.positionals = [PositionalSpec("N", .one, "Its number.")]
        var spec = CommandSpec("keys", "What log-ins, passes and links are signed with.")
        spec.subcommands = [list, rotate, retire]
        return spec
    }()

    static func number(_ text: String) throws(UsageError) -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw UsageError("N is the number of a key, as 'gallery keys list' shows it, not '\(text)'.")
        }
        return number
    }

    static func confirm(_ number: Int64, on reactor: Reactor) async throws {
        printOutput(
            "All that was signed with key \(number) is good for nothing then: log-ins that were not renewed since a newer key "
                + "signs, and guests' passes from before. Nothing brings it back.")
        let typed = try await SecretLine.read(
            "Type \(number) to retire it: ", isHidden: false, on: reactor)
        guard typed == "\(number)" else {
            throw AccountCommands.Failed(description: "no key was retired")
        }
    }

    /// For a command beside nodes. Of those only `keys rotate` makes keys, and none hands out what is signed.
    static func ring(
        _ invocation: Invocation, _ rows: DatabaseChoice, _ database: GalleryDatabase, _ reactor: Reactor
    ) async throws -> KeyRing {
        if invocation.path == ["keys", "rotate"] { return try await rows.keys(database, reactor) }
        if let known = try await rows.knownKeys(database, reactor) { return known }
        guard invocation.path.first != "keys" else {
            throw AccountCommands.Failed(
                description:
                    "there is no key yet: the first 'gallery serve' with this database makes it, and 'gallery move' brings "
                    + "those of a gallery")
        }
        return KeyRing(ServerSecret(SystemRandomSource().bytes(ServerSecret.length)))
    }

    /// In the program that writes.
    static func perform(_ command: JSONValue, _ keys: KeyRing) async throws -> String {
        switch command["command"]?.string {
        case "keys rotate":
            let number = try await keys.rotate()
            let secret = keys.secret
            let when =
                secret.current.number == number
                ? "signs from now on" : "signs as soon as every node has read it, in a quarter of a minute"
            return "key \(number) is made, and \(when); what was signed before stays good"
        case "keys retire":
            let number = command["number"]?.integer ?? 0
            try await keys.retire(number)
            return "key \(number) is retired; what was signed with it is good for nothing any more"
        default:
            try await keys.read()
            return lines(keys.secret).joined(separator: "\n")
        }
    }

    private static func lines(_ secret: ServerSecret) -> [String] {
        secret.keys.map { key in
            let made = key.createdAt.map { CivilTime.rfc3339(milliseconds: $0.milliseconds) } ?? "-"
            let state =
                if key.number == secret.current.number {
                    "signs"
                } else if key.isKnownToAll {
                    "good until it is retired"
                } else {
                    "signs as soon as every node has read it"
                }
            return "\(key.number)  \(made)  \(state)"
        }
    }
}
