import Glibc

/// How many cases a test that draws them from seeds runs: a tenth by default, all when the environment
/// says `TETHERLINE_CASES=full`.
public enum Cases {
    public static let isFull = getenv("TETHERLINE_CASES").map { String(cString: $0) } == "full"

    /// How often a program is killed at another moment.
    public static let kills = isFull ? 200 : 5

    public static func seeds(full: Int) -> Range<UInt64> {
        0..<UInt64(isFull ? full : max(1, full / 10))
    }
}
