import Bridge
import Digest

/// A link that whoever has it may follow for five minutes: browsers cannot say who follows one.
extension GuestDoor {
    static let linkLife = Duration.seconds(300)

    package func link(to event: String) -> String {
        let end = (wall.wallNow + Self.linkLife).seconds
        return "\(end).\(Base64URL.text(HMACSHA256.code(of: Self.claim(event, end), key: key)))"
    }

    package func follows(_ pass: String, to event: String) -> Bool {
        let parts = pass.split(separator: ".", omittingEmptySubsequences: false)
        guard pass.utf8.count <= 100, parts.count == 2, let end = Int64(parts[0]), end > wall.wallNow.seconds,
            let code = Base64URL.bytes(parts[1])
        else { return false }
        return HMACSHA256.isCode(code, of: Self.claim(event, end), key: key)
    }

    private static func claim(_ event: String, _ end: Int64) -> [UInt8] {
        Array("zip\n\(event)\n\(end)".utf8)
    }
}
