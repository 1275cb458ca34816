import Bridge

/// The names that a photo may get at a destination, in the order in which they are tried.
///
/// Each costs a question, so there are few. Where the counter of a camera has been round so often that even the numbered
/// names are other photos', the photo is told from them by a part of its SHA-256.
struct NameChoice {
    static let mostNumbered = 14
    /// How much of the SHA-256, in hexadecimal digits.
    static let marks = [8, 32]

    /// As the template makes it.
    let name: String
    let sha256: String

    var names: some Sequence<String> {
        (1...Self.mostNumbered + Self.marks.count).lazy.map { number in
            guard number > Self.mostNumbered else { return SafeName.numbered(name, number) }
            return SafeName.marked(name, String(sha256.prefix(Self.marks[number - Self.mostNumbered - 1])))
        }
    }

    /// For a photo that found none of them free, in `folder`.
    static func exhausted(_ path: String) -> String {
        """
        \(path) and \(mostNumbered + marks.count - 1) names like it are taken by something else; tidy that folder up, or \
        give the destination another ?name=, such as {date}/{time}-{name}, and begin this photo again with 'tetherline retry'
        """
    }
}
