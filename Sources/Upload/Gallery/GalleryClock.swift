import Basics
import Synchronization

/// How far a gallery's clock, or a store's, is from ours, by the Date header of its last answer. Its times are judged on its
/// clock.
package final class GalleryClock: Sendable {
    private let offset = Mutex<Duration?>(nil)

    package init() {}

    /// How far it is ahead; nothing while it has not said. A header knows no less than seconds.
    package var ahead: Duration? { offset.withLock { $0 } }

    /// What it wrote into an answer, and when that was on our clock.
    func note(_ date: Timestamp, at ours: Timestamp) {
        offset.withLock { $0 = date - ours }
    }
}

/// One answer of the API, and when it was given.
struct GalleryAnswer: Sendable {
    let status: Int
    let data: JSONValue?
    /// Our clock when it was asked.
    let asked: Timestamp
    /// Its own clock when it answered.
    let date: Timestamp?

    /// What a place lives that has only just been given, where the clocks tell nothing else.
    static let usualLife = Duration.seconds(300)
    /// "The value for X-Amz-Expires … maximum is 604800 seconds" (AWS SigV4): no signed place lives longer.
    static let longestLife = Duration.seconds(604_800)

    /// When a place expires by our clock. Its clock read `date` after we asked, so that counting from then errs
    /// only to the safe side; the header leaves out up to a second.
    func ours(_ moment: Timestamp) -> Timestamp {
        let life = moment - (date.map { $0 + .seconds(1) } ?? asked)
        // What was given just now is not over. Where it seems so, a clock has been set meanwhile or is not told.
        return asked + (life > .zero ? min(life, Self.longestLife) : Self.usualLife)
    }
}
