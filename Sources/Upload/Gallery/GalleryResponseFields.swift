import Basics

/// One object of an answer. What is missing, too long or of another kind makes the answer none of this API's.
struct GalleryResponseFields {
    struct Mismatch: Error {
        let description: String
    }

    private let value: JSONValue

    init(_ value: JSONValue?) throws(Mismatch) {
        guard let value, value.members != nil else {
            throw Mismatch(description: "there is no object where one belongs")
        }
        self.value = value
    }

    private func given(_ key: String) -> JSONValue? {
        switch value[key] {
        case nil, .null: nil
        case .some(let value): value
        }
    }

    func has(_ key: String) -> Bool { given(key) != nil }

    func value(_ key: String) -> JSONValue? { given(key) }

    func fields(_ key: String) throws(Mismatch) -> GalleryResponseFields {
        guard let value = given(key) else { throw Mismatch(description: "'\(key)' is missing") }
        return try GalleryResponseFields(value)
    }

    func text(_ key: String, most: Int = 1000) throws(Mismatch) -> String {
        guard let text = try optionalText(key, most: most) else {
            throw Mismatch(description: "'\(key)' is missing")
        }
        return text
    }

    func optionalText(_ key: String, most: Int = 1000) throws(Mismatch) -> String? {
        guard let value = given(key) else { return nil }
        guard let text = value.string, text.utf8.count <= most else {
            throw Mismatch(description: "'\(key)' is no text of at most \(most) bytes")
        }
        return text
    }

    func id(_ key: String) throws(Mismatch) -> String {
        let id = try text(key)
        guard UntrustedText.isID(id) else { throw Mismatch(description: "'\(key)' is no id") }
        return id
    }

    /// A credential that goes into a header: never shown, also not in a complaint.
    func secret(_ key: String) throws(Mismatch) -> String {
        let text = try text(key, most: 8192)
        guard !text.isEmpty, !text.contains(" "), UntrustedText.isHeaderValue(text, most: 8192) else {
            throw Mismatch(description: "'\(key)' is no token")
        }
        return text
    }

    func moment(_ key: String) throws(Mismatch) -> Timestamp {
        guard let moment = try optionalMoment(key) else {
            throw Mismatch(description: "'\(key)' is missing")
        }
        return moment
    }

    func optionalMoment(_ key: String) throws(Mismatch) -> Timestamp? {
        guard let text = try optionalText(key, most: 64) else { return nil }
        guard let moment = Timestamp(rfc3339: text) else {
            throw Mismatch(description: "'\(key)' is no time")
        }
        return moment
    }

    /// A count: never negative.
    func optionalCount(_ key: String) throws(Mismatch) -> Int64? {
        guard let value = given(key) else { return nil }
        guard let count = value.integer, count >= 0 else {
            throw Mismatch(description: "'\(key)' is no count")
        }
        return count
    }

    func flag(_ key: String) throws(Mismatch) -> Bool {
        guard let flag = given(key)?.bool else {
            throw Mismatch(description: "'\(key)' is not true or false")
        }
        return flag
    }
}
