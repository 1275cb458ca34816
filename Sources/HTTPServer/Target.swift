import Basics

/// The target of a request, taken apart (RFC 9112 §3.2).
struct Target: Equatable, Sendable {
    /// As it came, without the query.
    let path: String
    /// Decoded, without the slashes; empty for "*".
    let parts: [String]
    let query: Query

    enum Refusal: Error, Equatable, Sendable {
        case malformed(String)
        case tooLong
    }

    static let longestPath = 2048
    static let longestQuery = 8192
    static let mostParts = 32
    static let mostItems = 100

    init(_ text: String) throws(Refusal) {
        let target = try Self.origin(text[...])
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = target[..<mark]
        let query = mark == target.endIndex ? "" : target[target.utf8.index(after: mark)...]
        guard path.utf8.count <= Self.longestPath, query.utf8.count <= Self.longestQuery else {
            throw .tooLong
        }
        self.path = String(path)
        self.query = Query(try Self.items(query), isAbsent: mark == target.endIndex)
        if path == "*" {
            parts = []
            return
        }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .malformed("the path begins without a slash")
        }
        parts = try Self.parts(path)
    }

    /// "To allow for transition to the absolute-form for all requests […], a server MUST accept the absolute-form"
    /// (RFC 9112 §3.2.2).
    private static func origin(_ text: Substring) throws(Refusal) -> Substring {
        // What is no visible character of ASCII is to come escaped; a fragment is never sent.
        for byte in text.utf8 where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") {
            throw .malformed("the target holds a character that is to be escaped")
        }
        if text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: "*") { return text }
        let start = text.prefix(8).lowercased()
        guard start.hasPrefix("http://") || start == "https://" else {
            throw .malformed("the path begins without a slash")
        }
        let rest = text.dropFirst(start == "https://" ? 8 : 7)
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        return rest[slash...]
    }

    private static func parts(_ path: Substring) throws(Refusal) -> [String] {
        var parts: [String] = []
        // By bytes: a path is ASCII here, and characters cost ten times as much.
        var rest = path.utf8.dropFirst()
        while true {
            guard parts.count < mostParts else { throw .tooLong }
            let end = rest.firstIndex(of: slash) ?? rest.endIndex
            parts.append(try part(Substring(rest[..<end])))
            guard end < rest.endIndex else { return parts }
            rest = rest[end...].dropFirst()
        }
    }

    private static let slash = UInt8(ascii: "/")

    private static func part(_ text: Substring) throws(Refusal) -> String {
        let part = try decoded(text)
        // Only what was escaped can hold them.
        let isHarmful =
            part.utf8.count < text.utf8.count && part.utf8.contains { $0 == 0 || $0 == slash }
        guard !isHarmful, part != ".", part != ".." else {
            throw .malformed("the path holds a part that no path may")
        }
        return part
    }

    private static func items(_ text: Substring) throws(Refusal) -> [HTTPHeader] {
        if text.isEmpty { return [] }
        var items: [HTTPHeader] = []
        for pair in text.split(separator: "&") {
            guard items.count < mostItems else { throw .tooLong }
            let mark = pair.firstIndex(of: "=") ?? pair.endIndex
            let value = mark == pair.endIndex ? "" : pair[pair.index(after: mark)...]
            items.append(HTTPHeader(try decoded(spaced(pair[..<mark])), try decoded(spaced(value))))
        }
        return items
    }

    /// As forms write it (WHATWG URL §5.1): a plus is a space.
    private static func spaced(_ text: Substring) -> Substring {
        guard text.utf8.contains(UInt8(ascii: "+")) else { return text }
        return Substring(text.map { $0 == "+" ? " " : $0 })
    }

    private static func decoded(_ text: Substring) throws(Refusal) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        do {
            return try PercentEncoding.decoded(text)
        } catch {
            throw .malformed("the target holds a percent sign without its two digits, or what is no UTF-8")
        }
    }
}
