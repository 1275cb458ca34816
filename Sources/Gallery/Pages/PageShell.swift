import Web

/// What is the same on every page: its head, and where its style and its scripts are.
struct PageShell {
    var title: String
    /// What a messenger shows below a link to the page.
    var summary = ""
    var styles = ["page.css"]
    /// The first one runs; the others are what it imports, named so that they are fetched at once.
    var scripts: [String] = []
    /// A class for the body, by which the style sheets tell pages apart.
    var kind: String

    func html(_ body: HTMLText) -> String {
        let page: HTMLText = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            <meta name="theme-color" content="#faf7f2" media="(prefers-color-scheme: light)">
            <meta name="theme-color" content="#151211" media="(prefers-color-scheme: dark)">
            <title>\(title)</title>
            <meta property="og:title" content="\(title)">
            <meta property="og:description" content="\(summary)">
            <link rel="icon" type="image/svg+xml" href="\(PageAssets.set.path("icon.svg"))">
            \(links)
            </head>
            <body class="\(kind)">
            \(body)
            </body>
            </html>

            """
        return page.text
    }

    private var links: HTMLText {
        let styleLinks = styles.map { name -> HTMLText in
            "<link rel=\"stylesheet\" href=\"\(PageAssets.set.path(name))\">\n"
        }
        let imports = scripts.dropFirst().map { name -> HTMLText in
            "<link rel=\"modulepreload\" href=\"\(PageAssets.set.path(name))\">\n"
        }
        // A module is not run by browsers that are too old for it; they have the page without it.
        let script = scripts.prefix(1).map { name -> HTMLText in
            "<script type=\"module\" src=\"\(PageAssets.set.path(name))\"></script>"
        }
        return "\(styleLinks)\(imports)\(script)"
    }
}

extension Int {
    /// "1 photo", "2,345 photos".
    func counted(_ one: String, _ many: String) -> String {
        var digits = String(magnitude)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return "\(digits) \(self == 1 ? one : many)"
    }
}
