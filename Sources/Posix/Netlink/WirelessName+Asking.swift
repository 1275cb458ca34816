import Glibc

extension WirelessName {
    private static let timeout = Duration.seconds(2)

    /// Nothing when it is in none, or when this kernel has no Wi-Fi.
    package static func of(_ interface: Int, on reactor: Reactor) async throws(SystemError) -> String? {
        let deadline = reactor.now + timeout
        let socket = try NetlinkSocket(.generic, reactor)
        do throws(SystemError) {
            let families = try await socket.ask(familyRequest(sequence: 1), sequence: 1, until: deadline)
            guard let family = families.first.flatMap(familyNumber) else { return nil }
            let request = interfaceRequest(family: family, interface: UInt32(interface), sequence: 2)
            return try await socket.ask(request, sequence: 2, until: deadline).first.flatMap(name)
        } catch {
            // No such family, or an interface of another kind.
            if [ENOENT, ENODEV, EOPNOTSUPP].contains(error.number) { return nil }
            throw error
        }
    }
}
