import Basics
import HTTPClient
import Posix
import Store

/// What a command talks to servers with.
enum Servers {
    static func withTransport<Value>(
        _ home: Home, _ body: (any HTTPTransport) async throws -> Value
    ) async throws -> Value {
        let settings = try Settings.read(from: home)
        let client = try CurlClient(CurlClient.Configuration(privateCA: settings.privateCA))
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
