package import Basics

/// One request as a handler gets it: its route has matched, and its body is here where the route wanted it whole.
package struct Request: Sendable {
    /// `X-Request-Id` as it came, or made here; in every log line, and in the answer unless that is one for all (``KeptReply``).
    package let id: String
    /// Upper case.
    package let method: String
    /// As it came, without the query.
    package internal(set) var path: String
    /// What stood in the places of the route, percent-decoded: `{id}` of "/events/{id}".
    package var parameters: [String: String]
    package internal(set) var query: Query
    package let headers: [HTTPHeader]
    package let client: ClientAddress
    /// Whole, for routes that want it so; empty otherwise.
    package let body: [UInt8]

    package init(
        id: String = "", method: String = "GET", path: String, parameters: [String: String] = [:],
        query: Query = Query(), headers: [HTTPHeader] = [], client: ClientAddress,
        body: [UInt8] = []
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.parameters = parameters
        self.query = query
        self.headers = headers
        self.client = client
        self.body = body
    }

    /// One that came straight from there, through no proxy of ours.
    package init(
        id: String = "", method: String = "GET", path: String, parameters: [String: String] = [:],
        query: Query = Query(), headers: [HTTPHeader] = [], peer: String = "127.0.0.1", body: [UInt8] = []
    ) {
        self.init(
            id: id, method: method, path: path, parameters: parameters, query: query, headers: headers,
            client: ClientAddress(connection: peer, headers: headers), body: body)
    }

    /// The address at the other end, without its port; that of a trusted proxy's client where there is one.
    package var peer: String { client.text }

    /// The first header of that name, in any case.
    package subscript(header: String) -> String? { headers.first { $0.isNamed(header) }?.value }
}

extension Request {
    /// The id of the request that this task answers, for lines of the log that are written where the request itself is not
    /// known, such as after a commit. Tasks that a handler begins have it, too.
    ///
    /// Nothing where no request is answered, and in `quick` handlers, which run in no task: they are too many and too short for
    /// it to be set.
    @TaskLocal package static var answeredID: String?
}

extension HTTPHeader {
    /// In any case, byte by byte: a request has a dozen headers, most of which are asked for by several who look at it.
    package func isNamed(_ other: String) -> Bool {
        let (mine, theirs) = (name.utf8, other.utf8)
        return mine.count == theirs.count
            && zip(mine, theirs).allSatisfy { $0 == $1 || Self.lowercase($0) == Self.lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// What stood after the question mark, decoded, in its order.
package struct Query: Equatable, Sendable {
    package let items: [HTTPHeader]
    /// There was no question mark. With one and nothing behind it the address is another one to caches.
    package let isAbsent: Bool

    package init(_ items: [HTTPHeader] = [], isAbsent: Bool? = nil) {
        self.items = items
        self.isAbsent = isAbsent ?? items.isEmpty
    }

    /// The first value of that name; names have a case here.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }
}
