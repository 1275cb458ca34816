/// A camera's name for a file or folder, made fit to be one on any disk.
///
/// Names come from whatever answered on the network. They are never used as paths: only the last component is
/// taken, what a file system, a shell or a reader could misunderstand becomes `_`, and the result is never
/// empty, hidden, or longer than a file system takes. What cameras really write stays as it is.
public enum SafeName {
    /// "255 bytes": ext4, xfs, APFS, and exFAT in units.
    public static let longestBytes = 255

    public static func component(_ name: String, fallback: @autoclosure () -> String) -> String {
        if isPlain(name) { return name }
        let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map { Array($0) } ?? []
        var scalars = last.indices.map { isHarmless(last[$0]) || joinsEmoji(last, at: $0) ? last[$0] : "_" }
        scalars = Array(scalars.drop { $0 == " " })
        // A leading dot hides the file, a leading dash makes it an option of some command.
        if let first = scalars.first, first == "." || first == "-" { scalars[0] = "_" }
        var safe = withoutEnd(String(String.UnicodeScalarView(scalars)))
        if safe.isEmpty { safe = fallback() }
        if isReserved(safe) { safe = "_" + safe }
        return withoutEnd(shortened(safe))
    }

    /// What nearly all cameras write, `DSC_0001.JPG`, at a glance: nothing that is changed here, and no device of Windows',
    /// whose names begin with these letters.
    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count <= longestBytes, let first = bytes.first, let last = bytes.last,
            isLetterOrDigit(first), isLetterOrDigit(last), !"CPANLcpanl".utf8.contains(first)
        else { return false }
        return bytes.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Windows drops dots and spaces at the end, and two names become one.
    private static func withoutEnd(_ name: String) -> String {
        guard name.last == "." || name.last == " " else { return name }
        return String(name.reversed().drop { $0 == "." || $0 == " " }.reversed())
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) { return false }
        if ":*?\"<>|".unicodeScalars.contains(scalar) { return false }
        // Nearly all that cameras write, and what follows asks large tables.
        if scalar.isASCII { return true }
        // Marks that turn the direction of writing show `gpj.exe` as `exe.jpg`; others show nothing at all.
        switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }

    /// Between the parts of one emoji, as of a family or of a flag in the colours of the rainbow. Anywhere else it shows nothing.
    private static func joinsEmoji(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        guard scalars[index] == joiner, index + 1 < scalars.count, isEmoji(scalars[index + 1]) else {
            return false
        }
        // What asks for the picture of a sign is a part of the emoji before it.
        let before = scalars[..<index].last { $0 != "\u{FE0F}" }
        return before.map(isEmoji) ?? false
    }

    private static let joiner: Unicode.Scalar = "\u{200D}"

    /// Digits are such, too, and never a part of one that is joined.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.isEmoji
    }

    /// Names that Windows keeps for devices, with any extension.
    private static func isReserved(_ name: String) -> Bool {
        let stem = String(name.prefix { $0 != "." }).uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        let port = stem.dropLast()
        return (port == "COM" || port == "LPT") && (stem.last?.isNumber ?? false)
    }

    /// Cut inside the stem and between characters, so that the extension stays.
    public static func shortened(_ name: String, by reserve: Int = 0) -> String {
        let limit = longestBytes - reserve
        guard name.utf8.count > limit else { return name }
        let (stem, ending) = parts(of: name)
        // An extension that long is none.
        let kept = ending.utf8.count <= 16 ? ending : ""
        var cut = kept.isEmpty ? name : stem
        while cut.utf8.count + kept.utf8.count > limit || cut.unicodeScalars.last == joiner {
            // A letter may have hundreds of accents, and an emoji hundreds of parts: all of it is one character.
            if cut.dropFirst().isEmpty { cut.unicodeScalars.removeLast() } else { cut.removeLast() }
        }
        return cut + kept
    }

    /// The name up to its last dot, and the rest with the dot.
    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// The name itself, then `IMG_0001-2.JPG`, `IMG_0001-3.JPG` …
    public static func numbered(_ name: String, _ number: Int) -> String {
        number > 1 ? marked(name, "\(number)") : name
    }

    /// `IMG_0001-3fa9c1d2.JPG`: told from others of its name by something that only it has.
    public static func marked(_ name: String, _ mark: String) -> String {
        let suffix = "-\(mark)"
        let (stem, ending) = parts(of: shortened(name, by: suffix.utf8.count))
        return stem + suffix + ending
    }

    /// The same for names that some file system takes for one and the same.
    public static func collisionKey(_ name: String) -> String {
        name.lowercased()
    }
}
