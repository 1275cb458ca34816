/// What requests are signed with.
package struct S3Keys: Equatable, Sendable {
    package let id: String
    package let secret: String
    /// Of temporary keys.
    package let token: String?
    /// Where they come from, for messages.
    package let source: String

    package init(id: String, secret: String, token: String?, source: String) {
        self.id = id
        self.secret = secret
        self.token = token
        self.source = source
    }
}

/// A secret is in no message, wherever this is printed.
extension S3Keys: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "access key \(id) from \(source)" }
    package var debugDescription: String { description }
}
