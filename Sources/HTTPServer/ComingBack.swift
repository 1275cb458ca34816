import Basics

/// How soon clients that lose their stream are to come back: few at once, many spread over as long as another server needs
/// to take them in.
struct ComingBack: Sendable {
    let random: any RandomSource

    private static let soonest = 2000
    /// So many come back together.
    private static let few = 100
    /// The time for each of many, and the longest for all of them.
    private static let microsecondsEach = 1500
    private static let longest = 30_000

    /// Milliseconds.
    func pause(among streams: Int) -> Int {
        guard streams > Self.few else { return Self.soonest }
        var randomness = Randomness(random)
        let all = min(Self.longest, streams * Self.microsecondsEach / 1000)
        return Self.soonest + Int.random(in: 0...all, using: &randomness)
    }

    /// As a stream says it (WHATWG HTML §9.2.6).
    func line(among streams: Int) -> [UInt8] {
        Array("retry: \(pause(among: streams))\n\n".utf8)
    }

    /// Where it is another, clients that were told a pause before are told a new one. It changes when the streams have
    /// doubled.
    static func level(of streams: Int) -> UInt8 {
        var level: UInt8 = 0
        var left = streams / few
        while left > 0 {
            level += 1
            left /= 2
        }
        return level
    }
}
