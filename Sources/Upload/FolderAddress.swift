import Basics
package import Bridge

/// `file:///media/usb/wedding?name={event}/{name}&link=hard`: a folder, and how photos are put into it.
package struct FolderAddress: Equatable, Sendable {
    package typealias Invalid = AddressProblem

    /// Absolute.
    package let path: String
    package let template: NameTemplate
    /// The same file under a second name instead of a copy: only when asked for, because a program that edits it there
    /// edits ours.
    package let links: Bool
    /// Others take away what is delivered there.
    package let consumes: Bool
    /// What is said about a photo goes with it: `metadata=iptc`.
    package let writesCaptions: Bool

    package static let usualTemplate = "{name}"

    package init(_ url: String) throws(Invalid) {
        guard let parts = try AddressParts(url, scheme: "file") else {
            throw Invalid(description: "'\(url)' is no folder: file:///absolute/path is meant.")
        }
        guard parts.authority.isEmpty || parts.authority == "localhost" else {
            throw Invalid(
                description:
                    "'\(url)' names the host '\(parts.authority)'; a folder has three slashes: file:///absolute/path."
            )
        }
        path = try parts.decoded(parts.path)
        guard path.hasPrefix("/"), !path.unicodeScalars.contains("\u{0}") else {
            throw Invalid(description: "'\(url)' has no absolute path: file:///absolute/path is meant.")
        }
        var template = Self.usualTemplate
        var links = false
        for item in parts.items {
            switch (item.name, item.value) {
            case ("name", _): template = item.value
            case ("link", "hard"): links = true
            case ("link", "copy"): links = false
            default:
                throw parts.unknown(
                    item, known: "name=TEMPLATE, link=hard, link=copy, metadata=iptc and consumed=true")
            }
        }
        self.links = links
        self.template = try AddressParts.template(template)
        consumes = parts.consumes
        writesCaptions = parts.writesCaptions
    }

    /// The same folder with a template, as a URL.
    package static func url(path: String, template: String?) -> String {
        "file://" + PercentEncoding.encoded(path, keeping: "/")
            + (template.map { "?name=" + PercentEncoding.encoded($0, keeping: "/{}") } ?? "")
    }
}
