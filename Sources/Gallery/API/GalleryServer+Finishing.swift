import Basics
package import HTTPServer
import Web

/// What the server asks besides its routes.
extension GalleryServer {
    /// Where a path leads that no route has; nothing where there is nothing.
    package static func elsewhere(_ request: Request, _ parts: [String]) -> Response? {
        GuestAddress.elsewhere(request, parts)
    }

    /// The last word about every answer: a browser that shows a page gets a refusal in words, and where guests come by https
    /// only it is told so.
    package func finish(_ request: Request, _ answer: Response) -> Response {
        var answer = answer
        if answer.status >= 400, let page = RefusalPage(answer, to: request) {
            answer = page.response(PageAnswers(imageSources: imageSources), to: request)
        }
        if Self.marksTus(request) { answer.headers.append(TusEndpoints.resumable) }
        // "An HSTS Host MUST NOT include the STS header field in HTTP responses conveyed over non-secure transport" (RFC 6797
        // §7.2). What came to a proxy by http says so, where the proxy does.
        if settings.isSecure, request["X-Forwarded-Proto"]?.lowercased() != "http" {
            answer.headers.append(Self.strictTransport)
        }
        return answer
    }

    /// A year. It says nothing of other names below this one, which may be others'.
    private static let strictTransport = HTTPHeader("Strict-Transport-Security", "max-age=31536000")
}

/// A refusal of the API's as a page, for a browser that would show it.
struct RefusalPage: Sendable {
    private let refusal: (status: Int, headers: [HTTPHeader])
    private let error: (code: String?, message: String)
    /// Of an address of guests', who are told in their language; hosts and operators get the API's own sentence.
    private let isGuests: Bool

    /// Nothing for clients that read the API's own words, and for what is a page already.
    init?(_ refusal: Response, to request: Request) {
        guard Self.showsPages(request), Self.isJSON(refusal), case .bytes(let bytes) = refusal.body else {
            return nil
        }
        self.refusal = (refusal.status, refusal.headers)
        error = Self.error(bytes)
        isGuests = request.path.hasPrefix("/e/")
    }

    private func html(_ page: PlainPage) -> String {
        switch refusal.status {
        case 404: page.notFound
        case 410: page.over
        case 413: page.tooLarge
        case 429: page.tooMany(retryAfter: wait)
        case 500...: page.trouble
        default: page.refused(isGuests ? error.code : nil, error.message)
        }
    }

    /// A browser that goes to an address asks for HTML; scripts and pictures of a page do not. What names its account is a
    /// program, whatever its library says that it takes.
    static func showsPages(_ request: Request) -> Bool {
        guard request["Authorization"] == nil else { return false }
        let types = request.headers.filter { $0.isNamed("Accept") }
            .flatMap { $0.value.lowercased().split { $0 == "," || $0 == ";" || $0 == " " } }
        return types.contains("text/html") && !types.contains("application/json")
    }

    private static func isJSON(_ response: Response) -> Bool {
        response.headers.contains { $0.isNamed("Content-Type") && $0.value == "application/json" }
    }

    private var wait: Duration {
        let seconds = refusal.headers.first { $0.isNamed("Retry-After") }.flatMap { Int($0.value) }
        return .seconds(seconds ?? 60)
    }

    private static func error(_ bytes: [UInt8]) -> (code: String?, message: String) {
        let unknown = "this cannot be shown"
        do throws(JSON5Error) {
            let error = try JSON5.parse(String(decoding: bytes, as: UTF8.self))["error"]
            return (error?["code"]?.string, error?["message"]?.string ?? unknown)
        } catch {
            return (nil, unknown)
        }
    }

    /// With what the refusal says besides its words: when to come back, which methods there are.
    func response(_ answers: PageAnswers, to request: Request) -> Response {
        var response = answers.answer(refusal.status, to: request) { html(PlainPage($0)) }
        response.headers += refusal.headers.filter { header in
            !response.headers.contains { $0.isNamed(header.name) }
        }
        return response
    }
}
