/// A camera that has announced itself, and from where.
package struct FoundCamera: Equatable, Sendable {
    /// `uuid:…` of SSDP, or the instance's name of mDNS.
    package let id: String
    package internal(set) var address: CameraAddress
    /// Of PTP/IP.
    package internal(set) var port: UInt16
    package internal(set) var interface: String
    package internal(set) var services: [CameraService]
    package internal(set) var details = DeviceDescription()
    /// The instance's name, where it has no description.
    package internal(set) var instance: String?

    package static let usualPort: UInt16 = 15_740

    package init(
        id: String, address: CameraAddress, port: UInt16 = usualPort, interface: String = "",
        services: [CameraService], details: DeviceDescription = DeviceDescription()
    ) {
        self.id = id
        self.address = address
        self.port = port
        self.interface = interface
        self.services = services
        self.details = details
    }

    package var make: String? {
        services.lazy.compactMap(\.make).first
            ?? instance.flatMap { name in
                ["Canon", "Nikon", "Sony"].first { name.lowercased().contains($0.lowercased()) }
            } ?? details.maker
    }

    /// What an operator calls it by.
    package var name: String? { details.name ?? instance }
    package var model: String? { details.model }
    package var speaksPTP: Bool { services.contains(where: \.speaksPTP) }
    var isOfMDNS: Bool { services.contains { $0.domain != nil } }

    /// The service by which it would be connected to.
    package var best: CameraService? { services.first(where: \.speaksPTP) ?? services.first }

    /// As connections are called.
    package var place: String { "\(address):\(port)" }

    /// What `tetherline camera info` is given.
    package var host: String { port == Self.usualPort ? "\(address)" : "\(address):\(port)" }
}
