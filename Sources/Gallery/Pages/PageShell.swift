import Web

extension PageShell {
    /// With what the gallery's pages load. A page without a language is the hosts', in English.
    init(
        title: String, summary: String = "", preview: LinkPreview? = nil, extra: HTMLText = .none,
        ownSheets: [OwnSheet] = [], styles: [String] = ["page.css"], scripts: [String] = [], kind: String,
        language: Language? = nil, hasOwnColours: Bool = false
    ) {
        let locale: HTMLText =
            language.map { "<meta property=\"og:locale\" content=\"\($0.openGraph)\">\n" } ?? .none
        let spoken = language ?? .english
        self.init(
            PageAssets.set, title: title, summary: summary, preview: preview?.tags, extra: locale + extra,
            ownSheets: ownSheets, styles: styles, scripts: scripts, kind: kind,
            language: (spoken.tag, spoken.direction),
            hasOwnColours: hasOwnColours)
    }
}

extension Int {
    /// "1 photo", "2,345 photos", for hosts and operators.
    func counted(_ one: String, _ many: String) -> String {
        "\(Language.english.written(self)) \(self == 1 ? one : many)"
    }
}
