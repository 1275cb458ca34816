import Arguments
import Basics
import Hud
import Posix

/// The bridge's page in a browser: the section `hud`, and what the command line of `tetherline run` says instead.
struct HudWishes {
    /// Nothing where there is to be none.
    var listen: IPEndpoint?
    /// What the service manager listens at for the page; it counts more than an address.
    var inherited: InheritedSocket?
    var file: String?
    var allowsPlainControl = false
    var certificate: String?
    var key: String?
    var names: [String] = []

    static let usualPort: UInt16 = 8420
    private static let mostNames = 20
    private static let fileName = "hud.url"
    /// FileDescriptorName= of the socket unit.
    private static let socketName = "hud"

    static var table: [Setting<Settings>] {
        [
            Setting("listen", option: "hud", \.hud.listen) { try endpoint($0) },
            Setting("file", option: "hud-file", \.hud.file) { try $0.text() },
            Setting("control", option: "hud-control", \.hud.allowsPlainControl) { try $0.flag() },
            Setting("certificate", \.hud.certificate) { try $0.text() },
            Setting("key", \.hud.key) { try $0.text() },
            Setting("names", \.hud.names) { source in
                let names = try source.texts()
                guard names.count <= mostNames, names.allSatisfy({ !$0.isEmpty }) else {
                    throw source.wrong("a list of at most \(mostNames) names of this machine")
                }
                return names.map { $0.lowercased() }
            },
        ]
    }

    private static func endpoint(_ source: any SettingSource) throws -> IPEndpoint {
        let text = try source.text()
        do throws(HostPort.Unreadable) {
            guard let endpoint = try IPEndpoint.listening(text, defaultPort: usualPort) else {
                throw HostPort.Unreadable(text: "", reason: "")
            }
            return endpoint
        } catch {
            throw source.wrong(
                "an address of this machine and a port, such as 127.0.0.1:\(usualPort) or 0.0.0.0:\(usualPort)"
            )
        }
    }

    static let pair = "hud.certificate and hud.key belong together: a chain and its key, in PEM."

    /// With a socket that this process was started with.
    mutating func takeSocket() throws(UsageError) {
        do throws(InheritedSocket.Unusable) {
            inherited = try InheritedSocket.take(named: Self.socketName) { Program.environment($0) }
        } catch {
            throw UsageError("\(error)")
        }
    }

    func check() throws {
        guard (certificate == nil) == (key == nil) else {
            throw UsageError(Self.pair)
        }
        if let file, Directory.place(of: file) == nil {
            throw UsageError("--hud-file names a file, not '\(file)'.")
        }
        if listen == nil, inherited == nil, file != nil || allowsPlainControl {
            throw UsageError("--hud-file and --hud-control are about --hud ADDRESS:PORT.")
        }
    }

    /// Where the address with its token is written, as the operator says or in the home.
    func file(in home: String) -> String { file ?? "\(home)/\(Self.fileName)" }

    /// With a port that is free, where any is wanted.
    func settings(_ listen: IPEndpoint) throws(SystemError) -> HudSettings {
        var settings = HudSettings(listen: listen.port == 0 ? try Socket.freeAddress(like: listen) : listen)
        settings.inherited = inherited
        if let certificate, let key { settings.tls = (certificate, key) }
        settings.allowsPlainControl = allowsPlainControl
        settings.names = Set(names)
        return settings
    }
}
