/// One message to whoever listens.
package struct ServerEvent: Equatable, Sendable {
    package let id: UInt64
    package let name: String
    package let data: String

    package init(id: UInt64, name: String, data: String) {
        self.id = id
        self.name = name
        self.data = data
    }
}

/// Those who listen to one subject, and the last messages for whoever comes back.
package final class EventFeed: Sendable {
    package init(remembers: Int = 1000) {
        preconditionFailure("not there yet")
    }

    /// Ids only grow.
    package func publish(_ event: ServerEvent) {
        preconditionFailure("not there yet")
    }

    /// From what came after that id; where that is forgotten, it begins with an event called "reset".
    package func stream(after last: UInt64?) -> EventStream {
        preconditionFailure("not there yet")
    }
}

/// One listener's place in a feed.
package final class EventStream: Sendable {
    init() {}
}
