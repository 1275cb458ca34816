import Bridge
import Posix
import Store

extension ServiceAdvice {
    private static let unit = "tetherline.service"
    private static let longestUnit = 1 << 16
    /// Where systemd looks for units, the first that has one counting.
    private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib"]

    /// As it is on this computer.
    init(home: Home) throws(SystemError) {
        let own = Program.environment("HOME")
        let user =
            (own.map { ["\($0)/.config/systemd/user"] } ?? []) + Self.folders.map { "\($0)/systemd/user" }
        var system: SystemUnit?
        if let path = try Self.unit(in: Self.folders.map { "\($0)/systemd/system" }) {
            let bytes = try ReadableFile.contents(of: path, limit: Self.longestUnit)
            system = SystemUnit(path: path, text: String(decoding: bytes, as: UTF8.self))
        }
        let state = Program.environment("XDG_STATE_HOME") ?? own.map { "\($0)/.local/state" }
        self.init(
            runsSystemd: try Self.isThere("system", in: "/run/systemd"), userUnit: try Self.unit(in: user),
            systemUnit: system, home: home.path, usualHome: state.map { "\($0)/tetherline" })
    }

    private static func unit(in folders: [String]) throws(SystemError) -> String? {
        for folder in folders where try isThere(unit, in: folder) { return "\(folder)/\(unit)" }
        return nil
    }

    private static func isThere(_ name: String, in path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try Directory(path: path).facts(of: name) != nil
        } catch {
            guard error.kind == .missing else { throw error }
            return false
        }
    }
}
