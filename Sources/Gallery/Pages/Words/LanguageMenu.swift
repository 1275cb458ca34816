import Web

/// At the foot of a page: the same page in another language. The answer keeps the choice by a cookie, so it works without
/// scripts as well.
enum LanguageMenu {
    /// `path` is where the page is, unless that is the address it has in the browser. `query` is what else its address says.
    static func html(
        _ current: Language, at path: String = "", keeping query: String = ""
    ) -> HTMLText {
        let rest = query.isEmpty ? "" : "\(query)&"
        let links = Language.allCases.map { language -> HTMLText in
            let mark: HTMLText = language == current ? " aria-current=\"true\"" : .none
            return """
                <a lang="\(language.tag)" href="\(path)?\(rest)\(Language.parameter)=\(language.code)"\(mark)>\(language.name)</a>

                """
        }
        return """
            <nav class="languages" aria-label="\(Words.of(current)[.languages])">
            \(links)</nav>
            """
    }
}
