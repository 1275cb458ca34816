public import Basics

/// The members of one JSON object from a gallery, each within its bounds.
public struct RecordFields {
    public typealias Unreadable = GalleryRecord.Unreadable

    private let json: JSONValue

    public init(_ json: JSONValue) {
        self.json = json
    }

    /// What is null is as good as left out.
    private func given(_ key: String) -> JSONValue? {
        switch json[key] {
        case nil, .null: nil
        case .some(let value): value
        }
    }

    public func optionalText(_ key: String, most: Int) throws(Unreadable) -> String? {
        guard let value = given(key) else { return nil }
        guard let text = value.string, text.utf8.count <= most else {
            throw Unreadable("'\(key)' is no text of at most \(most) bytes")
        }
        return text
    }

    public func text(_ key: String, most: Int) throws(Unreadable) -> String {
        guard let text = try optionalText(key, most: most) else { throw Unreadable("'\(key)' is missing") }
        return text
    }

    public func id(_ key: String) throws(Unreadable) -> String {
        let id = try text(key, most: RecordLimits.idBytes)
        guard Self.isID(id) else { throw Unreadable("'\(key)' is no id") }
        return id
    }

    /// What can stand in an address as it is: a UUID, or what another gallery uses in its place.
    public static func isID(_ text: String) -> Bool {
        (1...RecordLimits.idBytes).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    public func texts(_ key: String, most: Int) throws(Unreadable) -> [String] {
        guard let value = given(key) else { return [] }
        guard let list = value.array, list.count <= RecordLimits.listed else {
            throw Unreadable("'\(key)' is no list of at most \(RecordLimits.listed)")
        }
        var texts: [String] = []
        for element in list {
            guard let text = element.string, text.utf8.count <= most else {
                throw Unreadable("'\(key)' holds what is no text of at most \(most) bytes")
            }
            texts.append(text)
        }
        return texts
    }

    public func number(_ key: String, in range: ClosedRange<Int64>) throws(Unreadable) -> Int64? {
        guard let value = given(key) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw Unreadable("'\(key)' is no whole number within its bounds")
        }
        return number
    }

    public func flag(_ key: String) throws(Unreadable) -> Bool? {
        guard let value = given(key) else { return nil }
        guard let flag = value.bool else { throw Unreadable("'\(key)' is not true or false") }
        return flag
    }

    public func moment(_ key: String) throws(Unreadable) -> Timestamp {
        guard let moment = try optionalMoment(key) else { throw Unreadable("'\(key)' is missing") }
        return moment
    }

    public func optionalMoment(_ key: String) throws(Unreadable) -> Timestamp? {
        guard let text = try optionalText(key, most: 64) else { return nil }
        guard let moment = Timestamp(rfc3339: text), Self.moments.contains(moment.milliseconds) else {
            throw Unreadable("'\(key)' is no time")
        }
        return moment
    }

    /// One millisecond more can always be written, too.
    static let moments = Timestamp.writable.lowerBound...Timestamp.writable.upperBound - 1
}
