import Bridge

/// What talks to servers is put together here and nowhere else.
enum Servers {
    /// This program was built without what talks to servers.
    struct NotBuilt: Error, CustomStringConvertible {
        let description = "this program was built without what talks to servers."
    }

    static func withTransport<Value>(
        _ body: (any HTTPTransport) async throws -> Value
    ) async throws -> Value {
        throw NotBuilt()
    }
}
