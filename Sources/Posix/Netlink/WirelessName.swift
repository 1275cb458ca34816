/// The name of the Wi-Fi network that an interface is in, where no NetworkManager says it: questions and answers of
/// `NL80211_CMD_GET_INTERFACE` over generic netlink (`linux/genetlink.h`, `linux/nl80211.h`).
package enum WirelessName {
    /// `struct genlmsghdr`: command, version, two bytes of nothing.
    private static let fixedSize = 4
    private static let control: UInt16 = 16
    private static let getFamily: UInt8 = 3
    private static let familyID: UInt16 = 1
    private static let familyName: UInt16 = 2
    private static let getInterface: UInt8 = 5
    private static let interfaceIndex: UInt16 = 3
    private static let ssid: UInt16 = 52
    /// IEEE 802.11: "The length of the SSID is between 0 and 32 octets".
    private static let longestName = 32

    package static func familyRequest(named family: String = "nl80211", sequence: UInt32) -> [UInt8] {
        NetlinkMessage.request(
            control, flags: 0, sequence: sequence, fixed: [getFamily, 1, 0, 0],
            [(type: familyName, value: Array(family.utf8) + [0])])
    }

    static func familyNumber(_ message: NetlinkMessage) -> UInt16? {
        attribute(familyID, of: message)?.whole(UInt16.self)
    }

    package static func interfaceRequest(family: UInt16, interface: UInt32, sequence: UInt32) -> [UInt8] {
        NetlinkMessage.request(
            family, flags: 0, sequence: sequence, fixed: [getInterface, 0, 0, 0],
            [(type: interfaceIndex, value: NetlinkMessage.bytes(interface))])
    }

    package static func name(_ message: NetlinkMessage) -> String? {
        guard let bytes = attribute(ssid, of: message), (1...longestName).contains(bytes.count) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A kernel that makes no sense here costs a name that settings may know, and nothing else.
    private static func attribute(_ type: UInt16, of message: NetlinkMessage) -> ArraySlice<UInt8>? {
        do throws(NetlinkMessage.Malformed) {
            return try message.attributes(behind: fixedSize)[type]
        } catch {
            return nil
        }
    }
}
