import Basics
import Web

/// A photo on the wall; `tile.js` makes the same from the same values, and reads these back.
enum PhotoTile {
    static func html(_ photo: PagePhoto, _ words: Words, isSeenFirst: Bool) -> HTMLText {
        let loading: HTMLText = isSeenFirst ? .none : " loading=\"lazy\""
        let bare: HTMLText = photo.caption.isEmpty ? " data-bare" : .none
        return """
            <li class="a\(photo.shape)" id="\(photo.id)" data-at="\(photo.position)"\(bare)\(tags(photo))\(by(photo))>\
            <a href="\(photo.streamURL ?? photo.screenURL)"><img src="\(photo.thumbURL)" \
            width="\(photo.thumbWidth)" height="\(photo.thumbHeight)" \
            alt="\(photo.called(words))"\(loading) decoding="async">\
            \(time(photo))\(mark(photo))</a>\(original(photo, words))</li>

            """
    }

    private static func tags(_ photo: PagePhoto) -> HTMLText {
        guard !photo.tags.isEmpty else { return .none }
        return " data-tags=\"\(JSONValue.array(photo.tags.map(JSONValue.string)).compact)\""
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

    private static func original(_ photo: PagePhoto, _ words: Words) -> HTMLText {
        guard let url = photo.originalURL else { return .none }
        return """
            <a class="get" href="\(url)" download aria-label="\(words[.getOriginal])">↓</a>
            """
    }
}
