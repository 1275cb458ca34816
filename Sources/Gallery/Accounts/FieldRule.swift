package import Basics

/// Why a value is not what a rule wants: the end of the sentence that begins with the field's name.
package struct Breach: Error, Equatable, Sendable {
    package let sentence: String

    package init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// What one field of a request may be, and how its value is read.
package struct FieldRule<Value: Sendable>: Sendable {
    let read: @Sendable (JSONValue) throws(Breach) -> Value
    /// Stands in where the value was refused, until the whole body is: it is never used.
    let nothing: Value

    package init(_ nothing: Value, read: @escaping @Sendable (JSONValue) throws(Breach) -> Value) {
        self.nothing = nothing
        self.read = read
    }

    /// One thing more that a value has to be.
    package func and(_ sentence: String, _ holds: @escaping @Sendable (Value) -> Bool) -> FieldRule {
        FieldRule(nothing) { [read] (json) throws(Breach) in
            let value = try read(json)
            guard holds(value) else { throw Breach(sentence) }
            return value
        }
    }
}

extension FieldRule {
    /// The same in another form.
    package func map(_ change: @escaping @Sendable (Value) -> Value) -> FieldRule {
        FieldRule(nothing) { [read] (json) throws(Breach) in change(try read(json)) }
    }
}

/// How much of a text's shape is free.
package enum TextShape: Sendable {
    /// One line: nothing that moves a cursor.
    case line
    /// Lines may end in it, and tabs may stand in it.
    case paragraph
    /// Whatever a user typed, such as a password. NUL alone is left out, where C ends a text.
    case secret

    func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .line: scalar.properties.generalCategory != .control && !Self.endsLine(scalar)
        case .paragraph:
            scalar == "\n" || scalar == "\t" || scalar == "\r"
                || scalar.properties.generalCategory != .control
        case .secret: scalar != "\0"
        }
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}

extension FieldRule where Value == String {
    /// Lengths in Unicode scalars, as JSON Schema and SQLite count them.
    package static func text(_ lengths: ClosedRange<Int>, _ shape: TextShape = .line) -> FieldRule {
        FieldRule("") { (json) throws(Breach) in
            guard let text = json.string else { throw Breach("must be a text") }
            let length = text.unicodeScalars.count
            guard length >= lengths.lowerBound else {
                throw Breach(
                    lengths.lowerBound == 1
                        ? "must not be empty" : "must have at least \(lengths.lowerBound) characters")
            }
            guard length <= lengths.upperBound else {
                throw Breach("must have at most \(lengths.upperBound) characters")
            }
            guard text.unicodeScalars.allSatisfy(shape.allows) else {
                throw Breach("must be without control characters")
            }
            return text
        }
    }

    /// A UUID in either case; lower case from here on.
    package static var uuid: FieldRule {
        FieldRule("") { (json) throws(Breach) in
            guard let text = json.string, let id = canonicalUUID(text) else { throw Breach("must be a UUID") }
            return id
        }
    }

    /// 8-4-4-4-12 hexadecimal digits (RFC 9562 §4), in lower case; nothing for anything else.
    package static func canonicalUUID(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (place, byte) in bytes.enumerated() {
            switch (place, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")),
                (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")),
                (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
                continue
            default: return nil
            }
        }
        return text.lowercased()
    }
}

extension FieldRule where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> FieldRule {
        FieldRule(range.lowerBound) { (json) throws(Breach) in
            guard let value = wholeNumber(json) else { throw Breach("must be a whole number") }
            guard let number = Int(exactly: value), range.contains(number) else {
                throw Breach("must be from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// "1.0" is an integer to JSON Schema, as it is to languages with one kind of number.
    private static func wholeNumber(_ json: JSONValue) -> Double? {
        switch json {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value == value.rounded() ? value : nil
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

extension FieldRule where Value == Bool {
    package static var bool: FieldRule {
        FieldRule(false) { (json) throws(Breach) in
            guard let value = json.bool else { throw Breach("must be true or false") }
            return value
        }
    }
}

extension FieldRule where Value == Timestamp {
    package static var time: FieldRule {
        FieldRule(Timestamp(milliseconds: 0)) { (json) throws(Breach) in
            guard let text = json.string, text.utf8.count <= 64, let moment = Timestamp(rfc3339: text),
                Timestamp.writable.contains(moment.milliseconds)
            else { throw Breach("must be a time such as 2026-11-21T18:59:03.123Z") }
            return moment
        }
    }
}

extension FieldRule where Value == [JSONValue] {
    package static func array(_ counts: ClosedRange<Int>) -> FieldRule {
        FieldRule([]) { (json) throws(Breach) in
            guard let elements = json.array else { throw Breach("must be an array") }
            guard counts.contains(elements.count) else {
                throw Breach("must have from \(counts.lowerBound) to \(counts.upperBound) elements")
            }
            return elements
        }
    }
}

extension FieldRule {
    /// So many of them at the most. What is wrong is said of the first one that is.
    package static func list<Element>(
        _ counts: ClosedRange<Int>, of rule: FieldRule<Element>
    ) -> FieldRule<[Element]> where Value == [Element] {
        FieldRule<[Element]>([]) { (json) throws(Breach) in
            let elements = try FieldRule<[JSONValue]>.array(counts).read(json)
            var values: [Element] = []
            for (index, element) in elements.enumerated() {
                do throws(Breach) {
                    values.append(try rule.read(element))
                } catch {
                    throw Breach("has an element \(index) that \(error.sentence)")
                }
            }
            return values
        }
    }
}

extension FieldRule where Value == JSONValue {
    package static var object: FieldRule {
        FieldRule(.object([])) { (json) throws(Breach) in
            guard json.members != nil else { throw Breach("must be an object") }
            return json
        }
    }
}

extension FieldRule where Value: RawRepresentable, Value.RawValue == String, Value: CaseIterable {
    /// One of a few words.
    package static func word(_ type: Value.Type, _ words: String) -> FieldRule {
        guard let first = Value.allCases.first else {
            preconditionFailure("a rule of words needs a word")
        }
        return FieldRule(first) { (json) throws(Breach) in
            guard let word = json.string.flatMap(Value.init(rawValue:)) else {
                throw Breach("must be \(words)")
            }
            return word
        }
    }
}
