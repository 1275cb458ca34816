import TestSupport
import Testing

/// An independent mail server (aiosmtpd), which prints what it was given.
final class MailStand: Sendable {
    enum TLS: String, Sendable {
        case none
        /// Offered by STARTTLS, and required.
        case starts
        /// From the first byte.
        case implicit
    }

    static let python = ".build/python/bin/python"
    static let isThere: Bool = {
        guard let tool = Tool(python) else { return false }
        do { return try tool.run(["-c", "import aiosmtpd"]).code == 0 } catch { return false }
    }()

    let port: UInt16
    private let daemon: Daemon

    init(_ tls: TLS = .none, _ pair: CertificateShop.Pair? = nil, asksForPassword: Bool = false) throws {
        port = try FreePort.next()
        daemon = try Daemon(
            Self.python,
            [
                "-c", Self.program, "\(port)", tls.rawValue, pair?.certificate ?? "", pair?.key ?? "",
                asksForPassword ? "asks" : "",
            ])
        try daemon.wait(for: "READY")
    }

    /// So many mails as they came: "MAIL from [to] open|TLS user", then its lines.
    func waitForMail(_ count: Int = 1) throws -> [String] {
        try daemon.wait(for: "END OF MAIL", times: count)
        return daemon.output
    }

    var mails: Int { daemon.output.count { $0.hasPrefix("MAIL ") } }

    private static let program = """
        import ssl, sys, threading
        from aiosmtpd.controller import Controller
        from aiosmtpd.smtp import AuthResult

        port, tls, certificate, key, asks = sys.argv[1:]

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith("full"):
                    return "552 5.2.2 mailbox full"
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server, session, envelope):
                print("MAIL", envelope.mail_from, envelope.rcpt_tos, "TLS" if session.ssl or tls == "implicit" else "open",
                      session.auth_data.decode() if session.auth_data else "-")
                for line in envelope.content.decode().split("\\r\\n"):
                    print("| " + line)
                print("END OF MAIL", flush=True)
                return "250 OK"

        def check(server, session, envelope, mechanism, data):
            right = data.login == b"gallery@example.org" and data.password == b"mail secret"
            # Not handled: the server itself answers a refusal.
            return AuthResult(success=right, handled=False, auth_data=data.login if right else None)

        more, context = {}, None
        if tls != "none":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
        if tls == "implicit":
            more["ssl_context"] = context
        elif tls == "starts":
            more.update(tls_context=context, require_starttls=True)
        if asks:
            more.update(authenticator=check, auth_required=True, auth_require_tls=False)
        Controller(Handler(), hostname="127.0.0.1", port=int(port), **more).start()
        print("READY", flush=True)
        threading.Event().wait()
        """
}
