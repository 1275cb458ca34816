import Basics
import Digest

/// A mail to one person. What clients sent stands in its text, and in no header but the addresses, which were checked.
package struct Mail: Equatable, Sendable {
    package let from: String
    package let to: String
    /// In plain ASCII.
    let subject: String
    let text: String
    let at: Timestamp
    /// In the whole world, of this one.
    let id: String

    /// As RFC 5322 has it.
    package var message: [UInt8] {
        let domain = from.split(separator: "@").last ?? "gallery.invalid"
        let lines = [
            "From: <\(from)>", "To: <\(to)>", "Subject: \(subject)",
            "Date: \(at.httpDate.replacing("GMT", with: "+0000"))", "Message-ID: <\(id)@\(domain)>",
            "MIME-Version: 1.0",
            // So that holiday notices do not answer it (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
        ]
        return Array((lines + content).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    /// Headers that say how the text is written, and the text: no server has to pass more than ASCII on.
    private var content: [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return ["Content-Type: text/plain; charset=us-ascii", ""] + lines
        }
        let written = Array(Base64.text(Array((lines.joined(separator: "\r\n") + "\r\n").utf8)).utf8)
        let pieces = stride(from: 0, to: written.count, by: Self.longestLine).map {
            String(decoding: written[$0..<min(written.count, $0 + Self.longestLine)], as: UTF8.self)
        }
        return ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", ""] + pieces
    }

    /// Of Base64 (RFC 2045 §6.8).
    private static let longestLine = 76
}

/// How mail leaves: from which address, and by what. It throws where a mail was not taken over.
package struct MailDoor: Sendable {
    let from: String
    let carry: @Sendable (Mail) async throws -> Void

    package init(from: String, carry: @escaping @Sendable (Mail) async throws -> Void) {
        self.from = from
        self.carry = carry
    }
}

/// Why a mail was not taken over, where its carrier knows that.
package protocol MailRefusal: Error {
    /// The mail server has looked at it: asked again soon it would say the same.
    var isRefusal: Bool { get }
}
