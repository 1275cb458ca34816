import Basics
import HTTPServer

/// Where guests mean to go: addresses are typed from invitations, by phones that begin words with a capital letter, and end
/// them with a slash.
enum GuestAddress {
    /// The path that these parts of one mean; nothing where they are none of guests'.
    static func path(of parts: [String]) -> String? {
        guard !parts.isEmpty else { return nil }
        let words = parts.filter { !$0.isEmpty }
        guard let first = words.first?.lowercased() else { return "/" }
        switch (first, words.count) {
        case ("e", 1): return "/"
        case ("e", 3...) where ["show", "p"].contains(words[2].lowercased()):
            return page(words[1], then: [words[2].lowercased()] + words.dropFirst(3))
        case ("e", _): return page(words[1], then: words.dropFirst(2))
        case (_, 1): return written([first])
        case (_, _): return nil
        }
    }

    static func page(_ slug: String, then rest: ArraySlice<String> = []) -> String {
        written(["e", slug.lowercased()] + rest)
    }

    private static func written(_ words: [String]) -> String {
        words.map { "/" + PercentEncoding.encoded($0) }.joined()
    }

    /// For a request that no route has. A client that sends something is to say it right.
    static func elsewhere(_ request: Request, _ parts: [String]) -> Response? {
        guard request.method == "GET" || request.method == "HEAD", let path = path(of: parts) else {
            return nil
        }
        if path != request.path { return redirect(308, to: path, with: request.query) }
        // An address without its "/e": the page itself says where there is no such event. A program is to say it right.
        guard parts.count == 1, EventSlug.isSlug(parts[0]), EventSlug.lengths.contains(parts[0].utf8.count),
            RefusalPage.showsPages(request)
        else { return nil }
        return redirect(303, to: page(parts[0]), with: request.query)
    }

    /// What is done about an event's name in capital letters.
    enum Kind {
        /// Browsers show it, and keep it under its address: they are sent on to the one that it has. `rest` is what its route
        /// has behind the name, with places for what the request says there.
        case shown(rest: [String])
        /// Programs and scripts ask for it. They are answered, since one that asks wrong would not be told so where it is
        /// sent on.
        case asked

        private static let data: Set = [
            "albums", "hearts", "live", "photos", "reactions", "timeline", "uploads",
        ]

        init(_ method: String, _ pattern: String) {
            let rest = pattern.split(separator: "/").dropFirst(2).map(String.init)
            self = method == "GET" && !Self.data.contains(rest.first ?? "") ? .shown(rest: rest) : .asked
        }
    }

    /// The name of the event that is asked for, where it came with capital letters: none has any. Nothing where no event can
    /// be called so.
    static func inSmallLetters(_ request: Request) -> String? {
        guard let slug = request.parameters["slug"] else { return nil }
        let small = slug.lowercased()
        return small != slug && EventSlug.isSlug(small) ? small : nil
    }

    static func sentOn(_ request: Request, to slug: String, _ rest: [String]) -> Response {
        let words = rest.map { part in
            part.hasPrefix("{") ? request.parameters[String(part.dropFirst().dropLast())] ?? part : part
        }
        return redirect(308, to: page(slug, then: words[...]), with: request.query)
    }

    /// With all that came behind the question mark, the key of a QR code too, which no cache keeps and no other site is told.
    static func redirect(_ status: Int, to path: String, with query: Query = Query()) -> Response {
        let items = query.items.map {
            "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
        }
        return Response(
            status: status,
            headers: [
                HTTPHeader("Location", items.isEmpty ? path : "\(path)?\(items.joined(separator: "&"))"),
                HTTPHeader("Cache-Control", "no-store"), HTTPHeader("Referrer-Policy", "no-referrer"),
                HTTPHeader("X-Robots-Tag", "noindex"),
            ])
    }
}

/// What a guest typed or pasted as the name of an event: the name, or all of its address.
struct TypedAddress: Equatable, Sendable {
    let slug: String
    /// Of a QR code, where that was pasted.
    let key: String?

    private static let longest = 300

    /// Nothing where no event can be called so.
    init?(_ text: String) {
        let text = String(text.unicodeScalars.prefix(Self.longest).map(Character.init))
        let address = text.prefix { $0 != "#" }
        let path = address.prefix { $0 != "?" }.split(separator: "/")
        // Behind "e", or the last of "photos.example/anna-ben", which leads there as well.
        let name = path.drop { $0.lowercased() != "e" }.dropFirst().first ?? path.last ?? ""
        slug = EventSlug.typed(String(name))
        guard EventSlug.lengths.contains(slug.utf8.count) else { return nil }
        let query = address.drop { $0 != "?" }.dropFirst().split(separator: "&")
        let mark = "\(GuestLinkKey.parameter)="
        key = query.first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }

    var target: Response {
        GuestAddress.redirect(
            303, to: GuestAddress.page(slug),
            with: Query(key.map { [HTTPHeader(GuestLinkKey.parameter, $0)] } ?? []))
    }
}
