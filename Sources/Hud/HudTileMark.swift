import Basics
package import Bridge

/// What a tile shows of what is said of a photo at its gallery.
package struct HudTileMark: Equatable, Sendable {
    let rating: Int
    let isHidden: Bool

    package init(rating: Int, isHidden: Bool) {
        self.rating = rating
        self.isHidden = isHidden
    }
}

/// Where tiles have their marks from. May wait for a file.
package protocol HudTileMarks {
    /// Another one each time that something was said, here or at the gallery.
    func changeMark() throws -> Int64
    /// Nothing where nothing is said of it. `atGallery`: the gallery's id of it, once it has confirmed it.
    func mark(of photo: CaptureID, atGallery: String?) throws -> HudTileMark?
}
