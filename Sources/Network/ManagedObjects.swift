import Bridge
import Glibc
import Posix

/// What NetworkManager's objects say, as far as it is used here
/// (`GetManagedObjects` of `/org/freedesktop`).
struct ManagedObjects {
    static let name = "org.freedesktop.NetworkManager"
    static let device = "\(name).Device"
    static let wireless = "\(name).Device.Wireless"
    private static let accessPoint = "\(name).AccessPoint"
    private static let activeConnection = "\(name).Connection.Active"
    /// `NM_DEVICE_TYPE_MODEM`
    private static let modem: UInt32 = 8
    /// A hall full of access points has some hundreds.
    private static let mostObjects = 16_384
    /// IEEE 802.11: "The length of the SSID is between 0 and 32 octets".
    private static let longestName = 32

    private static let wanted: [String: Set<String>] = [
        device: ["Interface", "IpInterface", "DeviceType", "Metered", "ActiveConnection"],
        wireless: ["ActiveAccessPoint"],
        accessPoint: ["Ssid"],
        activeConnection: ["SpecificObject"],
    ]

    /// By path, then by the property's name; no two interfaces above share one.
    private var objects: [String: [String: BusValue]] = [:]

    init(_ message: borrowing BusMessage) throws(SystemError) {
        var objects: [String: [String: BusValue]] = [:]
        try message.forEach("oa{sa{sv}}") { message throws(SystemError) in
            let path = try message.text(BusType.path)
            guard objects.count < Self.mostObjects else {
                throw SystemError("reading a list of so many objects", E2BIG, on: "NetworkManager")
            }
            var properties: [String: BusValue] = [:]
            try message.forEach("sa{sv}") { message throws(SystemError) in
                guard let wanted = Self.wanted[try message.text()] else { return try message.skip("a{sv}") }
                try message.forEach("sv") { message throws(SystemError) in
                    let name = try message.text()
                    if wanted.contains(name) {
                        properties[name] = try message.variant()
                    } else {
                        try message.skip("v")
                    }
                }
            }
            if !properties.isEmpty { objects[path] = properties }
        }
        self.objects = objects
    }

    /// By the interface's name: the device's own, and where that differs the one that packets leave by.
    var facts: [String: ManagedFacts] {
        var facts: [String: ManagedFacts] = [:]
        for (path, device) in objects.sorted(by: { $0.key < $1.key }) {
            guard let interface = device["Interface"]?.text else { continue }
            let metered = device["Metered"]?.number.flatMap { ManagedFacts.Metered(rawValue: $0) }
            let one = ManagedFacts(
                metered: metered ?? .unknown, isModem: device["DeviceType"]?.number == Self.modem,
                ssid: ssid(of: path))
            for name in [interface, device["IpInterface"]?.text ?? ""] where !name.isEmpty {
                facts[name] = one
            }
        }
        return facts
    }

    private func ssid(of path: String) -> String? {
        let device = objects[path]
        // The access point of this moment, or the one that the connection began with.
        let began = device?["ActiveConnection"]?.text.flatMap { objects[$0]?["SpecificObject"]?.text }
        for point in [device?["ActiveAccessPoint"]?.text, began].compactMap({ $0 }) {
            if let bytes = objects[point]?["Ssid"]?.bytes, (1...Self.longestName).contains(bytes.count) {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return nil
    }
}
