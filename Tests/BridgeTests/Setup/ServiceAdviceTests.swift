import Bridge
import Testing

/// How a bridge is started by itself, told by what is installed.
@Suite struct ServiceAdviceTests {
    private static let unit = ServiceAdvice.SystemUnit(
        path: "/usr/lib/systemd/system/tetherline.service",
        text: """
            [Service]
            # User=nobody
            ExecStart=/usr/bin/tetherline run
            User=tetherline
            StateDirectory=tetherline
            """)
    private static let user = "/usr/lib/systemd/user/tetherline.service"
    private static let own = "/srv/ann/tetherline"

    private static func advice(_ user: String?, _ system: ServiceAdvice.SystemUnit?, home: String) -> String {
        ServiceAdvice(runsSystemd: true, userUnit: user, systemUnit: system, home: home, usualHome: own).lines
            .joined(separator: "\n")
    }

    @Test("one's own home has the unit of one's own account; another home is to be named to it")
    func account() {
        let usual = Self.advice(Self.user, Self.unit, home: Self.own)
        #expect(usual.contains("systemctl --user enable --now tetherline") && usual.contains("enable-linger"))
        #expect(!usual.contains("sudo") && !usual.contains("TETHERLINE_HOME"))
        let other = Self.advice(Self.user, nil, home: "/srv/t")
        #expect(other.contains("Environment=TETHERLINE_HOME=/srv/t"))
    }

    @Test("the home of the machine's unit is told from its file, and so is its user")
    func machine() {
        let its = Self.advice(Self.user, Self.unit, home: "/var/lib/tetherline")
        #expect(its.contains("sudo systemctl enable --now tetherline") && !its.contains("--user"))
        let first = Self.advice(nil, Self.unit, home: Self.own)
        #expect(first.contains("sudo -u tetherline tetherline setup --home /var/lib/tetherline"))
    }

    @Test("what only a terminal has is given to each kind of service by a file, before it is started")
    func environment() {
        for (user, unit, home, reader) in [
            (Self.user, nil, Self.own, "systemctl --user edit"), (nil, nil, "/srv/t", "-p EnvironmentFile"),
            (nil, Self.unit, "/var/lib/tetherline", "sudo systemctl edit"),
        ] as [(String?, ServiceAdvice.SystemUnit?, String, String)] {
            var advice = ServiceAdvice(
                runsSystemd: true, userUnit: user, systemUnit: unit, home: home, usualHome: Self.own)
            let without = advice.lines
            #expect(!without.joined().contains("environment"))
            advice.variables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
            let text = advice.lines.joined(separator: "\n")
            #expect(text.contains("^(AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY)=' > '\(home)/environment'"))
            #expect(text.contains(reader) && text.contains("EnvironmentFile=\(home)/environment"), "\(text)")
            #expect(advice.lines.last == without.last)
        }
    }

    @Test("where nothing is installed, or systemd does not run, what does the same is told")
    func none() {
        #expect(Self.advice(nil, nil, home: "/srv/t").contains("systemd-run --user"))
        let advice = ServiceAdvice(
            runsSystemd: false, userUnit: nil, systemUnit: nil, home: "/srv/t", usualHome: nil)
        #expect(advice.lines.contains { $0.contains("tetherline run --home /srv/t") })
    }
}
