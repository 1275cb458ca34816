import Basics
import Bridge
import Testing

/// When an operator is called, from tables of what is so at which second.
@Suite struct AlertMachineTests {
    static let start = Timestamp(milliseconds: 1_795_464_000_000)

    /// What is seen at a look.
    enum Sight: Sendable {
        case there
        case away
        case asleep
        case unknown
    }

    struct Course: Sendable, CustomTestStringConvertible {
        let name: String
        /// From that second on, until the next.
        let sights: [(second: Int, Sight)]
        /// When what is said, looked at every five seconds for 2000 seconds.
        let said: [(second: Int, AlertNews.State)]

        var testDescription: String { name }
    }

    private static func status(_ sight: Sight, at second: Int) -> BridgeStatus {
        var status = BridgeStatus()
        status.at = start + .seconds(second)
        let phase: BridgeStatus.CameraPhase? =
            switch sight {
            case .there: .idle
            case .away: second % 10 == 0 ? .lost : .connecting
            case .asleep: second % 10 == 0 ? .asleep : .connecting
            case .unknown: nil
            }
        status.cameras = [.init(address: "10.0.0.2:15740", name: "Nikon Z 9", phase: phase)]
        return status
    }

    private static let settings: AlertSettings = {
        var settings = AlertSettings()
        settings.cameraLost.after = .seconds(60)
        settings.cameraAsleep = .seconds(500)
        settings.grace = .seconds(120)
        settings.repeats = .seconds(600)
        return settings
    }()

    private typealias Sights = [(second: Int, Sight)]
    private typealias Said = [(second: Int, AlertNews.State)]

    /// Away at one second and there at another, so many times, so often.
    private static func flapping(_ times: Int, each span: Int, awayFor away: Int) -> Sights {
        var sights: Sights = [(0, .there)]
        for turn in 0..<times {
            sights.append((300 + turn * span, .away))
            sights.append((300 + turn * span + away, .there))
        }
        return sights
    }

    private static func made(_ name: String, _ sights: Sights, _ said: Said) -> Course {
        Course(name: name, sights: sights, said: said)
    }

    /// Settled for 15 s means: over at the look 15 s after the first that saw it there.
    static let courses: [Course] = [
        made("there all the time", [(0, .there)], []),
        made("lost once", [(0, .there), (300, .away), (500, .there)], [(360, .began), (515, .over)]),
        made("away for less than its time", [(0, .there), (300, .away), (355, .there)], []),
        made(
            "away for long: said again each ten minutes", [(0, .there), (300, .away), (1700, .there)],
            [(360, .began), (960, .goesOn), (1560, .goesOn), (1715, .over)]),
        made(
            "away from the beginning, and there before the grace is over", [(0, .away), (110, .there)], []),
        made(
            "away from the beginning, and still after the grace", [(0, .away), (400, .there)],
            [(120, .began), (415, .over)]),
        made(
            "lost within the grace, having been there: that was not so at the start",
            [(0, .there), (10, .away), (200, .there)], [(70, .began), (215, .over)]),
        made(
            "flaps: ten seconds there, twenty away: one alert, and one end",
            flapping(20, each: 30, awayFor: 20), [(360, .began), (905, .over)]),
        made(
            "comes and goes every five minutes: begins are said ten minutes apart, and an end where a begin was",
            flapping(5, each: 300, awayFor: 100),
            [(360, .began), (415, .over), (960, .began), (1015, .over), (1560, .began), (1615, .over)]),
        made("asleep, and awake before long", [(0, .there), (300, .asleep), (790, .there)], []),
        made(
            "asleep for longer than a camera sleeps", [(0, .there), (300, .asleep), (1000, .there)],
            [(800, .began), (1015, .over)]),
        made(
            "asleep, and then lost: that is one absence",
            [(0, .there), (300, .asleep), (400, .away), (600, .there)], [(400, .began), (615, .over)]),
        made(
            "what cannot be said begins nothing and ends nothing",
            [(0, .there), (300, .unknown), (600, .away), (700, .unknown), (900, .there)],
            [(660, .began), (915, .over)]),
        made(
            "it begins the count anew",
            [(0, .there), (300, .away), (340, .unknown), (345, .away), (395, .there)], []),
    ]

    @Test("an alert begins once, is said again after a while, and ends once", arguments: courses)
    func follows(_ course: Course) {
        var machine = AlertMachine(settings: Self.settings)
        var said: [(Int, AlertNews.State)] = []
        for second in stride(from: 0, through: 2000, by: 5) {
            let sight = course.sights.last { $0.second <= second }?.1 ?? .there
            let status = Self.status(sight, at: second)
            for news in machine.look(at: status, clockAhead: nil, now: .seconds(1_000_000 + second)) {
                #expect(news.alert.rule == .cameraLost && news.alert.subject == "10.0.0.2:15740")
                said.append((second, news.state))
            }
            // What is shown as going on is what has begun and is not over.
            let isOngoing = said.last.map { $0.1 != .over } ?? false
            #expect(machine.ongoing.map(\.rule) == (isOngoing ? [.cameraLost] : []), "at \(second)")
        }
        #expect(said.map(\.0) == course.said.map(\.second), "\(said)")
        #expect(said.map(\.1) == course.said.map(\.1), "\(said)")
    }
}
