import Basics
import Digest

/// A link by which an account gets a new password: once, for half an hour. The database knows its hash alone.
struct PasswordLink: Sendable {
    /// 43 characters, which cannot be guessed.
    let code: String

    private static let length = 32
    static let life = Duration.seconds(30 * 60)
    /// "At most 3 mails an hour and address".
    static let mostMails = 3
    static let mailWindow = Duration.seconds(3600)

    init(random: any RandomSource) {
        code = Base64URL.text(random.bytes(Self.length))
    }

    static func hash(_ code: String) -> [UInt8] { SHA256.of(Array(code.utf8)).bytes }

    /// Behind the #, so that it stands in no log and in no Referer.
    func url(_ publicURL: String) -> String { "\(publicURL)/host#password=\(code)" }
}
