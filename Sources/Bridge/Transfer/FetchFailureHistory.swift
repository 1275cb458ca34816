import Basics

/// What has happened with one photo so far, over all connections of this run and with what the ledger remembers of
/// earlier ones. Only photos with which something went wrong have one.
struct FetchFailureHistory: Equatable, Sendable {
    /// What it cost in connections, bytes and time.
    var cost = FailedFetchCost.none
    /// Connections in a row that ended over it without one byte more of it.
    var fruitless = 0
    /// Photos that arrived in this run when the first of those connections ended, and whether others have since:
    /// then it is not the network that ends them.
    private var arrivedBefore = 0
    private(set) var othersHaveArrived = false
    /// The most bytes of it that have been here.
    var furthest: UInt64 = 0
    /// How often the camera was asked for a size that it did not have yet.
    var questions = 0
    /// The count of bytes that disagreed with the camera's word the last time.
    var disputedTotal: UInt64?
    var foreignBeginnings = 0
    var cutShorts = 0
    var empties = 0
    var startsOver = false
    /// A connection has ended over it for no known reason: the others come first in the next one, in case it was.
    var hasEndedUnblamed = false
    var timesGivenUp = 0
    /// Given up: not asked for before this.
    var leftAloneUntil: Duration?
    /// By what its row is found before it is met again; nothing for what lies in memory.
    var key: String?

    /// Less than this more of a photo is no progress: packets come whole, whatever is wrong with it.
    private static let leastProgress: UInt64 = 4096

    init(_ cost: FailedFetchCost = .none) {
        self.cost = cost
        // The suspect of an earlier run is not asked for before the others.
        fruitless = cost.connections >= 2 ? 1 : 0
    }

    /// Where it stands in the queue.
    var standing: FetchQueue.Standing {
        if fruitless == 0 { return hasEndedUnblamed ? .behind : .usual }
        return isSuspect ? .suspect : .behind
    }

    /// Two connections have ended over it, the last without progress: it is not the network's doing any more.
    var isSuspect: Bool { fruitless >= 1 && cost.connections >= 2 }

    /// It was tried once more as the suspect, and cost another connection: a person has to look at it. One that nothing
    /// arrives beside has a few tries more: it may be the network.
    var isForTheOperator: Bool {
        fruitless >= 2 && cost.connections >= 3
            && (othersHaveArrived || fruitless >= Self.triesWithoutWitness)
    }

    private static let triesWithoutWitness = 5

    /// `arrived` counts the photos of this run that have arrived.
    mutating func connectionEnded(at position: UInt64, arrived: Int) {
        cost.connections += 1
        // A photo of which more came than ever is on a bad link, and goes on there.
        fruitless = position >= furthest + Self.leastProgress ? 0 : fruitless + 1
        furthest = max(furthest, position)
        if fruitless <= 1 { arrivedBefore = arrived }
        othersHaveArrived = arrived > arrivedBefore
    }

    /// How long it is left alone once it has been given up: a minute, two, four, up to an hour; ten minutes and more
    /// where asking for it ends connections that would have stood.
    var pause: Duration {
        let pauses =
            cost.connections > 0 && othersHaveArrived
            ? Backoff(first: .seconds(600), longest: .seconds(3600))
            : Backoff(first: .seconds(60), longest: .seconds(3600))
        return pauses.ceiling(afterFailures: timesGivenUp + 1)
    }

    mutating func took(_ effort: FetchEffort) {
        cost.bytes += effort.bytes
        cost.time += effort.time
    }
}
