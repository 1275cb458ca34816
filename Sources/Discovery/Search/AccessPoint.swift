/// Addresses that cameras have on networks of their own, where they announce nothing.
package enum AccessPoint {
    /// "Camera AP IP": Canon "192.168.1.1 or .1.2", Nikon "192.168.1.1", Sony "192.168.122.1".
    private static let makes: [[UInt8]: String] = [
        [192, 168, 1, 1]: "a Nikon or a Canon", [192, 168, 1, 2]: "a Canon", [192, 168, 122, 1]: "a Sony",
    ]

    /// Any host of the internet (RFC 5737): the way there begins at the gateway.
    package static let elsewhere: [UInt8] = [192, 0, 2, 1]

    /// What may be at a gateway's address; nothing at most. Many routers have these addresses, too, so that it is said and
    /// not connected to.
    package static func camera(at gateway: [UInt8]) -> FoundCamera? {
        guard let make = makes[gateway], let address = CameraAddress(bytes: gateway) else { return nil }
        var details = DeviceDescription()
        details.maker = make
        return FoundCamera(id: "gateway \(address)", address: address, services: [], details: details)
    }
}
