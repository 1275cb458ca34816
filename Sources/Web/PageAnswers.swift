package import Basics
package import HTTPServer

/// What goes with every page: a browser runs, loads and shows only what comes from here.
package struct PageAnswers: Equatable, Sendable {
    /// Where images are redirected to besides this server, as a policy names it: "https://bucket.s3.example.org". Empty for
    /// a folder; the bucket's origin when storage is S3.
    package var imageSources: [String]
    /// That stand in pages.
    package var ownSheets: [OwnSheet]

    /// Images may stand in pages, too.
    private var showsInlineImages = false

    package init(imageSources: [String] = [], ownSheets: [OwnSheet] = []) {
        self.imageSources = imageSources
        self.ownSheets = ownSheets
    }

    /// A script can send nothing of a page elsewhere, and no other site can show it inside of its own.
    package var policy: String {
        let images = (["'self'"] + imageSources.filter(Self.isSource)).joined(separator: " ")
        return [
            "default-src 'none'", "img-src \(images)\(showsInlineImages ? " data:" : "")",
            "media-src \(images)", "script-src 'self'",
            (["style-src 'self'"] + ownSheets.map(\.source)).joined(separator: " "),
            "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'",
            "form-action 'self'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    /// A source that could end its directive is left out.
    private static func isSource(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3B && $0 != 0x2C }
    }

    /// For a page with images that stand in it, and perhaps a sheet that no other page has.
    package func showing(_ sheet: OwnSheet?) -> PageAnswers {
        var answers = self
        answers.showsInlineImages = true
        if let sheet { answers.ownSheets.append(sheet) }
        return answers
    }

    package var headers: [HTTPHeader] {
        [
            HTTPHeader("Content-Security-Policy", policy),
            // The address of an event is all that some events are closed by.
            HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("X-Robots-Tag", "noindex"),
            HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("Cache-Control", "private, no-cache"),
        ]
    }

    /// 200 for a page, 401 for the one that asks for a PIN, 404 and 410 for those that say so, 429 for too many tries.
    package func answer(_ status: Int = 200, _ html: String) -> Response {
        Response.text(status, html, type: "text/html; charset=utf-8", headers: headers)
    }
}
