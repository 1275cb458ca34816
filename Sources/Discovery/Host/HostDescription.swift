/// This computer as a UPnP device: what Canon's compacts look for before they list a computer. "The camera M-SEARCHes
/// upnp:rootdevice and fetches a host description XML over HTTP; host must answer … with a stable UUID …; needed again at
/// every connection".
package struct HostDescription: Equatable, Sendable {
    /// What the camera's screen shows.
    package let name: String
    /// `uuid:…`, the same for good.
    package let device: String

    static let searched = "upnp:rootdevice"
    static let path = "/tetherline.xml"
    private static let longestName = 63

    /// Sixteen bytes that say nothing else: they are told to every host that asks.
    package init(name: String, id: [UInt8]) {
        precondition(id.count == 16, "a UUID has 16 bytes")
        self.name = String(name.prefix(Self.longestName))
        let digits = id.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        var parts: [Substring] = []
        var rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        device = "uuid:" + parts.joined(separator: "-")
    }

    /// What answers a search (UPnP Device Architecture 1.1 §1.3.3).
    package func answer(at place: String) -> [UInt8] {
        Array(
            """
            HTTP/1.1 200 OK\r
            CACHE-CONTROL: max-age=1800\r
            EXT:\r
            LOCATION: http://\(place)\(Self.path)\r
            SERVER: Linux UPnP/1.0 Tetherline\r
            ST: \(Self.searched)\r
            USN: \(device)::\(Self.searched)\r
            \r

            """.utf8)
    }

    /// UPnP Device Architecture 1.1 §2.3, without a service: none is offered.
    var document: String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <root xmlns="urn:schemas-upnp-org:device-1-0">
        <specVersion><major>1</major><minor>0</minor></specVersion>
        <device>
        <deviceType>urn:schemas-upnp-org:device:Basic:1</deviceType>
        <friendlyName>\(Self.escaped(name))</friendlyName>
        <manufacturer>Tetherline</manufacturer>
        <modelName>Tetherline</modelName>
        <UDN>\(device)</UDN>
        </device>
        </root>

        """
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: if character.asciiValue.map({ $0 >= 0x20 }) ?? true { result.append(character) }
            }
        }
    }

    /// What a request of HTTP is answered with, by its first line.
    package func reply(to request: String) -> [UInt8] {
        let words = request.split(separator: " ")
        let isDocument = words.count == 3 && words[1] == Self.path && ["GET", "HEAD"].contains(words[0])
        let body = isDocument ? document : ""
        let head =
            "HTTP/1.1 \(isDocument ? "200 OK" : "404 Not Found")\r\nContent-Type: text/xml; charset=\"utf-8\"\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (words.first == "HEAD" ? [] : Array(body.utf8))
    }
}
