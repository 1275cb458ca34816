import Basics

/// What the headers say about the body that follows.
enum Framing: Equatable {
    case none
    case counted(UInt64)
    case chunked
    /// The connection cannot be trusted after this: a proxy before us may see another request behind it.
    case refused(String)

    /// Where the two ways of saying a length meet, requests get smuggled: "a server MAY reject a request that contains
    /// both Content-Length and Transfer-Encoding" (RFC 9112 §6.1), and this one does, as with anything else unusual.
    init(_ headers: [HTTPHeader], version: String) {
        var lengths: [String] = []
        var codings: [String] = []
        var hosts = 0
        for header in headers {
            guard Self.isToken(header.name) else {
                self = .refused("a header has a name that is none")
                return
            }
            if header.isNamed("Host") { hosts += 1 }
            if header.isNamed("Content-Length") { lengths.append(header.value) }
            if header.isNamed("Transfer-Encoding") { codings.append(header.value) }
        }
        // "A server MUST respond with a 400 […] to any HTTP/1.1 request message that lacks a Host header field and to any request
        // message that contains more than one"
        // (RFC 9112 §3.2).
        guard hosts == 1 || hosts == 0 && version == "HTTP/1.0" else {
            self = .refused("the request has to name one host")
            return
        }
        self = Self.decide(lengths, codings, version)
    }

    private static func decide(_ lengths: [String], _ codings: [String], _ version: String) -> Framing {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return .refused("the request line is no HTTP/1.1")
        }
        switch (lengths.count, codings.count) {
        case (0, 0): return .none
        case (1, 0):
            let text = lengths[0]
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = UInt64(text) else {
                return .refused("Content-Length is no number")
            }
            return count == 0 ? .none : .counted(count)
        case (0, 1):
            // By its bytes too: a Kelvin sign is a "k" to Swift, and to no other reader of this.
            guard codings[0].utf8.count == 7, codings[0].lowercased() == "chunked", version == "HTTP/1.1"
            else {
                return .refused("this transfer coding is not taken here")
            }
            return .chunked
        case (0, _), (_, 0): return .refused("the length of the body is said twice")
        case (_, _): return .refused("the length of the body is said in two ways")
        }
    }

    /// RFC 9110 §5.6.2.
    static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case let other: "!#$%&'*+.^`|~".utf8.contains(other)
                }
            }
    }
}
