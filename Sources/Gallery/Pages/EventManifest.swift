import Basics
import Web

/// `GET /e/{slug}/manifest.webmanifest`: what a phone puts on its home screen for an event.
///
/// Browsers ask for it without cookies, so it is the same for all, and says no more than the page that asks for the PIN.
package struct EventManifest: Sendable {
    package var name: String
    package var slug: String
    package var accent: RGBColour?

    static let type = "application/manifest+json"
    /// As page.css has it.
    private static let paper = LookPalette.light.paper.text
    private static let icons: [(name: String, edge: Int, purpose: String)] = [
        ("icon-192.png", 192, "any"), ("icon-512.png", 512, "any"),
        ("full-192.png", 192, "maskable"), ("full-512.png", 512, "maskable"),
    ]

    package init(name: String, slug: String, accent: RGBColour? = nil) {
        self.name = name
        self.slug = slug
        self.accent = accent
    }

    private static func path(_ slug: String) -> String { "/e/\(PercentEncoding.encoded(slug))" }

    var json: JSONValue {
        let path = Self.path(slug)
        let icons = Self.icons.map { icon -> JSONValue in
            [
                "src": .string(PageAssets.set.path(icon.name)), "sizes": .string("\(icon.edge)x\(icon.edge)"),
                "type": .string(AssetType.picture.rawValue), "purpose": .string(icon.purpose),
            ]
        }
        return [
            "id": .string(path), "name": .string(name), "short_name": .string(name), "dir": "auto",
            "start_url": .string(path), "scope": .string(path), "display": "standalone",
            "background_color": .string(Self.paper), "theme_color": .string(accent?.text ?? Self.paper),
            "icons": .array(icons),
        ]
    }

    /// What the guests' page says of it in its head. iOS has its icon by a link of its own, and rounds it itself.
    static func links(of event: PageEvent) -> HTMLText {
        """
        <link rel="manifest" href="\(path(event.slug))/manifest.webmanifest">
        <link rel="apple-touch-icon" href="\(PageAssets.set.path("full-192.png"))">
        <meta name="apple-mobile-web-app-title" content="\(event.name)">

        """
    }
}
