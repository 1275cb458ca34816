import Basics
import Posix

/// Where mail is handed over, as its operator writes it: smtps://user@host, smtp://user@host, or smtp://127.0.0.1:25.
package struct MailServer: Equatable, Sendable {
    /// With libcurl's scheme and the port, without the user.
    let url: String
    package let peer: String
    package let user: String?
    package let password: String?
    /// Nothing leaves this machine on the way there.
    package let isLoopback: Bool
    /// TLS from the first byte; otherwise asked for by STARTTLS.
    let isImplicit: Bool

    package struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// "Message submission over TLS" and "message submission" (RFC 8314 §3.3, RFC 6409 §3.1).
    private static let (implicitPort, submissionPort): (UInt16, UInt16) = (465, 587)

    package init(_ text: String, password: String?) throws(Unreadable) {
        func refuse(_ reason: String) -> Unreadable { Unreadable(description: reason) }
        guard let start = text.firstRange(of: "://"), ["smtp", "smtps"].contains(text[..<start.lowerBound])
        else {
            throw refuse(
                "a mail server is smtps://USER@HOST, or smtp://USER@HOST where it speaks STARTTLS, not '\(text)'"
            )
        }
        isImplicit = text.hasPrefix("smtps")
        var rest = text[start.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let at = rest.lastIndex(of: "@") else {
            user = nil
            guard password == nil else {
                throw refuse("a password for mail belongs to a user: smtps://USER@HOST")
            }
            self.password = nil
            (url, peer, isLoopback) = try Self.place(rest, isImplicit)
            return
        }
        guard !rest[..<at].contains(":") else {
            throw refuse(
                "a password does not belong into an address, which other programs see; put it into a file")
        }
        do throws(PercentEncoding.Invalid) {
            user = try PercentEncoding.decoded(rest[..<at])
        } catch {
            throw refuse("the user before the @ of the mail server cannot be read")
        }
        guard let password, !password.isEmpty else {
            throw refuse("the user of the mail server needs a password, from a file's first line")
        }
        self.password = password
        (url, peer, isLoopback) = try Self.place(rest[rest.index(after: at)...], isImplicit)
    }

    private static func place(
        _ text: Substring, _ isImplicit: Bool
    ) throws(Unreadable) -> (url: String, peer: String, isLoopback: Bool) {
        let place: HostPort
        do throws(HostPort.Unreadable) {
            place = try HostPort(String(text), defaultPort: isImplicit ? implicitPort : submissionPort)
        } catch {
            throw Unreadable(description: "the mail server's address cannot be read: \(error)")
        }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:".utf8)
        guard place.host.utf8.allSatisfy(allowed.contains), place.port > 0 else {
            throw Unreadable(description: "'\(text)' is no HOST or HOST:PORT of a mail server")
        }
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        let address = IPEndpoint(numeric: place.host, port: 0)?.address
        let isLoopback =
            place.host.lowercased() == "localhost" || address?.count == 4 && address?.first == 127
            || address == [UInt8](repeating: 0, count: 15) + [1]
        return (
            "\(isImplicit ? "smtps" : "smtp")://\(host):\(place.port)", "\(host):\(place.port)", isLoopback
        )
    }
}
