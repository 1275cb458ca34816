import Basics
import Camera
import Posix

/// How one camera is worked with and differs from others, as the operator says it:
/// `cameras: [{ at: "192.168.1.1", driver: "canon:remote", parameters: "five" }]`.
struct BodySettings {
    let at: HostPort
    /// Nothing where the camera's own word counts.
    let driver: DriverChoice?
    let traits: [String: String]

    private struct Said {
        var at: HostPort?
        var driver: DriverChoice?
        var traits: [String: String] = [:]
    }

    private static var table: [Setting<Said>] {
        [
            Setting("at", \.at) { source in
                let text = try source.text()
                do throws(HostPort.Unreadable) {
                    return try HostPort(text, defaultPort: TCPLinks.usualPort)
                } catch {
                    throw source.wrong("a camera's address: \(error)")
                }
            },
            Setting("driver", \.driver) { DriverChoice(try $0.choice(of: DriverChoice.words)) },
        ]
            + GenericConnector.vocabulary.sorted { $0.key < $1.key }.map { word, values in
                Setting(word, \.traits[word]) { try $0.choice(of: values) }
            } + [Setting("session", \.traits["session"]) { String(try $0.number(in: 1...0xFFFF_FFFE)) }]
    }

    init(_ object: SettingsObject) throws {
        var said = Said()
        try object.read(Self.table, into: &said)
        guard let at = said.at else { throw object.unusable("at", "says which camera: HOST or HOST:PORT") }
        self.at = at
        driver = said.driver
        traits = said.traits
    }
}
