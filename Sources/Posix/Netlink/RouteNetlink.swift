import Glibc

/// Questions to the kernel about its interfaces and routes. Each has a socket of its own, so that no task reads
/// another's answer.
package struct RouteNetlink: Sendable {
    private let reactor: Reactor

    /// The kernel answers while it is asked; waiting longer than this means that it is not the kernel.
    private static let timeout = Duration.seconds(2)
    /// A list that changed while it was read is read again, so often.
    private static let attempts = 4

    package init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    /// Every interface, in the kernel's order.
    package func links() async throws(SystemError) -> [NetworkLink] {
        for _ in 0..<Self.attempts {
            let socket = try NetlinkSocket(.route, reactor)
            let request = NetlinkMessage.request(
                Self.getLink, flags: NetlinkMessage.dump, sequence: 1, fixed: [UInt8](repeating: 0, count: 16)
            )
            let answers = try await socket.ask(request, sequence: 1, until: reactor.now + Self.timeout)
            if answers.contains(where: { $0.flags & NetlinkMessage.wasInterrupted != 0 }) { continue }
            var links: [NetworkLink] = []
            for message in answers where message.type == Self.newLink {
                do throws(NetlinkMessage.Malformed) {
                    links.append(try NetworkLink(message))
                } catch {
                    throw SystemError("reading the list of interfaces", EPROTO, on: "the kernel")
                }
            }
            return links
        }
        throw SystemError("reading the list of interfaces", EBUSY, on: "the kernel")
    }

    /// How something to this address would leave; nothing when it would not.
    package func route(to address: [UInt8]) async throws(SystemError) -> NetworkRoute? {
        precondition(address.count == 4 || address.count == 16, "an address has 4 or 16 bytes")
        let socket = try NetlinkSocket(.route, reactor)
        do throws(SystemError) {
            let answers = try await socket.ask(
                NetworkRoute.request(for: address, sequence: 1), sequence: 1,
                until: reactor.now + Self.timeout)
            guard let answer = answers.first(where: { $0.type == NetworkRoute.newRoute }) else { return nil }
            do throws(NetlinkMessage.Malformed) {
                return try NetworkRoute.read(answer)
            } catch {
                throw SystemError("reading a route", EPROTO, on: "the kernel")
            }
        } catch {
            // The ways in which the kernel says that nothing leads there.
            if [ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, ENETDOWN].contains(error.number) { return nil }
            throw error
        }
    }

    private static let newLink: UInt16 = 16
    private static let getLink: UInt16 = 18
}

/// A socket that the kernel tells when an interface, an address or a route has changed.
package actor NetworkChanges {
    private let reactor: Reactor
    private let socket: NetlinkSocket

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV4_RULE`, and the same of IPv6.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x80 | 0x100 | 0x400 | 1 << 18
    /// After so many at once it is said that something has changed, and the rest comes with the next.
    private static let mostAtOnce = 1000

    /// What happens from now on is not missed.
    package init(_ reactor: Reactor) throws(SystemError) {
        self.reactor = reactor
        socket = try NetlinkSocket(.route, groups: Self.groups, reactor)
    }

    /// Returns as soon as something has changed; several changes at once are one. It does not say what: a caller that wants
    /// to know asks, and sees how things are and not how they were.
    package func next() async throws(SystemError) {
        do throws(SystemError) {
            _ = try await socket.receive(until: nil)
            for _ in 0..<Self.mostAtOnce {
                if try socket.receiveNow() == nil { return }
            }
        } catch {
            // More has changed than the socket holds.
            if error.number != ENOBUFS { throw error }
        }
    }
}
