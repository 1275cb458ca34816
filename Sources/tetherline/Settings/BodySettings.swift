import Basics
import Camera
import Discovery
import Posix

/// How one camera is worked with and differs from others, as the operator says it:
/// `cameras: [{ at: "192.168.1.1", driver: "canon:remote", parameters: "five" }]`.
struct BodySettings {
    /// An address, or a camera's name, model or serial number, which it has at every address.
    let at: CameraChoice
    /// Nothing where the camera's own word counts.
    let driver: DriverChoice?
    let traits: [String: String]
    /// Nothing where it is not reached through SSH.
    let ssh: SSHSettings?

    private struct Said {
        var at: CameraChoice?
        var driver: DriverChoice?
        var traits: [String: String] = [:]
        var ssh: [String: String] = [:]
    }

    private static var table: [Setting<Said>] {
        [
            Setting("at", \.at) { source in
                let text = try source.text()
                do throws(HostPort.Unreadable) {
                    return try CameraChoice(text)
                } catch {
                    throw source.wrong("a camera's address or name: \(error)")
                }
            },
            Setting("driver", \.driver) { DriverChoice(try $0.choice(of: DriverChoice.words)) },
        ]
            + GenericConnector.vocabulary.sorted { $0.key < $1.key }.map { word, values in
                Setting(word, \.traits[word]) { try $0.choice(of: values) }
            }
            + ["ssh-user", "ssh-password-file", "ssh-host-key"].map { word in
                Setting(word, \.ssh[word]) { try $0.text() }
            } + [Setting("session", \.traits["session"]) { String(try $0.number(in: 1...0xFFFF_FFFE)) }]
    }

    /// Whether it is about the camera at an address, which the home may know.
    func isAbout(_ host: HostPort, _ camera: ExpectedCamera?) -> Bool {
        guard let camera else { return at == .address(host) }
        switch at.resolved(among: [camera]) {
        case .address(let other): return other == host
        case .named(let name): return name.means(camera)
        case .automatic: return false
        }
    }

    init(_ object: SettingsObject) throws {
        var said = Said()
        try object.read(Self.table, into: &said)
        guard let at = said.at else {
            throw object.unusable("at", "says which camera: HOST, HOST:PORT, or a camera's name")
        }
        self.at = at
        driver = said.driver
        traits = said.traits
        ssh = try SSHSettings(said.ssh, in: object)
    }
}

/// Who is let in where a camera is reached through SSH alone.
struct SSHSettings {
    private let user: String
    let passwordFile: String
    private let hostKey: String?

    fileprivate init?(_ said: [String: String], in object: SettingsObject) throws {
        guard !said.isEmpty else { return nil }
        guard let user = said["ssh-user"] else {
            throw object.unusable("ssh-user", "is missing: the camera's screen shows it")
        }
        guard let passwordFile = said["ssh-password-file"], passwordFile.hasPrefix("/") else {
            throw object.unusable(
                "ssh-password-file", "is the path of a file whose first line is the password")
        }
        (self.user, self.passwordFile, hostKey) = (user, passwordFile, said["ssh-host-key"])
        guard access(in: "/") != nil else {
            throw object.unusable(
                hostKey == nil ? "ssh-user" : "ssh-host-key",
                "is no name, or no fingerprint as the camera shows it: SHA256: and 43 characters")
        }
    }

    /// `folder` is where a few lines for ssh may lie.
    func access(in folder: String) -> SSHAccess? {
        SSHAccess(user: user, passwordFile: passwordFile, fingerprint: hostKey, folder: folder)
    }
}
