package import Posix

/// What the kernel knows of networks. Tests put another one there.
package protocol NetworkKernel: Sendable {
    func links() async throws(SystemError) -> [NetworkLink]
    /// Nothing when no way leads there.
    func route(to address: [UInt8]) async throws(SystemError) -> NetworkRoute?
    func wirelessName(of interface: Int) async throws(SystemError) -> String?
    /// Returns as soon as an interface, an address or a route has changed since it last did.
    func change() async throws(SystemError)
}

/// The real one.
package actor RealKernel: NetworkKernel {
    private let reactor: Reactor
    private let netlink: RouteNetlink
    private var changes: NetworkChanges?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// What happens from now on is not missed.
    package init(_ reactor: Reactor) throws(SystemError) {
        self.reactor = reactor
        netlink = RouteNetlink(reactor)
        changes = try NetworkChanges(reactor)
    }

    package func links() async throws(SystemError) -> [NetworkLink] { try await netlink.links() }

    package func route(to address: [UInt8]) async throws(SystemError) -> NetworkRoute? {
        try await netlink.route(to: address)
    }

    package func wirelessName(of interface: Int) async throws(SystemError) -> String? {
        try await WirelessName.of(interface, on: reactor)
    }

    package func change() async throws(SystemError) {
        guard let changes else {
            // Who listens anew may have missed something.
            self.changes = try NetworkChanges(reactor)
            return
        }
        do throws(SystemError) {
            try await changes.next()
        } catch {
            self.changes = nil
            throw error
        }
    }
}
