import Basics
import Digest
package import HTTPServer

/// A file that pages load: a style sheet, a script, an icon.
package struct Asset: Sendable {
    package let name: String
    package let type: String
    package let bytes: [UInt8]
    fileprivate let compressed = KeptCompression()

    package init(_ name: String, _ type: AssetType, _ bytes: [UInt8]) {
        self.name = name
        self.type = type.rawValue
        self.bytes = type.comment.map { Self.bare(bytes, type, without: $0) } ?? bytes
    }

    /// A guest on a slow line loads no comments that have a line for themselves, no space before a line or where a style sheet
    /// needs none, and no end of a line behind which all goes on as well without it.
    private static func bare(
        _ bytes: [UInt8], _ type: AssetType, without comment: (begin: [UInt8], end: [UInt8])
    ) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
            .map { line in line.drop { $0 == UInt8(ascii: " ") } }
            .filter {
                !$0.isEmpty
                    && !($0.starts(with: comment.begin) && $0.suffix(comment.end.count) == comment.end[...])
            }
            .map(type.tight)
        // What is between two of these may have several lines, which are left as they are.
        let hasLongTexts = lines.contains { $0.count { $0 == UInt8(ascii: "`") } % 2 == 1 }
        var text: [UInt8] = []
        for (index, line) in lines.enumerated() {
            text += line
            guard index + 1 < lines.count else { continue }
            // Two slashes may begin a comment, which has its end where the line has it.
            let ends = hasLongTexts || line.contains(Array("//".utf8)) || !type.goesOn(behind: line.last)
            if ends { text.append(UInt8(ascii: "\n")) }
        }
        return text
    }
}

/// As browsers are told it; with `nosniff` they take nothing else for a script or a style sheet.
package enum AssetType: String, Sendable {
    case script = "text/javascript; charset=utf-8"
    case style = "text/css; charset=utf-8"
    case icon = "image/svg+xml"
    /// For systems that take no drawing.
    case picture = "image/png"

    /// How a line of nothing but a comment begins and ends.
    fileprivate var comment: (begin: [UInt8], end: [UInt8])? {
        switch self {
        case .script: (Array("//".utf8), [])
        case .style: (Array("/*".utf8), Array("*/".utf8))
        case .icon, .picture: nil
        }
    }

    /// A line of a style sheet without the spaces beside its signs; as it is where a text or a comment may have
    /// some.
    fileprivate func tight(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        guard self == .style, !["\"", "'", "url(", "/*"].contains(where: text.contains) else {
            return Array(line)
        }
        let spaces = [
            ("; ", ";"), ("{ ", "{"), (" {", "{"), (" }", "}"), (";}", "}"), (": ", ":"), (", ", ","),
        ]
        return Array(spaces.reduce(text) { $0.replacing($1.0, with: $1.1) }.utf8)
    }

    /// Whether the end of a line says nothing that this sign before it has not said.
    fileprivate func goesOn(behind sign: UInt8?) -> Bool {
        let signs =
            switch self {
            case .script: "{(,;["
            case .style: "{},;"
            case .icon, .picture: ""
            }
        return sign.map { signs.utf8.contains($0) } ?? false
    }
}

/// The files of one program's pages, under addresses that change with any of them.
package struct AssetSet: Sendable {
    package let assets: [Asset]
    /// One for all of them, so that scripts import each other by a relative name and never mix two versions.
    package let version: String

    package init(_ assets: [Asset]) {
        self.assets = assets
        let hash = SHA256()
        for asset in assets {
            hash.update(Array(asset.name.utf8))
            hash.update(asset.bytes)
        }
        version = String("\(hash.finish())".prefix(16))
    }

    package func path(_ name: String) -> String { "/assets/\(version)/\(name)" }

    /// The route `GET /assets/{version}/{name}`; quick. Nil is a 404. A page that was opened before the server was renewed
    /// gets today's file, which no cache is to keep under that address.
    package func answer(_ request: Request) -> Response? {
        guard let asset = assets.first(where: { $0.name == request.parameters["name"] }) else { return nil }
        let isCurrent = request.parameters["version"] == version
        let etag = EntityTag.weak("\"\(version)\"")
        var headers = [
            HTTPHeader("Cache-Control", isCurrent ? "public, max-age=31536000, immutable" : "no-cache"),
            HTTPHeader("ETag", etag), HTTPHeader("X-Content-Type-Options", "nosniff"),
        ]
        if request.knows(etag) { return Response(status: 304, headers: headers) }
        headers.append(HTTPHeader("Content-Type", asset.type))
        var response = Response(status: 200, headers: headers, body: .bytes(asset.bytes))
        response.compression = .once(asset.compressed)
        return response
    }
}
