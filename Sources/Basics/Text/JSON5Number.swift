/// Numbers: decimal or hexadecimal, with a sign or without, with a point on either side.
extension JSON5Cursor {
    mutating func number() throws(JSON5Error) -> JSONValue {
        let start = at
        let sign = take("-") ? "-" : ""
        if sign.isEmpty { _ = take("+") }
        let word = word()
        guard word.isEmpty else {
            if word == "Infinity" || word == "NaN" { throw notFinite(word, at: start) }
            throw error(
                "expected a digit, but found \(JSON5Cursor.shown(word))", at: at - word.unicodeScalars.count)
        }
        let value = try magnitude(sign: sign, start: start)
        if let scalar = next, scalar == "\\" || JSON5Cursor.continuesName(scalar) {
            throw expected("the end of the number")
        }
        return value
    }

    private mutating func magnitude(sign: String, start: Int) throws(JSON5Error) -> JSONValue {
        if !isStrict, next == "0", let mark = scalar(at + 1), mark == "x" || mark == "X" {
            at += 2
            let digits = digits { $0.properties.isASCIIHexDigit }
            guard !digits.isEmpty else { throw expected("a hexadecimal digit") }
            if let value = whole(sign, digits, radix: 16) { return value }
            return try double("\(sign)0x\(digits)", start: start)
        }
        let first = at
        let whole = digits(JSON5Cursor.isDigit)
        guard whole.utf8.count < 2 || !whole.hasPrefix("0") else {
            throw error("expected no digit after a zero at the start of a number", at: first + 1)
        }
        var fraction: String?
        if take(".") { fraction = digits(JSON5Cursor.isDigit) }
        guard !whole.isEmpty || fraction?.isEmpty == false else { throw expected("a digit") }
        // "A fraction part is a decimal point followed by one or more digits" (RFC 8259 §6), and stands behind one.
        if isStrict, whole.isEmpty || fraction?.isEmpty == true {
            throw expected("a digit on each side of the point")
        }
        var exponent: String?
        if take("e") || take("E") {
            let sign = take("-") ? "-" : ""
            if sign.isEmpty { _ = take("+") }
            let digits = digits(JSON5Cursor.isDigit)
            guard !digits.isEmpty else { throw expected("a digit of the exponent") }
            exponent = sign + digits
        }
        if fraction == nil, exponent == nil, let value = self.whole(sign, whole, radix: 10) { return value }
        return try double("\(sign)0\(whole).\(fraction ?? "")0e\(exponent ?? "0")", start: start)
    }

    private mutating func digits(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        var digits = String.UnicodeScalarView()
        while let scalar = next, belongs(scalar) {
            digits.append(scalar)
            at += 1
        }
        return String(digits)
    }

    /// Nothing when it fits no integer.
    private func whole(_ sign: String, _ digits: String, radix: Int) -> JSONValue? {
        if let value = Int64(sign + digits, radix: radix) { return .integer(value) }
        if sign.isEmpty, let value = UInt64(digits, radix: radix) { return .unsigned(value) }
        return nil
    }

    private func double(_ text: String, start: Int) throws(JSON5Error) -> JSONValue {
        guard let value = Double(text), value.isFinite else {
            throw error("expected a number that fits a double, up to 1.8e308", at: start)
        }
        return .double(value)
    }

    func notFinite(_ word: String, at index: Int) -> JSON5Error {
        error("expected a finite number, but found \(word), which no JSON value can hold", at: index)
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

/// Errors.
extension JSON5Cursor {
    func expected(_ what: String) -> JSON5Error {
        guard let next else { return error("expected \(what), but the text ends", at: at) }
        if JSON5Cursor.endsLine(next) { return error("expected \(what), but the line ends", at: at) }
        return error("expected \(what), but found \(JSON5Cursor.shown(next))", at: at)
    }

    func error(_ problem: String, at index: Int) -> JSON5Error {
        let (line, column) = position(index)
        return JSON5Error(line: line, column: column, problem: problem)
    }

    func place(_ index: Int) -> String {
        let (line, column) = position(index)
        return "line \(line), column \(column)"
    }

    /// Counted only when something is wrong.
    func position(_ index: Int) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for passed in 0..<index {
            // Editors do not show a byte order mark.
            if passed == 0, scalar(0) == "\u{FEFF}" { continue }
            column += 1
            guard let ended = scalar(passed), JSON5Cursor.endsLine(ended) else { continue }
            // CR LF ends one line, and the LF does it.
            if ended == "\r", scalar(passed + 1) == "\n" { continue }
            line += 1
            column = 1
        }
        return (line, column)
    }

    static func shown(_ scalar: Unicode.Scalar) -> String {
        scalar == "\"" ? "'\"'" : shown(String(scalar))
    }

    /// The text comes from outside and the message goes to a terminal: nothing invisible, and not all of it.
    static func shown(_ text: String) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == 40 {
                shown += "…"
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return "\"\(shown)\""
    }
}
