import Basics
import Digest

/// What the QR code of an event carries: a guest who has it never types a PIN. 128 bits cannot be found by trying.
package struct GuestLinkKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    static let length = 16
    /// Of the query in ``GuestLinkKey/link(to:)``.
    static let parameter = "k"

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(random: any RandomSource) {
        bytes = random.bytes(Self.length)
    }

    /// 22 characters, which keep a QR code coarse.
    package var text: String { Base64URL.text(bytes) }

    /// What a phone opens.
    package func link(to address: String) -> String { "\(address)?\(Self.parameter)=\(text)" }

    func isSame(as given: String) -> Bool {
        guard let given = Base64URL.bytes(given), given.count == Self.length else { return false }
        return ConstantTime.isSame(given, bytes)
    }

    package var description: String { "the key of an event" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
