import Basics
import HTTPServer
import Web

/// `GET /e/sw.js`: by it the guests' pages are installed, and say in words that there is no connection. Browsers let it see
/// what pages below `/e/` ask for, and no other page of the gallery.
///
/// It names the version of the style sheets and scripts, so that it is another one with each build, by which browsers know
/// that what they have kept is old. It is the same one in every language, so that a guest who chooses another gets no other
/// script: the page that it has for a browser without a connection is there in all of them, and is shown in that of the page
/// that was looked at last.
package enum ServiceWorker {
    static let script: String = {
        let headers = PageAnswers().headers + [HTTPHeader("Content-Type", "text/html; charset=utf-8")]
        let values: [(String, JSONValue)] = [
            ("VERSION", .string(PageAssets.set.version)),
            ("NEEDED", .array(["page.css", "icon.svg"].map { .string(PageAssets.set.path($0)) })),
            ("OFFLINE", .object(Language.allCases.map { ($0.tag, .string(PlainPage($0).offline)) })),
            ("HEADERS", .object(headers.map { ($0.name, .string($0.value)) })),
        ]
        let head = values.map { "const \($0.0) = \($0.1.compact);\n" }.joined()
        return head + String(decoding: BuiltInFile.asset("sw.js").bytes, as: UTF8.self)
    }()

    /// It asks this server and no other. Browsers look for another one each time that they open a page.
    static let answer: Response = {
        var response = Response.text(
            200, script, type: AssetType.script.rawValue,
            headers: [
                HTTPHeader("Content-Security-Policy", "default-src 'none'; connect-src 'self'"),
                HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("Cache-Control", "no-cache"),
            ])
        response.compression = .once(KeptCompression())
        return response
    }()
}
