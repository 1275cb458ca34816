import Basics
import Posix

extension Timestamp {
    /// As the clock on the wall shows it here: 2026-11-22 18:03.
    var onTheWall: String {
        let local = self + .seconds(SystemWallTime().localOffset(at: self))
        let text = CivilTime.rfc3339(milliseconds: local.milliseconds)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
    }

    /// The same to a second: 2026-11-22 18:03:12.
    var onTheWallToSeconds: String { String(onTheWallToTenths.dropLast(2)) }

    /// The same to a tenth of a second: 2026-11-22 18:03:12.4.
    var onTheWallToTenths: String {
        let local = self + .seconds(SystemWallTime().localOffset(at: self))
        let text = CivilTime.rfc3339(milliseconds: local.milliseconds)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(10))"
    }
}
