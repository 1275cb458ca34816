/// A message of SSDP (UPnP Device Architecture 1.1 §1): an announcement, an answer to a search, or a search.
package struct SSDPMessage: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// `NOTIFY` with `ssdp:alive`, or the answer to a search.
        case alive
        case byebye
        case search
        /// `ssdp:update`, and whatever else there will be.
        case other
    }

    package let kind: Kind
    /// `NT` or `ST`: what is announced or searched for.
    package let target: String
    /// The device's name for good: `uuid:…` of the `USN`, without what follows `::`.
    package let device: String?
    /// Where its description is.
    package let location: String?
    /// `max-age`: for how many seconds it holds.
    package let maximumAge: Int

    /// A datagram of Ethernet holds less; what fragments is none of ours.
    package static let largest = 4096
    package static let mostHeaders = 64
    static let longestValue = 512
    /// "SHOULD be greater than or equal to 1800 seconds": what holds where none is said.
    package static let usualAge = 1800
    /// A day: an announcement that is not repeated by then was the last.
    package static let longestAge = 86_400

    package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String

        init(_ why: String) { description = "a message of SSDP makes no sense: \(why)" }
    }

    package init(_ bytes: [UInt8]) throws(Malformed) {
        guard bytes.count <= Self.largest else {
            throw Malformed("its \(bytes.count) bytes are more than a message may have")
        }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        }[...]
        let start = lines.popFirst() ?? ""
        let headers = try Self.headers(lines)
        location = headers["location"]
        device = headers["usn"].flatMap(Self.device)
        maximumAge = headers["cache-control"].flatMap(Self.age) ?? Self.usualAge
        switch start.split(separator: " ").map({ $0.uppercased() }) {
        case ["NOTIFY", "*", "HTTP/1.1"], ["NOTIFY", "*", "HTTP/1.0"]:
            target = headers["nt"] ?? ""
            kind =
                switch headers["nts"]?.lowercased() {
                case "ssdp:alive": .alive
                case "ssdp:byebye": .byebye
                default: .other
                }
        case ["HTTP/1.1", "200", "OK"], ["HTTP/1.0", "200", "OK"]:
            target = headers["st"] ?? ""
            kind = .alive
        case ["M-SEARCH", "*", "HTTP/1.1"]:
            target = headers["st"] ?? ""
            kind = .search
        default:
            throw Malformed("it begins with none of NOTIFY, M-SEARCH and HTTP/1.1 200 OK")
        }
    }

    private static func headers(_ lines: ArraySlice<String>) throws(Malformed) -> [String: String] {
        var headers: [String: String] = [:]
        for line in lines {
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":") else { throw Malformed("a header has no colon") }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...].trimmed)
            guard value.utf8.count <= longestValue else { throw Malformed("a header is too long") }
            // Of two, the second may be the lie: neither is chosen.
            guard headers.updateValue(value, forKey: name) == nil else {
                throw Malformed("a header stands twice")
            }
            guard headers.count <= mostHeaders else { throw Malformed("it has too many headers") }
        }
        return headers
    }

    /// "uuid:device-UUID::urn:…", and nothing where it is not of that form.
    private static func device(_ text: String) -> String? {
        let name = text.firstRange(of: "::").map { text[..<$0.lowerBound] } ?? text[...]
        guard name.lowercased().hasPrefix("uuid:"), name.utf8.count > 5 else { return nil }
        return name.lowercased()
    }

    private static func age(_ text: String) -> Int? {
        for directive in text.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=").map { $0.trimmed }
            guard parts.count == 2, parts[0] == "max-age" else { continue }
            guard let seconds = Int(parts[1]), seconds >= 0 else { return nil }
            return min(seconds, longestAge)
        }
        return nil
    }

    /// `MX` is how many seconds an answer may wait: one, so that a camera is found soon.
    package static func search(for target: String) -> [UInt8] {
        Array(
            "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n"
                .utf8)
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
