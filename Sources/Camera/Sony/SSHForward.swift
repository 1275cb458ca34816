import Basics
import Link
import Posix
import Synchronization

/// A way to the body's PTP/IP port through an ssh process: begun with the first link, ended with the connection.
final class SSHForward: TCPSource {
    private struct State {
        var local: IPEndpoint?
        var running: Task<Void, Never>?
        var errors: [UInt8] = []
        /// ssh has been let in and listens.
        var stands = false
        var hasEnded = false
    }

    private let host: HostPort
    private let access: SSHAccess
    private let options: TCPLink.Options
    private let reactor: Reactor
    private let state = Mutex(State())

    private static let readyWithin = Duration.seconds(30)
    private static let pause = Duration.milliseconds(100)
    private static let mostErrors = 8 << 10

    init(to host: HostPort, _ access: SSHAccess, options: TCPLink.Options, reactor: Reactor) {
        (self.host, self.access, self.options, self.reactor) = (host, access, options, reactor)
    }

    deinit {
        state.withLock { $0.running }?.cancel()
    }

    var target: String { "\(host) through SSH" }

    func connect() async throws(LinkError) -> TCPLink {
        let local = try begin()
        try await standing()
        return try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: local.port), options: localOptions, reactor: reactor)
    }

    /// Waits for ssh's own word that it listens: until then another may answer at the port, and the end of that would look
    /// like the camera's.
    private func standing() async throws(LinkError) {
        let until = reactor.now + Self.readyWithin
        while true {
            let now = state.withLock { $0 }
            if now.hasEnded {
                throw access.failure(String(decoding: now.errors, as: UTF8.self), of: "\(host)")
            }
            if now.stands { return }
            guard reactor.now < until else {
                throw unreachable("ssh did not let us in within \(Self.readyWithin)")
            }
            do {
                try await reactor.sleep(until: reactor.now + Self.pause)
            } catch {
                throw .cancelled
            }
        }
    }

    /// The loopback interface is the only one that leads to ssh.
    private var localOptions: TCPLink.Options {
        var local = options
        local.interface = nil
        return local
    }

    private func begin() throws(LinkError) -> IPEndpoint {
        if let local = state.withLock({ $0.running == nil ? nil : $0.local }) { return local }
        let local: IPEndpoint
        do throws(SystemError) {
            let folder = try Directory.make(path: access.folder, mode: 0o700)
            try writeAtomically(
                Array(SSHAccess.handOver.utf8), to: SSHAccess.handOverName, in: folder, mode: 0o700)
            local = try Socket.freeAddress(like: .loopback(port: 0))
        } catch {
            throw unreachable("ssh cannot be started: \(error)")
        }
        var child = ChildProcess(
            access.program, access.arguments(host: host.host, from: local.port, to: host.port),
            environment: access.environment)
        child.errors = .each { [weak self] bytes in self?.keep(bytes) }
        let running = Task(executorPreference: reactor) { [weak self, reactor, child] in
            do throws(SystemError) {
                _ = try await child.run(on: reactor)
            } catch {
                self?.keep(Array("\(error)\n".utf8))
            }
            self?.state.withLock { $0.hasEnded = true }
        }
        state.withLock { ($0.local, $0.running) = (local, running) }
        return local
    }

    private func keep(_ bytes: [UInt8]) {
        state.withLock { state in
            state.errors += bytes
            state.errors.removeFirst(max(0, state.errors.count - Self.mostErrors))
            if !state.stands {
                state.stands = String(decoding: state.errors, as: UTF8.self).split(separator: "\n")
                    .contains(Substring(SSHAccess.standsLine))
            }
        }
    }

    private func unreachable(_ reason: String) -> LinkError {
        .unreachable(peer: "\(host)", reason: reason)
    }

    func close() async {
        let running = state.withLock { $0.running }
        running?.cancel()
        await running?.value
    }
}
