import Basics
import HTTPClient
import TestSupport
import Testing

/// One after another, because time is measured.
@Suite(.serialized) enum OnTheWire {}

/// A client for one test, shut down with it.
func withClient<Result>(
    _ configuration: CurlClient.Configuration = CurlClient.Configuration(),
    _ body: (CurlClient) async throws -> Result
) async throws -> Result {
    let client = try CurlClient(configuration)
    do {
        let result = try await body(client)
        await client.shutDown()
        return result
    } catch {
        await client.shutDown()
        throw error
    }
}

/// Why there was no answer; nothing when there was one.
func failure(of client: CurlClient, _ request: HTTPRequest) async -> HTTPFailure? {
    do throws(HTTPFailure) {
        _ = try await client.send(request)
        return nil
    } catch {
        return error
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Bytes that no compression or repetition explains.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = Seeded(seed)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { memory in
        for index in stride(from: 0, to: count &- 7, by: 8) {
            memory.storeBytes(of: generator.next(), toByteOffset: index, as: UInt64.self)
        }
    }
    return bytes
}
