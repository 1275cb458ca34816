import Basics
import Web

/// A photo on the wall; `tile.js` makes the same from the same values, and reads these back. How large it stands there follows
/// from its shape alone, in the class of the item.
enum PhotoTile {
    /// The first ones of a page are not to wait for its layout.
    static func html(_ photo: PagePhoto, _ words: Words, number: Int, savesData: Bool) -> HTMLText {
        let loading: HTMLText = number < 8 ? .none : " loading=\"lazy\""
        let isBlurred = number < PlaceholderSheet.most && photo.placeholder != nil
        let blur: HTMLText = isBlurred ? " \(PlaceholderSheet.name(number))" : .none
        let sources: HTMLText = savesData ? .none : sources(photo)
        let bare: HTMLText = photo.caption.isEmpty ? " data-bare" : .none
        return """
            <li class="a\(photo.shape)\(blur)" id="\(photo.id)" data-at="\(photo.position)"\(bare)\(tags(photo))\(by(photo))>\
            <a href="\(photo.streamURL ?? photo.screenURL)"><img src="\(photo.thumbURL)"\(sources) \
            alt="\(photo.called(words))"\(loading)>\
            \(time(photo))\(mark(photo))</a>\(original(photo))</li>

            """
    }

    private static func sources(_ photo: PagePhoto) -> HTMLText {
        guard let tile = photo.tile, let url = photo.tileURL else { return .none }
        return sources((photo.thumbURL, photo.thumbWidth), (url, tile.width), shape: photo.shape)
    }

    /// By these a browser picks one of two for the pixels of its screen.
    static func sources(
        _ thumb: (url: String, width: Int), _ tile: (url: String, width: Int), shape: Int
    ) -> HTMLText {
        " srcset=\"\(thumb.url) \(thumb.width)w, \(tile.url) \(tile.width)w\" sizes=\"\(width(ofShape: shape))\""
    }

    /// What the style sheet gives it before its row is filled: `--a` times `--u`, which is 2.55 % of the window and 16.4 pixels
    /// at the most.
    private static func width(ofShape shape: Int) -> String {
        "min(\((shape * 164 + 5) / 10)px,\((shape * 255 + 50) / 100)vw)"
    }

    private static func tags(_ photo: PagePhoto) -> HTMLText {
        guard !photo.tags.isEmpty else { return .none }
        // One to a line.
        let lines = photo.tags.map { tag in String(tag.map { $0.isNewline ? " " : $0 }) }
        return " data-tag=\"\(lines.joined(separator: "\n"))\""
    }

    private static func mark(_ photo: PagePhoto) -> HTMLText {
        guard let video = photo.video else { return .none }
        return " <span class=\"clip\" data-screen=\"\(photo.screenURL)\">\(video.mark(photo.filename))</span>"
    }

    private static func by(_ photo: PagePhoto) -> HTMLText {
        photo.guestName.map { " data-by=\"\($0)\"" } ?? .none
    }

    private static func time(_ photo: PagePhoto) -> HTMLText {
        guard let moment = photo.shownAt, let clock = photo.clock else { return .none }
        let date = CivilTime(secondsSince1970: moment.seconds).date
        return "<time datetime=\"\(date)T\(clock)\">\(clock)</time>"
    }

    /// What the links to originals are called stands in a page once.
    static let originalWords = "original"

    private static func original(_ photo: PagePhoto) -> HTMLText {
        guard let url = photo.originalURL else { return .none }
        return """
            <a class="get" href="\(url)" download aria-labelledby="\(originalWords)">↓</a>
            """
    }
}
