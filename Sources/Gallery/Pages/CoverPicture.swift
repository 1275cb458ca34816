import Web

/// The photo behind an event's name.
///
/// It is the thumb, which a phone has at once; its place is kept by the style sheet whatever the picture's shape is, so nothing
/// moves when it comes. Where a larger one would be seen, `cover.js` puts that in its place when all else is there.
enum CoverPicture {
    static func html(_ photo: PagePhoto) -> HTMLText {
        """
        <img class="cover" src="\(photo.thumbURL)" width="\(photo.thumbWidth)" height="\(photo.thumbHeight)" alt="" \
        fetchpriority="high" decoding="async" data-photo="\(photo.id)" data-screen="\(photo.screenURL)">
        """
    }
}
