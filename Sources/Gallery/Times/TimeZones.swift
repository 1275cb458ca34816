import Posix
import Synchronization

/// The time zones that this machine knows by name: the IANA's database, as systems install it.
package final class TimeZones: Sendable {
    package static let system = TimeZones(folder: "/usr/share/zoneinfo")

    private let folder: String
    private let known = Mutex<[String: TimeZone]>([:])

    package init(folder: String) {
        self.folder = folder
    }

    /// A name that means nothing here, and what its host can do.
    package struct Unknown: Error, CustomStringConvertible {
        package let description: String
    }

    package func zone(_ name: ZoneName) throws(Unknown) -> TimeZone {
        if let minutes = name.minutes { return TimeZone(minutes: minutes) }
        if let zone = known.withLock({ $0[name.text] }) { return zone }
        let zone = TimeZone(try rules(name.text))
        known.withLock { $0[name.text] = zone }
        return zone
    }

    /// Nothing for an unknown zone, without an error: the server reports those when it starts.
    func known(_ name: ZoneName) -> TimeZone? {
        do throws(Unknown) {
            return try zone(name)
        } catch {
            return nil
        }
    }

    private func rules(_ name: String) throws(Unknown) -> ZoneRules {
        do {
            let file = try ReadableFile(path: "\(folder)/\(name)")
            guard file.size <= ZoneRules.longest else { throw ZoneRules.Damage() }
            return try ZoneRules(try file.read(0..<file.size))
        } catch is ZoneRules.Damage {
            throw Unknown(description: "'\(name)' is no time zone that this server can use")
        } catch {
            throw Unknown(
                description: "this server knows no time zone '\(name)' (they come with its package tzdata); "
                    + "a difference such as +01:00 does without")
        }
    }
}
