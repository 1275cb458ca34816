import Basics

/// Under which name something is saved (RFC 6266): in ASCII for programs that know no other, and as it is (RFC 8187).
enum ContentDisposition {
    /// Shown, and saved under that name where the viewer saves it.
    static func shown(as name: String) -> String { "inline; \(names(name))" }

    /// Saved.
    static func saved(as name: String) -> String { "attachment; \(names(name))" }

    private static func names(_ name: String) -> String {
        let plain = String(
            name.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "\\" ? Character($0) : "_" })
        return "filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encoded(name))"
    }
}
