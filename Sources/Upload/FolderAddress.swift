package import Bridge

/// `file:///media/usb/wedding?name={event}/{name}&link=hard`: a folder, and how photos are put into it.
package struct FolderAddress: Equatable, Sendable {
    package struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Absolute.
    package let path: String
    package let template: NameTemplate
    /// The same file under a second name instead of a copy: only when asked for, because whoever edits it there edits
    /// ours.
    package let links: Bool

    package static let usualTemplate = "{name}"

    package init(_ url: String) throws(Invalid) {
        guard url.hasPrefix("file://") else {
            throw Invalid(description: "'\(url)' is no folder: file:///absolute/path is meant.")
        }
        let rest = url.dropFirst("file://".count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let host = rest.prefix { $0 != "/" }
        guard host.isEmpty || host == "localhost" else {
            throw Invalid(
                description:
                    "'\(url)' names the host '\(host)'; a folder has three slashes: file:///absolute/path.")
        }
        path = try Self.decoded(parts[0].dropFirst(host.count), in: url)
        guard path.hasPrefix("/"), !path.unicodeScalars.contains("\u{0}") else {
            throw Invalid(description: "'\(url)' has no absolute path: file:///absolute/path is meant.")
        }
        var template = Self.usualTemplate
        var links = false
        for item in (parts.count == 2 ? parts[1] : "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count == 2 ? try Self.decoded(pair[1], in: url) : ""
            switch (pair[0], value) {
            case ("name", _): template = value
            case ("link", "hard"): links = true
            case ("link", "copy"): links = false
            default:
                throw Invalid(
                    description:
                        "'\(item)' in '\(url)' is not known; there are name=TEMPLATE, link=hard and link=copy."
                )
            }
        }
        self.links = links
        do throws(NameTemplate.Invalid) {
            self.template = try NameTemplate(template)
        } catch {
            throw Invalid(description: "\(error)")
        }
    }

    /// The same folder with a template, as a URL.
    package static func url(path: String, template: String?) -> String {
        "file://" + encoded(path, "/") + (template.map { "?name=" + encoded($0, "/{}") } ?? "")
    }

    private static func encoded(_ text: String, _ alsoPlain: String) -> String {
        let plain = Set(
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + alsoPlain).utf8)
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    /// "%41" is "A"; anything else after a percent sign is a mistake.
    private static func decoded(_ text: Substring, in url: String) throws(Invalid) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else {
                throw Invalid(
                    description: "'%\(digits)' in '\(url)' is no escaped byte; write %25 for a percent sign.")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Invalid(description: "'\(text)' in '\(url)' is no UTF-8 when it is decoded.")
        }
        return text
    }
}
