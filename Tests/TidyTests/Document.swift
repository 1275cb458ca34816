/// A Markdown document of the repository: the README, or an article in a DocC catalogue.
struct Document {
    let path: String
    /// What a reader sees as prose and tables, without blocks of code.
    let prose: String

    init(path: String, text: String) {
        self.path = path
        var isCode = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            guard line.hasPrefix("```") else { return !isCode }
            isCode.toggle()
            return false
        }
        prose = lines.joined(separator: "\n")
    }

    static let readme = "README.md"

    static func read(_ path: String) throws -> Document {
        Document(path: path, text: try House.text(path))
    }

    /// The README and every article.
    static func all() throws -> [Document] {
        try House.files.filter { $0 == readme || $0.contains(".docc/") && $0.hasSuffix(".md") }.map(read)
    }

    var lines: [Substring] { prose.split(separator: "\n", omittingEmptySubsequences: false) }

    /// Inline links and pictures, in their order.
    var links: [String] {
        prose.matches(of: /\[[^\]]*\]\(([^()\s]+)\)/).map { String($0.1) }
    }

    /// The targets in this repository, as paths from its top, each with the heading that is meant.
    var relativeLinks: [(path: String, heading: String?)] {
        links.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }.map { target in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = parts[0].isEmpty ? path : resolved(String(parts[0]))
            return (file, parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    /// Symbols that it names as DocC does: ``Ledger``, ``Ledger/begin(_:since:)``, ``Bridge/HTTPTransport``.
    var symbols: [String] { prose.matches(of: /``([A-Za-z][^`\s]*)``/).map { String($0.1) } }

    /// Links whose text is a type and whose target is a file: what the file declares.
    var declarations: [(type: String, path: String)] {
        prose.matches(of: /\[`([A-Z][A-Za-z0-9]+)`\]\(([^()\s]+\.swift)\)/).map {
            (String($0.1), resolved(String($0.2)))
        }
    }

    private func resolved(_ target: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": if parts.popLast() == nil { return "outside the repository: \(target)" }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    /// What a forge calls its headings in an address.
    var headings: Set<String> {
        Set(
            lines.filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.trimmed.lowercased().filter {
                    $0.isLetter || $0.isNumber || " -_".contains($0)
                }.map { $0 == " " ? "-" : String($0) }.joined()
            })
    }
}
