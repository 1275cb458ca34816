import Basics
import Bridge

/// Why an address is none.
package struct AddressProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// What every address of a destination is made of: `scheme://authority/path?item=value&item=value`.
package struct AddressParts {
    struct Item {
        /// As it was written, for messages.
        let text: Substring
        let name: Substring
        let value: String
    }

    /// As it was written, for messages, but for a password.
    let url: String
    /// What stands between the scheme and the path, as it was written.
    let authority: Substring
    /// As it was written, with its first slash.
    let path: Substring
    /// But for `consumed` and `metadata`, which mean the same at every address.
    let items: [Item]
    /// Others take away what is delivered there.
    let consumes: Bool
    /// What is said about a photo goes with it.
    let writesCaptions: Bool

    /// Nothing where it has another scheme.
    init?(_ url: String, scheme: String) throws(AddressProblem) {
        guard url.hasPrefix("\(scheme)://") else { return nil }
        let rest = url.dropFirst(scheme.count + "://".count)
        let url = Self.withoutPassword(url)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.url = url
        authority = parts[0].prefix { $0 != "/" }
        path = parts[0].dropFirst(authority.count)
        var items: [Item] = []
        var consumes = false
        var writesCaptions = false
        for text in (parts.count == 2 ? parts[1] : "").split(separator: "&") {
            let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count == 2 ? try Self.decoded(pair[1], in: url) : ""
            switch (pair[0], value) {
            case ("consumed", "true"): consumes = true
            case ("consumed", "false"): consumes = false
            case ("metadata", "iptc"): writesCaptions = true
            case ("metadata", "none"): writesCaptions = false
            default: items.append(Item(text: text, name: pair[0], value: value))
            }
        }
        self.items = items
        self.consumes = consumes
        self.writesCaptions = writesCaptions
    }

    /// `scheme://user:password@host/path` as it may be shown and stored.
    package static func withoutPassword(_ url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
            return url
        }
        return String(url[..<colon] + url[at...])
    }

    func decoded(_ text: Substring) throws(AddressProblem) -> String {
        try Self.decoded(text, in: url)
    }

    /// A path below the top of a server: its components, none of them empty or one that leads elsewhere.
    func components() throws(AddressProblem) -> [String] {
        var components: [String] = []
        for part in path.split(separator: "/") {
            let component = try decoded(part)
            guard component != ".", component != "..", !component.unicodeScalars.contains("\u{0}"),
                !component.unicodeScalars.contains("/")
            else { throw AddressProblem(description: "'\(part)' in '\(url)' is no name of a folder.") }
            components.append(component)
        }
        return components
    }

    func unknown(_ item: Item, known: String) -> AddressProblem {
        AddressProblem(description: "'\(item.text)' in '\(url)' is not known; there are \(known).")
    }

    static func template(_ text: String) throws(AddressProblem) -> NameTemplate {
        do throws(NameTemplate.Invalid) {
            return try NameTemplate(text)
        } catch {
            throw AddressProblem(description: "\(error)")
        }
    }

    private static func decoded(_ text: Substring, in url: String) throws(AddressProblem) -> String {
        do throws(PercentEncoding.Invalid) {
            return try PercentEncoding.decoded(text)
        } catch {
            switch error {
            case .escape(let digits):
                throw AddressProblem(
                    description: "'%\(digits)' in '\(url)' is no escaped byte; write %25 for a percent sign.")
            case .notUTF8:
                throw AddressProblem(
                    description: "'\(text)' in '\(url)' is no UTF-8 when it is decoded.")
            }
        }
    }
}
