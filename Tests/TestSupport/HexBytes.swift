/// Bytes as they stand in a specification or a bug report: `hex("22 00 00 00")`.
public func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    precondition(digits.count.isMultiple(of: 2), "hex digits come in pairs: \(text)")
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { preconditionFailure("not hex: \(text)") }
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}
