import TestSupport
import Testing

/// Two network namespaces and a cable: the operator's computer at 10.9.0.1, cameras at 10.9.0.2 to 10.9.0.4.
struct Cable {
    let near: NetworkSpace
    let far: NetworkSpace

    init() throws {
        near = try NetworkSpace()
        far = try NetworkSpace()
        try near.ip(
            """
            link set lo up
            link add w0 type veth peer name w1 netns \(far.name)
            link set w0 up
            addr add 10.9.0.1/24 dev w0
            """)
        try far.ip(
            """
            link set lo up
            link set w1 up
            addr add 10.9.0.2/24 dev w1
            addr add 10.9.0.3/24 dev w1
            addr add 10.9.0.4/24 dev w1
            """)
    }

    /// One that announces itself at the far end, and says when it has.
    func announcer(_ words: String..., until said: String = "announced") throws -> Daemon {
        let command = far.words(["python3", "-c", DiscoverAnnouncer.script] + words)
        let daemon = try Daemon(#require(Tool(command[0])).path, Array(command.dropFirst()))
        try daemon.wait(for: said)
        return daemon
    }
}
