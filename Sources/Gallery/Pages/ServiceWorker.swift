import Basics
import HTTPServer
import Web

/// `GET /e/sw.js`: by it the guests' pages are installed, and say in words that there is no connection. Browsers let it see
/// what pages below `/e/` ask for, and no other page of the gallery.
///
/// It names the version of the style sheets and scripts, so that it is another one with each build, by which browsers know
/// that what they have kept is old. It is another one for each language as well, `/e/sw.js?lang=de`: the page that it keeps for
/// a browser without a connection is in the language of the page that was looked at last.
package enum ServiceWorker {
    static func script(_ language: Language) -> String {
        let headers = PageAnswers().headers + [HTTPHeader("Content-Type", "text/html; charset=utf-8")]
        let values: [(String, JSONValue)] = [
            ("VERSION", .string(PageAssets.set.version)),
            ("NEEDED", .array(["page.css", "icon.svg"].map { .string(PageAssets.set.path($0)) })),
            ("OFFLINE", .string(PlainPage(language).offline)),
            ("HEADERS", .object(headers.map { ($0.name, .string($0.value)) })),
        ]
        let head = values.map { "const \($0.0) = \($0.1.compact);\n" }.joined()
        return head + String(decoding: BuiltInFile.asset("sw.js").bytes, as: UTF8.self)
    }

    /// It asks this server and no other. Browsers look for another one each time that they open a page.
    static func answer(to request: Request) -> Response {
        answers[Language.chosen(by: request) ?? .english] ?? answer(.english)
    }

    private static let answers = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { ($0, answer($0)) })

    private static func answer(_ language: Language) -> Response {
        var response = Response.text(
            200, script(language), type: AssetType.script.rawValue,
            headers: [
                HTTPHeader("Content-Security-Policy", "default-src 'none'; connect-src 'self'"),
                HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("Cache-Control", "no-cache"),
            ])
        response.compression = .once(KeptCompression())
        return response
    }
}
