/// A name of the DNS (RFC 1035 §3.1): labels of bytes, compared without regard to the case of ASCII letters.
package struct DNSName: Sendable {
    package let labels: [[UInt8]]

    /// "labels: 63 octets or less", "names: 255 octets or less" (RFC 1035 §2.3.4).
    package static let longestLabel = 63
    package static let longest = 255

    /// Nothing for what is too long, or has an empty label.
    package init?(labels: [[UInt8]]) {
        let size = labels.reduce(1) { $0 + $1.count + 1 }
        guard size <= Self.longest, labels.allSatisfy({ 1...Self.longestLabel ~= $0.count }) else {
            return nil
        }
        self.labels = labels
    }

    /// A name of ours, written out: `_ptp._tcp.local`.
    package init(_ text: StaticString) {
        let labels = "\(text)".split(separator: ".").map { Array($0.utf8) }
        guard let name = DNSName(labels: labels) else { preconditionFailure("\(text) is no name of the DNS") }
        self = name
    }

    /// This name in another one's domain: the labels before that domain.
    package func labels(in domain: DNSName) -> [[UInt8]]? {
        guard labels.count > domain.labels.count else { return nil }
        let count = labels.count - domain.labels.count
        guard zip(labels.dropFirst(count), domain.labels).allSatisfy({ Self.folded($0) == Self.folded($1) })
        else { return nil }
        return Array(labels.prefix(count))
    }

    package var encoded: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }

    fileprivate static func folded(_ label: [UInt8]) -> [UInt8] {
        label.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}

extension DNSName: Hashable {
    package static func == (left: DNSName, right: DNSName) -> Bool {
        left.labels.map(folded) == right.labels.map(folded)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(labels.map(Self.folded)) }
}

extension DNSName: CustomStringConvertible {
    /// The user-visible form: an instance's name is UTF-8 (RFC 6763 §4.1.1).
    package var description: String {
        labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }
}
