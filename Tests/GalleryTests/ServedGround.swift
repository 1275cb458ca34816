import Basics
import HTTPClient
import HTTPServer
import Posix
import TestSupport

@testable import Gallery

/// The same gallery behind its real server, asked over real sockets by libcurl.
final class ServedGround: Sendable {
    let web: WebServer
    private let client: CurlClient

    init(_ server: GalleryServer) throws {
        client = try CurlClient()
        let reactor = try Reactor(name: "served")
        web = try WebServer(
            ServerSettings(listen: .loopback(port: 0)), routes: server.routes, time: reactor,
            wall: SystemWallTime(),
            random: SystemRandomSource(), refusal: GalleryServer.refusal,
            elsewhere: GalleryServer.elsewhere, finish: server.finish, log: { _ in })
    }

    func call(_ method: String, _ target: String, _ bytes: [UInt8], _ headers: [HTTPHeader]) async throws
        -> Response
    {
        var request = HTTPRequest(
            method, "http://127.0.0.1:\(web.port)\(target)",
            headers: headers.filter { $0.name != "Content-Length" },
            body: bytes.isEmpty && method != "PUT" ? .none : .bytes(bytes))
        // Other tests may keep the threads of the server's tasks for a while; only what never comes fails.
        request.limits.noProgress = .seconds(60 * Cases.minutesOfHang)
        let answer = try await client.send(request)
        return Response(status: answer.status, headers: answer.headers, body: .bytes(answer.body))
    }
}
