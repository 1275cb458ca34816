import Basics
import Bridge
import Synchronization

/// Whether it was seen that a server of files answers, and no log-in page of the network between us.
final class WebDAVConfirmation: Sendable {
    private let isMade = Mutex(false)

    var isKnown: Bool { isMade.withLock { $0 } }
    func note(_ isKnown: Bool) { isMade.withLock { $0 = isKnown } }
}

/// What answers says yes to everything, or redirects everything: its answer about a name means nothing.
struct NotAWebDAVServer: Error {
    let status: Int
    /// The same host in HTTPS, where it is that and no log-in page that everything leads to.
    var isPlainDoor = false

    func outcome(_ host: String) -> DeliveryOutcome {
        isPlainDoor
            ? .held(.settings, "\(ServerFailure.plainDoor(host: host))")
            : .notThere("\(ServerFailure.stranger(host: host, status: status))")
    }
}

extension WebDAVServer {
    /// Names of this beginning are ours, and this one does not exist.
    private func nobodysName() -> String {
        var random = Randomness(random)
        return ".tetherline-\(String(random.next(), radix: 16))-is-not-here"
    }

    /// Asks for what cannot be there, without the password, so that a log-in page does not hear it. An answer that a server of
    /// files gives to such a name makes it known; with any other everything waits.
    @discardableResult
    func meet() async throws -> Int {
        confirmation.note(false)
        let status = try await ask(nobodysName(), as: nil)
        // What fails at the moment is no stranger, and is not known either.
        if status < 500 { confirmation.note(true) }
        return status
    }

    /// The same of one that has just said that a name is taken.
    func confirm() async throws {
        // Who asks for a password says only then which names there are.
        guard try await meet() == 401, authorization != nil else { return }
        do {
            _ = try await ask(nobodysName(), as: authorization)
        } catch {
            confirmation.note(false)
            throw error
        }
    }

    private func ask(_ name: String, as user: String?) async throws -> Int {
        let url = address.origin + address.path(name)
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await http.send(
                HTTPRequest("GET", url, headers: user.map { [HTTPHeader("Authorization", $0)] } ?? []))
        } catch {
            // A page that is longer than any answer to this.
            guard case .unreadable = error else { throw error }
            throw NotAWebDAVServer(status: 200)
        }
        let status = response.status
        guard (200..<400).contains(status) || status == 511 else { return status }
        let secure = "https://\(address.host)".lowercased()
        let target = response["location"]?.lowercased() ?? ""
        let isPlainDoor =
            address.origin.hasPrefix("http://")
            && (target == secure || target.hasPrefix(secure + "/") || target.hasPrefix(secure + ":"))
        throw NotAWebDAVServer(status: status, isPlainDoor: isPlainDoor)
    }
}
