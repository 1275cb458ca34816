import Web

/// Pages that only say something.
package struct PlainPage: Sendable {
    let words: Words

    package init(_ language: Language) {
        words = .of(language)
    }

    /// 404: no such event, or nothing at this address.
    package var notFound: String { page(.notFoundTitle, .notFound, .notFoundWords) }

    /// 404: guests see no such photo, or not any more.
    package func noPhoto(of event: PageEvent) -> String {
        let all = words.markup(.allOf, ["event": "<bdi>\(event.name)</bdi>"])
        return page(
            event.name, words[.noPhoto], words[.noPhotoWords],
            "<p><a class=\"button\" href=\"\(event.path)\">\(all)</a></p>")
    }

    /// 410: the event's end has passed, and guests see its photos no more.
    package func over(name: String) -> String {
        page(name, words(.overOf, ["event": name]), words[.overWords])
    }

    /// The same of one whose name is not to be said here.
    package var over: String { page(.overTitle, .over, .overWords) }

    /// 413
    package var tooLarge: String { page(.tooLargeTitle, .tooLarge, .tooLargeWords) }

    /// 429, where something else than a PIN came too often.
    package func tooMany(retryAfter wait: Duration) -> String {
        page(words[.momentTitle], words[.tooMany], words(.tooManyWords, ["wait": words.wait(wait)]))
    }

    /// What else is refused: a sentence for its code. Where there is none, English pages say the API's own, and others that the
    /// link is not right. Without a code it is for hosts, who read the API's own.
    package func refused(_ code: String?, _ message: String) -> String {
        var known = code.flatMap(Self.sentence)
        if known == nil, code != nil, words.language != .english { known = .refusedRequest }
        let sentence = known.map { words[$0] }
        let own = "\(message.prefix(1).uppercased())\(message.dropFirst())."
        return page(words[.refusedTitle], words[.refused], sentence ?? own)
    }

    private static func sentence(for code: String) -> Word? {
        switch APIError.Code(rawValue: code) {
        case .forbidden: .refusedForbidden
        case .badRequest, .unprocessable, .methodNotAllowed: .refusedRequest
        case .requestTimeout: .refusedTimeout
        default: nil
        }
    }

    /// Shown by a browser that has kept it, where the server cannot be reached.
    package var offline: String {
        page(
            words[.offlineTitle], words[.offline], words[.offlineWords],
            "<p><a class=\"button\" href=\"\">\(words[.tryAgain])</a></p>")
    }

    /// 500, 503 and the like, for browsers.
    package var trouble: String { page(.momentTitle, .trouble, .troubleWords) }

    private func page(_ title: Word, _ heading: Word, _ text: Word) -> String {
        page(words[title], words[heading], words[text])
    }

    private func page(
        _ title: String, _ heading: String, _ text: String, _ link: HTMLText = .none
    ) -> String {
        PageShell(title: title, kind: "plain", language: words.language).html(
            "<main class=\"card\"><h1 dir=\"auto\">\(heading)</h1><p>\(text)</p>\(link)</main>")
    }
}
