/// One step of the way to a value: into an object, or into a list.
public enum JSON5Step: Equatable, Sendable {
    case key(String)
    case index(Int)
}

/// Where one value of a text stands, counted in its scalars.
struct JSON5Place: Equatable, Sendable {
    let path: [JSON5Step]
    /// Of the key, where there is one.
    let start: Int
    var value: Range<Int>
    /// The comma behind it.
    var comma: Int?
}

/// A JSON5 text that is changed at one place, while its comments, its order and its spelling stay.
public struct JSON5Document: Sendable {
    public let value: JSONValue
    private let scalars: [Unicode.Scalar]
    private let places: [JSON5Place]

    /// For bytes from outside: refuses invalid UTF-8.
    public init(_ bytes: [UInt8]) throws(JSON5Error) {
        let limits = JSON5.Limits()
        scalars = try JSON5.scalars(of: bytes, limits)
        var reader = JSON5Reader(scalars, limits: limits, keepsPlaces: true)
        value = try reader.document()
        places = reader.places
    }

    public var text: String { string(scalars[...]) }

    /// The line that a value, or its key, begins in; nothing where there is no such value.
    public func line(of path: [JSON5Step]) -> Int? {
        place(path).map { JSON5Cursor(scalars).position($0.start).line }
    }

    public func has(_ path: [JSON5Step]) -> Bool { place(path) != nil }

    /// With another value there. What is missing on the way is made; a list does not grow.
    public func setting(_ path: [JSON5Step], to value: JSONValue) throws(JSON5Error) -> JSON5Document {
        if let place = place(path) { return try edited([Edit(place.value, value.compact)]) }
        var known = path.count - 1
        while known > 0, place(Array(path[..<known])) == nil { known -= 1 }
        guard let object = place(Array(path[..<known])), known < path.count else { return self }
        guard scalars[object.value.lowerBound] == "{", case .key(let key) = path[known] else {
            throw JSON5Cursor(scalars).error(
                "expected an object in braces or a value that is there already, to change what is in it",
                at: object.start)
        }
        var text = value.compact
        for step in path[(known + 1)...].reversed() {
            guard case .key(let key) = step else {
                throw JSON5Cursor(scalars).error("expected a list that has this element", at: object.start)
            }
            text = "{ \(spelled(key, in: object)): \(text) }"
        }
        return try edited(inserting("\(spelled(key, in: object)): \(text)", into: object))
    }

    /// Without that value and its key; the same where there is none.
    public func removing(_ path: [JSON5Step]) throws(JSON5Error) -> JSON5Document {
        guard let place = place(path), !path.isEmpty else { return self }
        var edits: [Edit] = []
        var range = place.start..<(place.comma.map { $0 + 1 } ?? place.value.upperBound)
        let before = children(of: Array(path.dropLast())).last { $0.start < place.start }
        // Nothing is separated by the comma before it any more.
        if place.comma == nil, let comma = before?.comma { edits.append(Edit(comma..<comma + 1, "")) }
        let first = lineStart(range.lowerBound)
        let begins = first == range.lowerBound || isBlank(first..<range.lowerBound)
        var end = range.upperBound
        while end < scalars.count, Self.isSpace(scalars[end]) { end += 1 }
        if begins, end == scalars.count || JSON5Cursor.endsLine(scalars[end]) {
            // It has its lines to itself.
            range = first..<min(scalars.count, end + lineBreak(at: end))
        } else if place.comma != nil || begins {
            // What stands behind it in its line stays, as a remark does.
            range = range.lowerBound..<end
        } else {
            var start = range.lowerBound
            while start > 0, Self.isSpace(scalars[start - 1]) { start -= 1 }
            range = start..<range.upperBound
        }
        edits.append(Edit(range, ""))
        return try edited(edits)
    }

    // MARK: At the place

    private struct Edit {
        let range: Range<Int>
        let text: String

        init(_ range: Range<Int>, _ text: String) {
            self.range = range
            self.text = text
        }
    }

    private func edited(_ edits: [Edit]) throws(JSON5Error) -> JSON5Document {
        var text = ""
        var done = 0
        for edit in edits {
            text += string(scalars[done..<edit.range.lowerBound]) + edit.text
            done = edit.range.upperBound
        }
        return try JSON5Document(Array((text + string(scalars[done...])).utf8))
    }

    /// Behind what is in the object, in the way in which that is laid out.
    private func inserting(_ member: String, into object: JSON5Place) -> [Edit] {
        let close = object.value.upperBound - 1
        let last = children(of: object.path).last
        var edits: [Edit] = []
        if let last, last.comma == nil {
            edits.append(Edit(last.value.upperBound..<last.value.upperBound, ","))
        }
        let comma = last == nil || last?.comma != nil ? "," : ""
        let closing = lineStart(close)
        if closing > object.value.lowerBound, isBlank(closing..<close) {
            // A line of its own, before that of the brace.
            let indent =
                last.flatMap { indentation(ofFirst: $0.start) } ?? string(scalars[closing..<close]) + "    "
            edits.append(Edit(closing..<closing, "\(indent)\(member)\(comma)\(newline)"))
            return edits
        }
        var end = close
        while Self.isSpace(scalars[end - 1]) { end -= 1 }
        if end == object.value.lowerBound + 1, object.path.isEmpty {
            edits.append(Edit(end..<close, "\(newline)    \(member),\(newline)"))
        } else {
            let space = last != nil && end == close ? "" : " "
            edits.append(Edit(end..<close, " \(member)\(last?.comma != nil ? "," : "")\(space)"))
        }
        return edits
    }

    /// In quotes where it has to be, or where its neighbours are: the text may be for others, too.
    private func spelled(_ key: String, in object: JSON5Place) -> String {
        let bare = Self.isBare(key)
        let quoted = children(of: object.path).last.map { scalars[$0.start] == "\"" } ?? false
        return bare && !quoted ? key : JSONValue.string(key).compact
    }

    private static func isBare(_ key: String) -> Bool {
        guard let first = key.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return key.unicodeScalars.allSatisfy { $0.isASCII && JSON5Cursor.continuesName($0) }
    }

    // MARK: What is where

    private func place(_ path: [JSON5Step]) -> JSON5Place? { places.first { $0.path == path } }

    private func children(of path: [JSON5Step]) -> [JSON5Place] {
        places.filter { $0.path.count == path.count + 1 && Array($0.path.dropLast()) == path }
    }

    private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private func isBlank(_ range: Range<Int>) -> Bool { scalars[range].allSatisfy(Self.isSpace) }

    private func lineStart(_ index: Int) -> Int {
        var start = index
        while start > 0, !JSON5Cursor.endsLine(scalars[start - 1]) { start -= 1 }
        return start
    }

    /// What stands before it in its line, where it is the first there.
    private func indentation(ofFirst index: Int) -> String? {
        let start = lineStart(index)
        return isBlank(start..<index) ? string(scalars[start..<index]) : nil
    }

    /// How many scalars end a line here.
    private func lineBreak(at index: Int) -> Int {
        guard index + 1 < scalars.count else { return 1 }
        return scalars[index] == "\r" && scalars[index + 1] == "\n" ? 2 : 1
    }

    private var newline: String {
        let first = scalars.firstIndex(of: "\n") ?? 0
        return first > 0 && scalars[first - 1] == "\r" ? "\r\n" : "\n"
    }
}
