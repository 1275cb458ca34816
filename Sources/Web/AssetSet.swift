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
        self.bytes = type.writing.map { Self.bare(bytes, $0) } ?? bytes
    }

    /// A guest on a slow line loads no comments that have a line for themselves, no space before a line, and no end of a line
    /// behind what goes on without one.
    private static func bare(_ bytes: [UInt8], _ writing: Writing) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
            .map { line in line.drop { $0 == UInt8(ascii: " ") } }
            .filter {
                !$0.isEmpty
                    && !($0.starts(with: writing.comment) && $0.suffix(writing.end.count) == writing.end[...])
            }
        var bare: [UInt8] = []
        var hasEnd = false
        for line in lines {
            if hasEnd { bare.append(UInt8(ascii: "\n")) }
            bare += line
            hasEnd = !writing.goesOn(behind: line)
        }
        return bare
    }
}

/// How a language is written, as far as what is not needed of it is left out.
private struct Writing {
    /// How a line of nothing but a comment begins and ends.
    let comment: [UInt8]
    let end: [UInt8]
    /// Behind these a line may go on.
    let open: Set<UInt8>

    init(_ comment: String, _ end: String, open: String) {
        self.comment = Array(comment.utf8)
        self.end = Array(end.utf8)
        self.open = Set(open.utf8)
    }

    /// A comment behind code ends with its line, and a text may go over several.
    func goesOn(behind line: ArraySlice<UInt8>) -> Bool {
        guard let last = line.last, open.contains(last) else { return false }
        return !line.contains(UInt8(ascii: "`")) && line.firstRange(of: Array("//".utf8)) == nil
    }
}

/// As browsers are told it; with `nosniff` they take nothing else for a script or a style sheet.
package enum AssetType: String, Sendable {
    case script = "text/javascript; charset=utf-8"
    case style = "text/css; charset=utf-8"
    case icon = "image/svg+xml"
    /// For systems that take no drawing.
    case picture = "image/png"

    fileprivate var writing: Writing? {
        switch self {
        case .script: Writing("//", "", open: "{(,;")
        case .style: Writing("/*", "*/", open: "{},;")
        case .icon, .picture: nil
        }
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
