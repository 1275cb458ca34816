import Basics

/// `Upload-Metadata`: "one or more comma-separated key-value pairs. The key and value MUST be separated by a space. […] The
/// value MUST be Base64 encoded. All keys MUST be unique. The value MAY be empty. In these cases, the space, which would
/// normally separate the key and the value, MAY be left out."
struct TusMetadata {
    let values: [String: String]

    /// In bytes, of all; the schema says the same.
    static let mostBytes = 4096
    static let mostPairs = 32

    init(_ header: String?) throws(APIError) {
        let text = header ?? ""
        guard text.utf8.count <= Self.mostBytes else {
            throw APIError(.badRequest, "Upload-Metadata has more than \(Self.mostBytes) bytes")
        }
        let pairs = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        guard pairs.count <= Self.mostPairs else {
            throw APIError(.badRequest, "Upload-Metadata names more than \(Self.mostPairs) things")
        }
        var values: [String: String] = [:]
        for pair in pairs {
            let sides = Self.trimmed(pair).split(
                separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let key = sides.first.map(String.init) ?? ""
            guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), values[key] == nil,
                let bytes = PaddedBase64.bytes(sides.count > 1 ? Self.trimmed(sides[1]) : ""),
                let value = String(validating: bytes, as: UTF8.self)
            else {
                throw APIError(
                    .badRequest, "Upload-Metadata has to be pairs of a name and a text in Base64, by commas")
            }
            values[key] = value
        }
        self.values = values
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// What clients of the protocol call what this API has other names for, and then the API's own.
    private static let names = [
        ("event", "eventId"), ("filetype", "contentType"), ("filename", "filename"), ("name", "filename"),
        ("type", "contentType"), ("eventId", "eventId"), ("contentType", "contentType"),
        ("sha256", "sha256"), ("capturedAt", "capturedAt"), ("source", "source"),
    ]

    private func value(of field: String) -> String? {
        Self.names.lazy.filter { $0.1 == field }.compactMap { values[$0.0] }.first { !$0.isEmpty }
    }

    var contentType: String? { value(of: "contentType") }

    /// The same as a body that asks for a place.
    func wish(length: UInt64) -> JSONValue {
        var members: [String: JSONValue] = ["contentLength": .unsigned(length)]
        for field in Set(Self.names.map { $0.1 }) {
            if let value = value(of: field) { members[field] = .string(value) }
        }
        if members["capturedAt"] == nil, let moment = lastModified { members["capturedAt"] = moment.json }
        return .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// When the file was written, in milliseconds since 1970, as browsers say it. It is a time only of a kind that says none
    /// itself: a copied JPEG's would be taken for what the uploader knows of its camera's zone.
    private var lastModified: Timestamp? {
        guard (values["filetype"] ?? values["type"]) == "image/png",
            let milliseconds = values["lastModified"].flatMap({ Int64($0) }),
            Timestamp.writable.contains(milliseconds)
        else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }
}
