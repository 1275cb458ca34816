import Glibc

/// How many cases a test that draws them from seeds runs: a tenth by default, all when the environment
/// says `TETHERLINE_CASES=full`.
public enum Cases {
    public static let isFull = getenv("TETHERLINE_CASES").map { String(cString: $0) } == "full"

    /// How often a program is killed at another moment.
    public static let kills = isFull ? 200 : 5

    /// A test that takes longer hangs. It is no bound of how fast something is: beside other programs any test may take
    /// minutes, and its verdict is to be the same. A little less than what a suite may take, so that the test is named.
    public static let minutesOfHang = 9

    /// What has to be done within so long, where nothing else runs beside the tests: when everything is wanted. Otherwise
    /// in ten times that, and still before what would end it if its own way of ending were broken.
    public static func within(_ limit: Duration, before other: Duration) -> Duration {
        isFull ? limit : min(limit * 10, other)
    }

    /// `TETHERLINE_SEEDS=17` or `TETHERLINE_SEEDS=0-99999` says others, to see one again or to try any number.
    /// What takes half a second a seed runs a smaller part.
    public static func seeds(full: Int, part: Int = 10) -> Range<UInt64> {
        chosen ?? 0..<UInt64(isFull ? full : max(1, full / part))
    }

    /// Certain seeds are looked at, which say nothing of how often something happens.
    public static var areChosen: Bool { chosen != nil }

    private static let chosen: Range<UInt64>? = {
        guard let said = getenv("TETHERLINE_SEEDS") else { return nil }
        let ends = String(cString: said).split(separator: "-").compactMap { UInt64($0) }
        guard let first = ends.first, let last = ends.last, first <= last else {
            preconditionFailure("TETHERLINE_SEEDS is a number, or two with a - between them")
        }
        return first..<last + 1
    }()
}
