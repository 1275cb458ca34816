/// How many frames of an endless stream are due: so many a second, or as many as make a send worth its while.
struct FramePacer: Equatable, Sendable {
    /// 0 for as fast as it goes.
    private let perSecond: UInt64
    private let beganAt: Duration
    private var taken: UInt64 = 0

    /// What is taken in one go, whatever has become due.
    static let most: UInt64 = 512

    init(perSecond: UInt64, since beganAt: Duration) {
        self.perSecond = perSecond
        self.beganAt = beganAt
    }

    /// Of a stream with a rate, when the next frame is due.
    var nextDue: Duration {
        perSecond == 0 ? beganAt : beganAt + .seconds(Double(taken) / Double(perSecond))
    }

    /// What is due; it counts as gone.
    mutating func take(at now: Duration) -> Int {
        var due = Self.most
        if perSecond > 0 {
            guard now >= nextDue else { return 0 }
            let owed = UInt64((now - beganAt) / .seconds(1) * Double(perSecond)) + 1
            due = owed > taken ? min(Self.most, owed - taken) : 1
        }
        taken += due
        return Int(due)
    }
}
