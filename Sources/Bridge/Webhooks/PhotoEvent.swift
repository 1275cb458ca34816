public import Basics

/// What a webhook's receiver may be told of a photo.
public enum PhotoEvent: String, CaseIterable, Sendable {
    /// It is whole and on the disk.
    case staged
    /// Every destination has it.
    case completed
}

/// A program in the network that is told.
public struct Webhook: Equatable, Sendable {
    public let url: String
    public let hears: Set<PhotoEvent>

    public init(url: String, hears: Set<PhotoEvent>) {
        self.url = url
        self.hears = hears
    }
}

/// One thing that one listener is still to be told.
public struct Message: Equatable, Sendable {
    public let id: Int64
    public let url: String
    /// The same at each try.
    public let key: String
    public let body: String
    /// Times that the listener refused it.
    public let attempts: Int
    public let due: Timestamp
    /// When it is of no use any more, and is given up; nothing for what is kept until it is told.
    public let expires: Timestamp?

    public init(
        id: Int64, url: String, key: String, body: String, attempts: Int, due: Timestamp,
        expires: Timestamp? = nil
    ) {
        self.id = id
        self.url = url
        self.key = key
        self.body = body
        self.attempts = attempts
        self.due = due
        self.expires = expires
    }
}
