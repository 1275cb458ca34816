/// What is the same on every page: its head, and where its style and its scripts are.
package struct PageShell {
    let assets: AssetSet
    let title: String
    /// What a messenger shows below a link to the page.
    let summary: String
    /// Tags that say more to messengers than the title and the summary do; they stand in place of these.
    let preview: HTMLText?
    /// What else is in the head.
    let extra: HTMLText
    /// In the page, before the others.
    let ownSheets: [OwnSheet]
    let styles: [String]
    /// The first one runs; the others are what it imports, named so that they are fetched at once.
    let scripts: [String]
    /// A class for the body, by which the style sheets tell pages apart.
    let kind: String
    /// As `lang` and `dir` say it.
    let language: (code: String, direction: String)
    /// Whether a style sheet gives it other colours than the usual ones, which the browser's bar is not to have then.
    let hasOwnColours: Bool

    package init(
        _ assets: AssetSet, title: String, summary: String = "", preview: HTMLText? = nil,
        extra: HTMLText = .none, ownSheets: [OwnSheet] = [], styles: [String] = ["page.css"],
        scripts: [String] = [], kind: String,
        language: (code: String, direction: String) = ("en", "ltr"), hasOwnColours: Bool = false
    ) {
        self.assets = assets
        self.title = title
        self.summary = summary
        self.preview = preview
        self.extra = extra
        self.ownSheets = ownSheets
        self.styles = styles
        self.scripts = scripts
        self.kind = kind
        self.language = language
        self.hasOwnColours = hasOwnColours
    }

    package func html(_ body: HTMLText) -> String {
        let page: HTMLText = """
            <!doctype html>
            <html lang="\(language.code)" dir="\(language.direction)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            \(hasOwnColours ? .none : Self.barColours)<title>\(title)</title>
            \(preview ?? plainPreview)
            <link rel="icon" type="image/svg+xml" href="\(assets.path("icon.svg"))">
            \(extra)\(links)
            </head>
            <body class="\(kind)">
            \(body)
            </body>
            </html>

            """
        return page.text
    }

    private static let barColours: HTMLText = """
        <meta name="theme-color" content="#faf7f2" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#151211" media="(prefers-color-scheme: dark)">

        """

    private var plainPreview: HTMLText {
        """
        <meta property="og:title" content="\(title)">
        <meta property="og:description" content="\(summary)">
        """
    }

    private var links: HTMLText {
        let styleLinks = styles.map { name -> HTMLText in
            "<link rel=\"stylesheet\" href=\"\(assets.path(name))\">\n"
        }
        let imports = scripts.dropFirst().map { name -> HTMLText in
            "<link rel=\"modulepreload\" href=\"\(assets.path(name))\">\n"
        }
        // A module is not run by browsers that are too old for it; they have the page without it.
        let script = scripts.prefix(1).map { name -> HTMLText in
            "<script type=\"module\" src=\"\(assets.path(name))\"></script>"
        }
        return "\(ownSheets.map(\.element))\(styleLinks)\(imports)\(script)"
    }
}
