import Basics
import Camera
import Posix

/// How one camera differs from others, as the operator says it: `cameras: [{ at: "192.168.1.1", parameters: "five" }]`.
struct BodySettings: Equatable {
    var at: HostPort
    var traits: [String: String] = [:]

    func isAt(_ host: HostPort) -> Bool { at == host }

    init(_ section: inout SettingsSection) throws {
        var place: String?
        try section.text("at") { place = $0 }
        guard let place else { throw section.unusable("at", "says which camera: HOST or HOST:PORT") }
        do throws(HostPort.Unreadable) {
            at = try HostPort(place, defaultPort: TCPLinks.usualPort)
        } catch {
            throw section.unusable("at", "is a camera's address: \(error)")
        }
        for (word, values) in GenericConnector.vocabulary.sorted(by: { $0.key < $1.key }) {
            try section.choice(word, values) { traits[word] = $0 }
        }
        try section.number("session", 1...0xFFFF_FFFE) { traits["session"] = String($0) }
    }
}
