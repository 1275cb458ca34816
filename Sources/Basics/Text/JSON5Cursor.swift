/// The words of JSON5: blanks, comments, strings, numbers and names, one after the other.
struct JSON5Cursor {
    private let scalars: [Unicode.Scalar]
    /// Takes only what JSON has.
    let isStrict: Bool
    var at = 0

    init(_ scalars: [Unicode.Scalar], isStrict: Bool = false) {
        self.scalars = scalars
        self.isStrict = isStrict
    }

    var next: Unicode.Scalar? { scalar(at) }

    func scalar(_ index: Int) -> Unicode.Scalar? {
        index < scalars.count ? scalars[index] : nil
    }

    mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard next == wanted else { return false }
        at += 1
        return true
    }

    // MARK: Blanks

    mutating func skip() throws(JSON5Error) {
        while let scalar = next {
            if isStrict ? JSON5Cursor.isJSONBlank(scalar) : JSON5Cursor.isBlank(scalar) {
                at += 1
            } else if scalar == "/", !isStrict {
                try comment()
            } else {
                return
            }
        }
    }

    private mutating func comment() throws(JSON5Error) {
        let opened = at
        at += 1
        if take("/") {
            while let scalar = next, !JSON5Cursor.endsLine(scalar) { at += 1 }
        } else if take("*") {
            while !(next == "*" && scalar(at + 1) == "/") {
                guard next != nil else { throw expected("\"*/\" for the comment opened at \(place(opened))") }
                at += 1
            }
            at += 2
        } else {
            throw expected("\"/\" or \"*\" for a comment")
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\u{B}", "\u{C}", " ", "\u{FEFF}": true
        default: endsLine(scalar) || scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// RFC 8259 §2.
    private static func isJSONBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    // MARK: Strings

    mutating func string(quote: Unicode.Scalar) throws(JSON5Error) -> String {
        let opened = at
        at += 1
        var text = String.UnicodeScalarView()
        while !take(quote) {
            // The two separators end lines elsewhere, but JSON has always allowed them in strings.
            guard let scalar = next, scalar != "\n", scalar != "\r" else {
                throw expected("\(JSON5Cursor.shown(quote)) for the string opened at \(place(opened))")
            }
            // "All Unicode characters may be placed within the quotation marks, except for […] the control characters
            // (U+0000 through U+001F)" (RFC 8259 §7).
            if isStrict, scalar.value < 0x20 { throw expected("an escape for a control character") }
            at += 1
            if scalar != "\\" {
                text.append(scalar)
            } else if let meant = try escape() {
                text.append(meant)
            }
        }
        return String(text)
    }

    /// What follows a backslash. Nothing when the line goes on in the next one.
    private mutating func escape() throws(JSON5Error) -> Unicode.Scalar? {
        guard let scalar = next else { throw expected("the rest of an escape") }
        if isStrict, !"\"\\/bfnrtu".unicodeScalars.contains(scalar) {
            throw expected("one of the escapes that JSON has")
        }
        let digitFollows = self.scalar(at + 1).map(JSON5Cursor.isDigit) ?? false
        switch scalar {
        case "1"..."9": throw expected("an escape without a decimal digit")
        case "0" where digitFollows:
            at += 1
            throw expected("no digit after \"\\0\"")
        default: at += 1
        }
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "0": return "\0"
        case "x": return Unicode.Scalar(UInt8(try hexadecimal(digits: 2)))
        case "u": return try pair()
        case "\r":
            _ = take("\n")
            return nil
        default: return JSON5Cursor.endsLine(scalar) ? nil : scalar
        }
    }

    /// What follows `\u`: one scalar, or the two halves of one. Half a scalar is no text.
    private mutating func pair() throws(JSON5Error) -> Unicode.Scalar {
        let start = at - 2
        let high = try hexadecimal(digits: 4)
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00 else {
            throw error("expected a first half of a surrogate pair before this second half", at: start)
        }
        let middle = at
        guard take("\\"), take("u") else {
            throw error("expected \"\\u\" and the second half of the surrogate pair", at: middle)
        }
        let low = try hexadecimal(digits: 4)
        let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) & 0x3FF)
        guard (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(value) else {
            throw error("expected the second half of the surrogate pair: \\udc00 to \\udfff", at: middle)
        }
        return scalar
    }

    private mutating func hexadecimal(digits: Int) throws(JSON5Error) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<digits {
            guard let scalar = next, let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
                throw expected("\(digits) hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            at += 1
        }
        return value
    }

    // MARK: Names

    /// A key without quotes, as ECMAScript 5.1 §7.6 has it. Empty when there is none.
    mutating func identifier() throws(JSON5Error) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next {
            let start = at
            var meant = scalar
            if scalar == "\\" {
                at += 1
                guard take("u") else { throw expected("\"u\" after the backslash in a key without quotes") }
                let value = try hexadecimal(digits: 4)
                // A half is no letter, so pairs cannot stand here.
                meant = Unicode.Scalar(value) ?? "\0"
            }
            guard name.isEmpty ? JSON5Cursor.startsName(meant) : JSON5Cursor.continuesName(meant) else {
                guard scalar == "\\" else { break }
                throw error(
                    "expected the escape of a character that a key without quotes may have", at: start)
            }
            name.append(meant)
            at = max(at, start + 1)
        }
        return String(name)
    }

    /// A name without escapes. Empty when there is none.
    mutating func word() -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next, JSON5Cursor.continuesName(scalar),
            !name.isEmpty || JSON5Cursor.startsName(scalar)
        {
            name.append(scalar)
            at += 1
        }
        return String(name)
    }

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            true
        default: scalar == "$" || scalar == "_"
        }
    }

    static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
        default: startsName(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}"
        }
    }
}
