import Basics
import Glibc
import Posix

/// An event stream leaves the library, whose memory for a connection is several times what a client that listens needs.
extension Exchange {
    /// False where the connection has to be cut.
    ///
    /// An ended socket takes the number of this one while the connection sleeps and is in no
    /// epoll set. The library finds the connection ended and forgets it. What the client has sent after its request
    /// is lost with it: nothing follows a stream.
    func handOver(_ stream: EventStream, of response: Response, to writer: StreamWriter) -> Bool {
        guard let place = writer.places.take(for: request.client.group) else {
            return refuseStream("too many clients listen already; come back in a moment", writer)
        }
        let number = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else {
            return refuseStream("too many connections are open; come back in a moment", writer)
        }
        let socket = OwnedDescriptor(owning: number)
        while !wire.sleep() { if isAbandoned { return false } }
        writer.endedSocket.take(connection.descriptor)
        phase = .handedOver
        let head = core.head(of: response, to: request)
        let count = writer.places.taken
        stream.attach(writer, greeting: head + writer.comingBack.line(among: count))
        writer.add(
            StreamConnection(
                socket, stream, core,
                RequestFacts(
                    id: request.id, method: request.method, path: request.path, route: route?.pattern,
                    status: response.status, received: received, began: began, client: request.peer),
                place, headSize: head.count, pauseLevel: ComingBack.level(of: count)))
        wire.wake()
        return true
    }

    private func refuseStream(_ message: String, _ writer: StreamWriter) -> Bool {
        answer(core.refusal(503, message, untilRoomAmong: writer.places.taken))
    }
}

extension Core {
    /// What a stream says of itself, unless its handler says otherwise.
    private static let streamHeaders = [
        HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("Cache-Control", "no-store"),
        HTTPHeader("X-Accel-Buffering", "no"),
    ]

    /// The headers of an event stream.
    static func headers(ofStream response: Response) -> [HTTPHeader] {
        let names = streamHeaders.map { $0.name.lowercased() }
        return streamHeaders + response.headers.filter { !names.contains($0.name.lowercased()) }
    }

    /// The head of an answer that ends with its connection (RFC 9112 §6.3).
    func head(of response: Response, to request: Request) -> [UInt8] {
        var text = "HTTP/1.1 \(response.status) OK\r\nDate: \(wall.wallNow.httpDate)\r\n"
        for header in Self.headers(ofStream: response) { text += Reply.line(of: header) ?? "" }
        return Array((text + "X-Request-Id: \(request.id)\r\nConnection: close\r\n\r\n").utf8)
    }
}
