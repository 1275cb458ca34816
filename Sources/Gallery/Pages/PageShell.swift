import Web

extension PageShell {
    /// With what the gallery's pages load.
    init(
        title: String, summary: String = "", preview: LinkPreview? = nil, extra: HTMLText = .none,
        styles: [String] = ["page.css"], scripts: [String] = [], kind: String
    ) {
        self.init(
            PageAssets.set, title: title, summary: summary, preview: preview?.tags, extra: extra,
            styles: styles, scripts: scripts, kind: kind)
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
