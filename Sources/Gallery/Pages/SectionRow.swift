import Web

/// The row of an event's sections above its photos: links, which the scripts make faster where there are scripts.
enum SectionRow {
    static let parameter = "album"

    /// Where photos of that section are, or all of them.
    static func address(_ event: PageEvent, _ album: String?) -> String {
        album.map { "\(event.path)?\(parameter)=\($0)" } ?? event.path
    }

    /// Of events that have none nothing is loaded.
    static func styles(_ sections: [Section]) -> [String] { sections.isEmpty ? [] : ["sections.css"] }

    /// Nothing where all photos are all that there is to choose.
    static func html(
        _ sections: [Section], current: String?, of event: PageEvent, _ words: Words
    ) -> HTMLText {
        guard !sections.isEmpty else { return .none }
        let all = item(words[.all], event.photos, nil, current, event, words)
        let others = sections.map { item($0.name, $0.photos, $0.id, current, event, words) }
        return """
            <nav class="sections" id="sections" aria-label="\(words[.sections])"><ul role="list">
            \(all)\(others)</ul></nav>

            """
    }

    private static func item(
        _ name: String, _ photos: Int, _ album: String?, _ current: String?, _ event: PageEvent,
        _ words: Words
    ) -> HTMLText {
        let mark: HTMLText = album == current ? " aria-current=\"true\"" : .none
        return """
            <li><a href="\(address(event, album))" data-album="\(album ?? "")" data-count="\(photos)"\(mark)><bdi>\(name)</bdi> \
            <small>\(words.language.written(photos))</small></a></li>

            """
    }
}
