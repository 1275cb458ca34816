import Bridge
import HTTPClient

/// What talks to servers is put together here and nowhere else.
enum Servers {
    /// Runs a command with it, and ends it.
    static func withTransport<Value>(
        _ body: (any HTTPTransport) async throws -> Value
    ) async throws -> Value {
        let client = CurlClient()
        do {
            let value = try await body(client)
            await client.shutDown()
            return value
        } catch {
            await client.shutDown()
            throw error
        }
    }
}
