import Basics

/// Tags of what is answered (RFC 9110 §8.8.3), with their quotes.
package enum EntityTag {
    /// The same tag, for what is the same to a client and may be other bytes: compressed, or not.
    package static func weak(_ tag: String) -> String { tag.hasPrefix("W/") ? tag : "W/\(tag)" }

    /// The tags of a list. A comma may stand inside a tag.
    private static func tags(in list: String) -> [String] {
        var tags: [String] = []
        var current = ""
        var isQuoted = false
        for character in list {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                tags.append(current)
                current = ""
            } else if isQuoted || character != " " {
                current.append(character)
            }
        }
        tags.append(current)
        return tags
    }

    /// Whether a list has it, or is "*", by "the weak comparison function" (§8.8.3.2), which looks at what stands behind the
    /// W/ only.
    static func matches(_ list: String, _ tag: String) -> Bool {
        tags(in: list).contains { $0 == "*" || opaque($0) == opaque(tag) }
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension Request {
    /// Whether the client has what has that tag (RFC 9110 §13.1.2).
    package func knows(_ tag: String) -> Bool {
        self["If-None-Match"].map { EntityTag.matches($0, tag) } ?? false
    }
}
