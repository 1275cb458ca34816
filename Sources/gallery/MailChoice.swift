import Arguments
import Basics
import Gallery
import HTTPClient
import Posix

/// Who carries a gallery's mail, as the command line says; looked at before anything is served.
struct MailChoice {
    private let server: MailServer
    private let from: String

    static let options = all(
        smtp:
            "Mail links for forgotten passwords, and hosts that their events end, by that server: smtps://USER@HOST, or "
            + "smtp://USER@HOST with STARTTLS. Openly only to this machine. Needs --public-url, which the links are made of."
    )

    /// The same for a command that sends one mail itself.
    static let commandOptions = all(
        smtp:
            "By which server it is mailed then, as 'serve' is told: smtps://USER@HOST, or smtp://USER@HOST with STARTTLS. "
            + "Needs --public-url, which the link is made of.")

    private static func all(smtp: String) -> [OptionSpec] {
        [
            OptionSpec("smtp", "URL", smtp),
            OptionSpec("smtp-password-file", "FILE", "That user's password, in the file's first line."),
            OptionSpec("mail-from", "ADDRESS", "Whom that mail is from. [USER, where it is an address]"),
        ]
    }

    /// Nothing where no mail is wanted.
    init?(_ invocation: Invocation) throws {
        guard let text = invocation.value("smtp") else {
            for name in ["smtp-password-file", "mail-from"] where invocation.value(name) != nil {
                throw UsageError("--\(name) belongs to --smtp.")
            }
            return nil
        }
        guard invocation.value("public-url") != nil else {
            throw UsageError(
                "--smtp needs --public-url: the links in mails are made of it, and of nothing that a request says."
            )
        }
        let password = try invocation.value("smtp-password-file").map(Self.password)
        do throws(MailServer.Unreadable) {
            server = try MailServer(text, password: password)
        } catch {
            throw UsageError("--smtp: \(error).")
        }
        guard let from = invocation.value("mail-from") ?? server.user, CurlMail.isAddress(from) else {
            throw UsageError("--mail-from needs an address such as gallery@example.org.")
        }
        self.from = from
    }

    private static func password(_ path: String) throws -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: path, limit: SecretLine.longest)
        } catch {
            throw UsageError("--smtp-password-file cannot be read: \(error)")
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    }

    func door() throws -> MailDoor {
        let carrier = try CurlMail(server)
        return MailDoor(from: from) { mail in
            try await carrier.send(mail.message, from: mail.from, to: mail.to)
        }
    }
}

extension CurlMail.Failure: MailRefusal {}
