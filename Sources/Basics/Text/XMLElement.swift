/// A small XML document from outside (a store's answer, a camera's description), as a tree. Attributes, comments and
/// namespaces are read over.
package struct XMLElement: Equatable, Sendable {
    package let name: String
    package fileprivate(set) var text = ""
    package fileprivate(set) var children: [XMLElement] = []

    /// Deeper than any answer of a store, and than any description of a device.
    package static let deepest = 16
    /// "1,000 parts" a page, each with half a dozen elements.
    package static let mostElements = 20_000

    package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init(_ bytes: [UInt8], mostElements: Int = XMLElement.mostElements) throws(Malformed) {
        var reader = XMLReader(bytes, mostElements: mostElements)
        self = try reader.document()
    }

    fileprivate init(name: String) {
        self.name = name
    }

    package subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

    package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

/// Reads from the front; what is open waits in a stack.
private struct XMLReader {
    private let bytes: [UInt8]
    private let mostElements: Int
    private var position = 0
    private var open: [XMLElement] = []
    private var count = 0

    init(_ bytes: [UInt8], mostElements: Int) {
        self.bytes = bytes
        self.mostElements = mostElements
    }

    mutating func document() throws(XMLElement.Malformed) -> XMLElement {
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                try characters()
            } else if let root = try markup() {
                return root
            }
        }
        throw malformed("it ends before its first element does")
    }

    /// The root, when it has just ended.
    private mutating func markup() throws(XMLElement.Malformed) -> XMLElement? {
        if skips("<?", until: "?>") || skips("<!--", until: "-->") { return nil }
        if starts(with: "<![CDATA[") {
            let start = position + 9
            guard let end = find("]]>", from: start) else { throw malformed("a CDATA section does not end") }
            append(String(decoding: bytes[start..<end], as: UTF8.self))
            position = end + 3
            return nil
        }
        // A DOCTYPE could define entities that grow without end.
        if starts(with: "<!") {
            throw malformed(
                "it has a declaration, which neither an answer of a store nor a description of a device has")
        }
        guard let end = endOfTag(), end > position + 1 else { throw malformed("a tag does not end") }
        let inner = bytes[(position + 1)..<end]
        position = end + 1
        if inner.first == UInt8(ascii: "/") { return try close(try name(inner.dropFirst())) }
        let isEmpty = inner.last == UInt8(ascii: "/")
        count += 1
        guard count <= mostElements, open.count < XMLElement.deepest else {
            throw malformed("it has too many elements")
        }
        open.append(XMLElement(name: try name(isEmpty ? inner.dropLast() : inner)))
        return isEmpty ? try close(open[open.count - 1].name) : nil
    }

    private mutating func close(_ name: String) throws(XMLElement.Malformed) -> XMLElement? {
        guard let element = open.popLast(), element.name == name else {
            throw malformed("'\(name)' ends where it was not begun")
        }
        if open.isEmpty { return element }
        open[open.count - 1].children.append(element)
        return nil
    }

    private mutating func characters() throws(XMLElement.Malformed) {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        var rest = bytes[position..<end]
        position = end
        // By bytes: to Swift, an accent behind a semicolon makes another character of it.
        var text: [UInt8] = []
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += rest[..<start]
            rest = rest[(start + 1)...]
            guard let end = rest.prefix(Self.longestReference + 1).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
            else { throw malformed("'&' begins nothing") }
            text += String(scalar).utf8
            rest = rest[(end + 1)...]
        }
        append(String(decoding: text + rest, as: UTF8.self))
    }

    /// "#x10FFFF"
    private static let longestReference = 8

    private func scalar(_ name: String) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            // The parser of numbers would accept a sign.
            guard name.hasPrefix("#"), digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else {
                return nil
            }
            return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init).map(
                Character.init)
        }
    }

    private mutating func append(_ text: String) {
        // Between elements stands white space.
        if !open.isEmpty { open[open.count - 1].text += text }
    }

    /// Without its namespace and its attributes.
    private func name(_ tag: ArraySlice<UInt8>) throws(XMLElement.Malformed) -> String {
        let whole = tag.prefix { $0 > 32 }
        guard let local = whole.split(separator: UInt8(ascii: ":")).last, local.allSatisfy(Self.isOfName)
        else {
            // So that what begins as an instruction and is none is looked through to its end once, and not again and
            // again.
            throw malformed("an element has a name that is none")
        }
        return String(decoding: local, as: UTF8.self)
    }

    /// "NameChar" of XML 1.0 §2.3, as far as ASCII goes.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            0x80...:
            true
        default: false
        }
    }

    /// A quoted attribute may hold the sign that ends a tag.
    private func endOfTag() -> Int? {
        var quote: UInt8?
        for index in position..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return nil
    }

    private func starts(with text: StaticString) -> Bool {
        bytes[position...].starts(with: Array("\(text)".utf8))
    }

    private mutating func skips(_ start: StaticString, until end: StaticString) -> Bool {
        guard starts(with: start), let found = find(end, from: position) else { return false }
        position = found + end.utf8CodeUnitCount
        return true
    }

    private func find(_ text: StaticString, from start: Int) -> Int? {
        bytes[start...].firstRange(of: Array("\(text)".utf8))?.lowerBound
    }

    private func malformed(_ why: String) -> XMLElement.Malformed {
        XMLElement.Malformed(description: "its XML makes no sense at byte \(position): \(why)")
    }
}
