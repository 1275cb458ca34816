import Bridge
import Glibc
import Network
import Posix
import Synchronization
import TestSupport

/// A kernel with interfaces that no bench has: radios, modems, and whatever a table says.
final class ModelKernel: NetworkKernel {
    struct State {
        var links: [NetworkLink] = []
        /// Beginnings of addresses and the interface that they leave by; the longest counts.
        var routes: [(prefix: [UInt8], interface: Int)] = []
        var wirelessNames: [Int: String] = [:]
        var failure: SystemError?
    }

    let state = Shared(State())
    let signal = Signal()

    private func check() throws(SystemError) {
        if let failure = state.value.failure { throw failure }
    }

    func links() async throws(SystemError) -> [NetworkLink] {
        try check()
        return state.value.links
    }

    func route(to address: [UInt8]) async throws(SystemError) -> NetworkRoute? {
        try check()
        return state.value.routes.filter { address.starts(with: $0.prefix) }
            .max { $0.prefix.count < $1.prefix.count }.map { NetworkRoute(interface: $0.interface) }
    }

    func wirelessName(of interface: Int) async throws(SystemError) -> String? {
        state.value.wirelessNames[interface]
    }

    func change() async throws(SystemError) {
        await signal.waitUnlessCancelled()
        if Task.isCancelled { throw SystemError("waiting", ECANCELED, on: "model") }
        try check()
    }

    /// Something happens, and the kernel says so.
    func happen(_ change: (inout State) -> Void) {
        state.change { change(&$0) }
        signal.fire()
    }
}

/// A network manager that says what the test wants.
final class ModelManager: ManagedNetworks {
    let known = Shared<[String: ManagedFacts]>([:])
    let signal = Signal()

    func facts() async -> [String: ManagedFacts] { known.value }

    func run(_ onChange: @Sendable () -> Void) async {
        while !Task.isCancelled {
            onChange()
            await signal.waitUnlessCancelled()
        }
    }

    func say(_ facts: [String: ManagedFacts]) {
        known.change { $0 = facts }
        signal.fire()
    }
}
