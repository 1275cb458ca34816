/// How the system is to start the bridge, by what is installed here. Nothing is switched on.
public struct ServiceAdvice: Equatable, Sendable {
    /// A unit of the system, and the home that it has.
    public struct SystemUnit: Equatable, Sendable {
        public var path: String
        public var user: String
        public var home: String

        /// By what stands in its file.
        public init(path: String, text: String) {
            self.path = path
            var values: [Substring: Substring] = [:]
            for line in text.split(separator: "\n") {
                let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if pair.count == 2 { values[pair[0]] = pair[1] }
            }
            user = String(values["User"] ?? "root")
            home = "/var/lib/\(values["StateDirectory"] ?? "tetherline")"
        }
    }

    public var runsSystemd: Bool
    /// The file of the unit that each user has.
    public var userUnit: String?
    public var systemUnit: SystemUnit?
    /// Which home is asked about, and which one a user's unit works in.
    public var home: String
    public var usualHome: String?
    /// Variables that are set in this terminal and that its places go by: a service does not have them.
    public var variables: [String] = []

    public init(
        runsSystemd: Bool, userUnit: String?, systemUnit: SystemUnit?, home: String, usualHome: String?
    ) {
        self.runsSystemd = runsSystemd
        self.userUnit = userUnit
        self.systemUnit = systemUnit
        self.home = home
        self.usualHome = usualHome
    }

    public var lines: [String] {
        guard runsSystemd else {
            return [
                "This computer does not run systemd. Have what starts programs here run: tetherline run --home \(home)",
                "TERM ends it in order, and it goes on where it was after a power cut.",
            ] + environment(read: "Have what starts it read that file first.")
        }
        if let unit = systemUnit, unit.home == home {
            return environment(read: Self.edit("sudo systemctl edit", "EnvironmentFile=\(environmentFile)"))
                + [
                    "\(unit.path) starts the bridge in this home:",
                    "  sudo systemctl enable --now tetherline",
                ]
        }
        if let path = userUnit {
            return environment(read: Self.edit("systemctl --user edit", "EnvironmentFile=\(environmentFile)"))
                + user(path)
        }
        if let unit = systemUnit { return [Self.machine(unit)] + Self.machineCommands(unit) }
        let more = variables.isEmpty ? "" : " -p EnvironmentFile=\(environmentFile)"
        return environment(read: nil) + [
            "No unit of systemd is installed: the Debian package brings one. Until then, as this user:",
            "  systemd-run --user --unit tetherline -p Restart=on-failure\(more) tetherline run --home \(home)",
            "  loginctl enable-linger     # it goes on when you log out",
        ]
    }

    private var environmentFile: String { "\(home)/environment" }

    /// A service has the environment of no terminal. The file is the user's alone before anything is in it.
    private func environment(read: String?) -> [String] {
        guard !variables.isEmpty else { return [] }
        return [
            "Photos need what only this terminal's environment has: \(variables.joined(separator: ", ")). First give it to the service:",
            "  (umask 077; env | grep -E '^(\(variables.joined(separator: "|")))=' > '\(environmentFile)')",
        ] + [read].compactMap { $0 }
    }

    private static func edit(_ command: String, _ line: String) -> String {
        "  \(command) tetherline     # [Service], and below it \(line)"
    }

    private func user(_ path: String) -> [String] {
        var lines = [
            "\(path) starts the bridge for you:", "  systemctl --user enable --now tetherline",
            "  loginctl enable-linger     # it goes on without a log-in, from the start of the computer on",
        ]
        if home != usualHome {
            lines += [
                "It works in \(usualHome ?? "its usual home"), and this home is \(home). To have it work here, first:",
                Self.edit("systemctl --user edit", "Environment=TETHERLINE_HOME=\(home)"),
            ]
        }
        return lines
    }

    private static func machine(_ unit: SystemUnit) -> String {
        "\(unit.path) starts the bridge of this machine, as the user \(unit.user), in \(unit.home). Set that home up:"
    }

    private static func machineCommands(_ unit: SystemUnit) -> [String] {
        [
            "  sudo install -d -o \(unit.user) -g \(unit.user) -m 700 \(unit.home)",
            "  sudo -u \(unit.user) tetherline setup --home \(unit.home)",
            "  sudo systemctl enable --now tetherline",
        ]
    }
}
