import Arguments

/// Commands that say what they have done: `-q` leaves that out. What goes wrong is said all the same, on standard error.
extension CommandSpec {
    static let quiet = "quiet"

    /// By their words. Commands that are asked for what they print have nothing to leave out.
    private static let chatty: Set<String> = [
        "run", "redeliver", "retry", "cancel", "pause", "resume", "login", "register", "logout",
        "store backup",
        "destination add", "destination replace", "destination remove", "camera get", "camera add",
        "camera remove",
        "config set", "config unset", "events create", "events select", "events close", "events take",
        "events decline", "photo rate", "photo caption", "photo tag", "photo album", "photo hide",
        "photo unhide", "cache clear",
    ]

    /// Adds the option where it means something.
    mutating func offerQuiet(_ path: [String] = []) {
        for index in subcommands.indices { subcommands[index].offerQuiet(path + [subcommands[index].name]) }
        guard Self.chatty.contains(path.joined(separator: " ")) else { return }
        options.append(.flag(Self.quiet, "Print only what goes wrong; -q is the same."))
        if options.contains(where: { $0.name == "json" }) { exclusive.append([Self.quiet, "json"]) }
    }
}
