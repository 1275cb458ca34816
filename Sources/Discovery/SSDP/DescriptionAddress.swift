/// Where a device says its description is, if that is a place that may be asked: "only http to the same IP as the
/// sender".
package struct DescriptionAddress: Hashable, Sendable {
    package let url: String

    /// What no description may be fetched from: the port of PTP/IP, where even a connection "occupies the only
    /// connection slot of most cameras".
    static let cameraPort: UInt16 = 15_740
    package static let longest = 512

    package struct Refused: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init(_ text: String, announcedBy sender: CameraAddress) throws(Refused) {
        func refuse(_ why: String) -> Refused { Refused(description: why) }
        guard text.utf8.count <= Self.longest else { throw refuse("its LOCATION is too long") }
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x5C }) else {
            throw refuse("its LOCATION is no URL")
        }
        guard text.lowercased().hasPrefix("http://") else { throw refuse("its LOCATION is not http") }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, CameraAddress(String(host)) == sender else {
            throw refuse("its LOCATION leads to \(authority), and it was sent from \(sender)")
        }
        let port = parts.count == 2 ? UInt16(parts[1]) : 80
        guard let port, port != 0, port != Self.cameraPort else {
            throw refuse("its LOCATION has a port from which no description comes")
        }
        let path = rest.dropFirst(authority.count)
        url = "http://\(sender):\(port)\(path.first == "/" ? "" : "/")\(path)"
    }
}
