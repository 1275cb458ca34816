import Discovery

/// Messages as cameras send them, put together from the standards' figures and not by the code that is tested.
enum Wire {
    static let serviceLabels = ["_ptp", "_tcp", "local"].map { Array($0.utf8) }
    static let nikonLabels = ["_nikon", "_tcp", "local"].map { Array($0.utf8) }

    static func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

    /// An answer of RFC 6763 §12.1: the pointer, and with it the service, its text and its address. The service's name
    /// stands at byte 12, the instance's at 45 and the host's at 68.
    static func announcement(
        instance: String = "Z 8", of service: String = "_ptp", port: Int = 15_740,
        address: [UInt8]? = [10, 9, 0, 2], ttl: Int = 120
    ) -> [UInt8] {
        let pointerTTL = ttl == 0 ? 0 : 4500
        let name = label(instance) + [0xC0, 12]
        var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, address == nil ? 2 : 3]
        bytes += label(service) + label("_tcp")
        let domain = UInt8(bytes.count)
        bytes += label("local") + [0]
        bytes += [0, 12, 0, 1, 0, 0] + number(pointerTTL) + number(name.count)
        let place = bytes.count
        bytes += name
        bytes += [0xC0, UInt8(place), 0, 33, 0x80, 1, 0, 0] + number(ttl)
        let host = label("z8") + [0xC0, domain]
        bytes += number(6 + host.count) + [0, 0, 0, 0] + number(port)
        let hostPlace = bytes.count
        bytes += host
        bytes += [0xC0, UInt8(place), 0, 16, 0x80, 1, 0, 0] + number(pointerTTL) + [0, 1, 0]
        guard let address else { return bytes }
        return bytes + [0xC0, UInt8(hostPlace), 0, 1, 0x80, 1, 0, 0] + number(ttl) + [0, 4] + address
    }

    static let udn = "uuid:00000000-0000-0000-0001-AABBCCDDEEFF"
    static let canon = "urn:schemas-canon-com:service:ICPO-WFTEOSSystemService:1"

    /// `NOTIFY` of UPnP Device Architecture 1.1 §1.2.2, with what an EOS puts there.
    static func notify(
        location: String? = "http://10.9.0.3:49152/upnp/CameraDevDesc.xml", udn: String = udn,
        target: String = canon, kind: String = "ssdp:alive", age: Int = 1800
    ) -> [UInt8] {
        Array(
            """
            NOTIFY * HTTP/1.1\r
            Host: 239.255.255.250:1900\r
            Cache-Control: max-age=\(age)\r
            \(location.map { "Location: \($0)\r\n" } ?? "")NT: \(target)\r
            NTS: \(kind)\r
            Server: Camera OS/1.0 UPnP/1.0 Canon Device Discovery/1.0\r
            USN: \(udn)::\(target)\r
            \r

            """.utf8)
    }

    static func description(udn: String = udn, name: String = "EOS R6", extra: String = "") -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>
            <root xmlns="urn:schemas-upnp-org:device-1-0">
             <specVersion><major>1</major><minor>0</minor></specVersion>
             <device>
              <deviceType>urn:schemas-canon-com:device:ICPO-CameraControlAPIService:1</deviceType>
              <friendlyName>\(name)</friendlyName>
              <manufacturer>Canon</manufacturer>
              <modelName>Canon EOS R6</modelName>
              <serialNumber>012345678901</serialNumber>
              <UDN>\(udn)</UDN>\(extra)
             </device>
            </root>
            """.utf8)
    }
}
