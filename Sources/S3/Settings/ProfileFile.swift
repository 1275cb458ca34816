/// A file such as `~/.aws/config`: sections of `name = value`, with a second level for what is indented.
struct ProfileFile {
    /// Settings by section; `endpoint_url` indented below `s3 =` is "s3.endpoint_url".
    private var sections: [String: [String: String]] = [:]

    static let mostBytes = 1 << 20

    init(_ text: String) {
        var section: String?
        var parent: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let isIndented = line.first == " " || line.first == "\t"
            let content = Self.withoutComment(line)
            if content.isEmpty { continue }
            if content.hasPrefix("["), let end = content.firstIndex(of: "]") {
                section = content[content.index(after: content.startIndex)..<end]
                    .split(whereSeparator: \.isWhitespace).joined(separator: " ")
                parent = nil
                continue
            }
            let pair = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let section, pair.count == 2 else { continue }
            let name = Self.trimmed(pair[0]).lowercased()
            let value = Self.trimmed(pair[1])
            if isIndented {
                if let parent { sections[section, default: [:]]["\(parent).\(name)"] = value }
                continue
            }
            parent = value.isEmpty ? name : nil
            sections[section, default: [:]][name] = value
        }
    }

    subscript(_ section: String) -> [String: String]? { sections[section] }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// A comment begins a line, or follows a space.
    private static func withoutComment(_ line: Substring) -> Substring {
        var before: Character = " "
        for index in line.indices {
            if line[index] == "#" || line[index] == ";", before.isWhitespace {
                return Substring(trimmed(line[..<index]))
            }
            before = line[index]
        }
        return Substring(trimmed(line))
    }
}
