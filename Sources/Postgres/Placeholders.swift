/// Statements name the places of their values as `?` and `?1`; PostgreSQL names them `$1`.
enum Placeholders {
    /// The same statement as PostgreSQL reads it. What stands in quotes or behind `--` is left alone.
    static func numbered(_ sql: String) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(sql.utf8.count + 16)
        var last = 0
        var quote: UInt8?
        var bytes = Array(sql.utf8)[...]
        while let byte = bytes.popFirst() {
            if let open = quote {
                if byte == open { quote = nil }
                text.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                quote = byte
                text.append(byte)
            case UInt8(ascii: "-") where bytes.first == UInt8(ascii: "-"):
                quote = UInt8(ascii: "\n")
                text.append(byte)
            case UInt8(ascii: "?"):
                var number = 0
                while let digit = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
                    number = number * 10 + Int(digit - UInt8(ascii: "0"))
                    bytes.removeFirst()
                }
                // As SQLite counts: one more than the largest so far.
                if number == 0 { number = last + 1 }
                last = max(last, number)
                text += Array("$\(number)".utf8)
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
