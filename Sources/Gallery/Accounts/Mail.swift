import Basics

/// A mail to one person, in plain ASCII: of what clients sent it contains addresses only, and those were checked.
package struct Mail: Equatable, Sendable {
    package let from: String
    package let to: String
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
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=us-ascii",
            // So that holiday notices do not answer it (RFC 3834 §5).
            "Auto-Submitted: auto-generated", "",
        ]
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Array((lines + body).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }
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
