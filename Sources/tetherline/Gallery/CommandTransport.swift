import Basics
import HTTPClient
import Posix
import Store

/// What a command talks to servers with.
enum CommandTransport {
    static func withTransport<Value>(
        _ home: Home, _ body: (any HTTPTransport) async throws -> Value
    ) async throws -> Value {
        let client = try CurlClient(Settings.read(from: home).http)
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
