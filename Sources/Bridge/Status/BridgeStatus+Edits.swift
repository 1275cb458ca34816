import Basics

extension BridgeStatus.Destination {
    /// Captions, ratings, tags, hides and albums on their way to a gallery.
    public struct Edits: Equatable, Sendable {
        /// Not sent yet.
        public var waiting: Int
        /// Of those: their photo has to be uploaded first.
        public var withoutUpload: Int
        /// Not taken, and kept until the operator has seen them.
        public var conflicts: Int

        public init(waiting: Int = 0, withoutUpload: Int = 0, conflicts: Int = 0) {
            self.waiting = waiting
            self.withoutUpload = withoutUpload
            self.conflicts = conflicts
        }
    }
}

extension BridgeStatus.Destination.Edits {
    var json: JSONValue {
        [
            "waiting": .integer(Int64(waiting)), "withoutUpload": .integer(Int64(withoutUpload)),
            "conflicts": .integer(Int64(conflicts)),
        ]
    }
}

extension BridgeStatus {
    /// By the destination's address.
    public mutating func note(_ edits: [String: Destination.Edits]) {
        for index in destinations.indices {
            destinations[index].edits = edits[destinations[index].url]
        }
    }
}
