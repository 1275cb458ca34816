import Glibc
import Synchronization

/// Names to addresses.
package enum Resolver {
    package struct Failure: Error, Sendable {
        package let reason: String
    }

    /// The addresses of a host, in the order in which to try them.
    ///
    /// A numeric address is answered at once. A name is asked for on a thread of its own, because the system's
    /// resolver blocks for as long as it likes; after `deadline` that thread is not waited for any more.
    package static func resolve(
        _ target: HostPort, until deadline: Duration, on reactor: Reactor
    ) async throws(Failure) -> [IPEndpoint] {
        if let numeric = IPEndpoint(numeric: target.host, port: target.port) { return [numeric] }
        let answer = Answer()
        Thread.start(name: "resolver") { answer.set(lookUp(target)) }
        let timer = Task {
            try await reactor.sleep(until: deadline)
            answer.set(.failure(Failure(reason: "the name was not resolved in time")))
        }
        defer { timer.cancel() }
        return try await answer.get().get()
    }

    private static func lookUp(_ target: HostPort) -> Result<[IPEndpoint], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(target.host, nil, &hints, &first)
        guard result == 0 else { return .failure(Failure(reason: String(cString: gai_strerror(result)))) }
        defer { freeaddrinfo(first) }
        var endpoints: [IPEndpoint] = []
        var next = first
        while let entry = next?.pointee {
            var storage = sockaddr_storage()
            memcpy(&storage, entry.ai_addr, min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size))
            if let endpoint = IPEndpoint(storage) {
                endpoints.append(IPEndpoint(address: endpoint.address, port: target.port))
            }
            next = entry.ai_next
        }
        return endpoints.isEmpty ? .failure(Failure(reason: "the name has no address")) : .success(endpoints)
    }

    /// The first answer counts.
    private final class Answer: Sendable {
        private enum State {
            case open
            case waiting(CheckedContinuation<Result<[IPEndpoint], Failure>, Never>)
            case answered(Result<[IPEndpoint], Failure>)
        }

        private let state = Mutex(State.open)

        func set(_ result: Result<[IPEndpoint], Failure>) {
            let waiting = state.withLock {
                state -> CheckedContinuation<Result<[IPEndpoint], Failure>, Never>? in
                switch state {
                case .answered:
                    return nil
                case .open:
                    state = .answered(result)
                    return nil
                case .waiting(let continuation):
                    state = .answered(result)
                    return continuation
                }
            }
            waiting?.resume(returning: result)
        }

        func get() async -> Result<[IPEndpoint], Failure> {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Result<[IPEndpoint], Failure>? in
                    if case .answered(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
