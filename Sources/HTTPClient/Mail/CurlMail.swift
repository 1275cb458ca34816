import Basics
import CCurl
package import Posix

/// Hands mail over to a server of SMTP, one at a time on a connection of its own. Never without TLS, except on this machine.
package final class CurlMail: Sendable {
    private let server: MailServer
    private let trust: Trust
    private let thread: CurlThread

    /// For all of it: a server that answers slowly, line by line, is given up.
    private static let longest = Duration.seconds(120)

    /// Why a mail was not taken over: a sentence that names the server, and nothing of the mail.
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
        /// The server has refused it with 5xx, or no server would take it.
        package let isRefusal: Bool

        init(description: String, isRefusal: Bool = false) {
            self.description = description
            self.isRefusal = isRefusal
        }
    }

    package init(_ server: MailServer) throws(SystemError) {
        self.server = server
        trust = Trust(privateCA: nil, environment: Trust.variable)
        thread = try CurlThread(name: "mail")
    }

    package func shutDown() async {
        await thread.shutDown()
    }

    /// A whole message of RFC 5322. Returns when the server has taken it over.
    package func send(_ message: [UInt8], from sender: String, to recipient: String) async throws(Failure) {
        guard [sender, recipient].allSatisfy(Self.isAddress) else {
            throw Failure(
                description: "no mail server would take one of the addresses as it is written",
                isRefusal: true)
        }
        let limits = HTTPLimits()
        var options: [Option] = [
            .text(CURLOPT_URL, server.url), .text(CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            .number(CURLOPT_UPLOAD, 1), .large(CURLOPT_INFILESIZE_LARGE, UInt64(message.count)),
            .text(CURLOPT_MAIL_FROM, "<\(sender)>"), .list(CURLOPT_MAIL_RCPT, ["<\(recipient)>"]),
            .number(
                CURLOPT_USE_SSL,
                server.isLoopback && !server.isImplicit
                    ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue)),
            .number(CURLOPT_TIMEOUT_MS, Int(clamping: Self.longest.wholeMilliseconds)),
            .number(
                CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(limits.noProgress.wholeMilliseconds / 1000))),
            .number(CURLOPT_FRESH_CONNECT, 1), .number(CURLOPT_FORBID_REUSE, 1),
        ]
        options += RequestOptions.connection(limits, interface: nil)
        do throws(HTTPFailure) {
            options += try trust.options()
        } catch {
            throw Failure(description: "\(error)")
        }
        if let user = server.user, let password = server.password {
            options += [.text(CURLOPT_USERNAME, user), .text(CURLOPT_PASSWORD, password)]
        }
        let ending = await thread.perform(
            Order(
                options: options, body: .bytes(message), sink: .stream { _ in true }, limits: limits,
                isAlone: true))
        if let failure = failure(ending) { throw failure }
    }

    /// As it stands between < and > of a command; quoted ones and those of other alphabets no server needs to take.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Set("<>()[]\\,;:\"".utf8).contains($0) }
    }

    private func failure(_ ending: TransferResult) -> Failure? {
        let peer = server.peer
        switch ending.cause {
        case .finished: return nil
        case .failed(CURLE_USE_SSL_FAILED, _):
            return Failure(
                description:
                    "the mail server \(peer) offers no TLS, and mail goes openly to this machine only; say smtps://, or "
                    + "another server")
        case .failed(CURLE_LOGIN_DENIED, _):
            let user = server.user.map { "'\($0)'" } ?? "us"
            return Failure(description: "the mail server \(peer) does not let \(user) in")
        case .failed(let code, let words)
        where ending.status >= 400 && code != CURLE_PEER_FAILED_VERIFICATION:
            return Failure(
                description:
                    "the mail server \(peer) refuses the mail: \(TransferResult.presentable(words, code))",
                isRefusal: ending.status >= 500)
        default: return Failure(description: "the mail server: \(ending.failure(at: peer))")
        }
    }
}
