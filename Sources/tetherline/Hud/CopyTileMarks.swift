import Bridge
import GalleryCopy
import Hud
import Store
import Upload

/// What tiles show of what is said of photos, from the copy of their gallery.
struct CopyTileMarks: HudTileMarks {
    private let copy: CopyDatabase
    private let server: String
    private let event: String

    /// Nothing before anything was said, here or there.
    init?(_ home: Home, _ place: GalleryPlace) throws {
        guard let copy = try home.readGalleryCopy() else { return nil }
        (self.copy, server, event) = (copy, "\(place.address)", place.event)
    }

    func changeMark() throws -> Int64 { try copy.changeMark() }

    func mark(of photo: CaptureID, atGallery: String?) throws -> HudTileMark? {
        guard let place = try copy.place(server, event: event),
            let (seen, _) = try copy.seen(photo, record: atGallery, at: place)
        else { return nil }
        return HudTileMark(rating: seen.rating, isHidden: seen.isHidden)
    }
}
