import Basics
package import HTTPServer
package import Web

extension PageAnswers {
    /// A page in the language of this request. What decides on it is said to caches, and kept where a guest has chosen it.
    package func answer(
        _ status: Int = 200, to request: Request, _ html: (Language) -> String
    ) -> Response {
        let language = Language(for: request)
        var response = answer(status, html(language))
        response.headers += [
            HTTPHeader("Content-Language", language.tag), HTTPHeader("Vary", "Accept-Language, Cookie"),
        ]
        if Language.chosen(by: request) != nil { response.headers.append(Language.cookie(language)) }
        return response
    }
}
