package import Basics

/// An answer as a value. The server adds what answers have besides: the length, the date, the request's id.
package struct Response: Sendable {
    package var status: Int
    package var headers: [HTTPHeader]
    package var body: Body
    package var compression = Compression.each
    /// Whether the server has done what it does with every answer.
    var isFinished = false

    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Sent by sendfile where that is possible. The server answers HEAD, Range, If-Range, If-None-Match and
        /// If-Modified-Since by itself, from what the file says of itself.
        case file(ServedFile)
        /// Asked for piece by piece, when there is room for it on the wire.
        case stream(any BodySource)
        /// Server-sent events, until the other side leaves.
        case events(EventStream)
    }

    package init(status: Int, headers: [HTTPHeader] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(
        _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8", headers: [HTTPHeader] = []
    ) -> Response {
        Response(
            status: status, headers: [HTTPHeader("Content-Type", type)] + headers,
            body: .bytes(Array(text.utf8)))
    }
}

/// A file on the disk, or a part of one, whose content never changes under its etag.
package struct ServedFile: Sendable {
    package let path: String
    package let size: UInt64
    package let type: String
    /// With its quotes: `"abc"`. A strong one.
    package let etag: String
    package let modified: Timestamp?

    package init(path: String, size: UInt64, type: String, etag: String, modified: Timestamp? = nil) {
        self.path = path
        self.size = size
        self.type = type
        self.etag = etag
        self.modified = modified
    }
}

/// A body that is made while it is sent. It is asked from a thread of the server's own, on which it may block or wait; its
/// task is cancelled when the client has stopped reading.
package protocol BodySource: AnyObject, Sendable {
    /// Fills some of the memory and says how much; 0 at the end. A failure cuts the connection, so that no client
    /// takes a part for the whole.
    func read(into memory: UnsafeMutableRawBufferPointer) async throws -> Int
    /// It is not read any more, at the end or before.
    func close()
}

/// Where a body goes that is not kept in memory. Called from a thread of the server's, which is to be quick: it may write to
/// a file, and nothing slower.
package protocol BodySink: AnyObject, Sendable {
    func write(_ bytes: UnsafeRawBufferPointer) throws
    /// The whole body has come.
    func finish() async -> Response
    /// It was cut, or was too long or too slow.
    func abandon()
}
