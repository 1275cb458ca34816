import Bridge

/// Texts from a gallery, which may hold anything.
enum UntrustedText {
    static let longestID = 200

    /// What can stand in an address as it is: a UUID, or what another server uses in its place.
    static func isID(_ text: String) -> Bool { RecordFields.isID(text) }

    /// For a message: nothing that is invisible or moves the cursor, and not too much of it.
    static func clean(_ text: String, most: Int) -> String {
        var result = String.UnicodeScalarView()
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == most {
                result.append("…")
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.append(" ")
            case .format, .privateUse, .surrogate, .unassigned: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The same without these secrets, should a server send them back to us.
    static func without(_ secrets: [String], _ text: String) -> String {
        secrets.filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: "…") }
    }

    /// What can be a header's value: visible ASCII and blanks inside (RFC 9110 §5.5), so that no value smuggles in
    /// another header.
    static func isHeaderValue(_ text: String, most: Int) -> Bool {
        text.utf8.count <= most && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    /// "token = 1*tchar" (RFC 9110 §5.6.2).
    static func isHeaderName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
