import Glibc
package import Imaging
package import Rendering

/// The renditions that photos of the gallery have: one for the wall of an event, one that fills a screen, and between them one
/// for walls on screens that have several pixels for one of CSS.
extension RenderJob {
    package static let thumbEdge = 400
    package static let tileEdge = 800
    package static let screenEdge = 2048
    /// A picture that is smaller has no tile: its thumb shows nearly all that is in it.
    package static let smallestWithTile = 600

    package init(file: String, declaredType: String, thumb: String, tile: String, screen: String) {
        self.init(
            file: file, declaredType: declaredType,
            renditions: [
                RenditionRequest(path: thumb, edge: Self.thumbEdge),
                RenditionRequest(path: screen, edge: Self.screenEdge, isProgressive: true),
                RenditionRequest(path: tile, edge: Self.tileEdge),
            ])
    }

    init(file: String, declaredType: String, _ making: RenditionsInMaking) {
        self.init(
            file: file, declaredType: declaredType, thumb: making.thumb, tile: making.tile,
            screen: making.screen)
    }
}

extension RenderedPhoto {
    package var thumb: Imaging.Rendition { renditions[0] }
    package var screen: Imaging.Rendition { renditions[1] }
    package var screenCRC: UInt32? { renditionCRCs.count == renditions.count ? renditionCRCs[1] : nil }

    /// Nothing of a picture that needs none.
    package var tile: Imaging.Rendition? {
        let made = renditions[2]
        return max(made.width, made.height) < RenderJob.smallestWithTile ? nil : made
    }
}

/// Keys under which the renditions of one photo are about to be kept.
package struct RenditionKeys: Equatable, Sendable {
    package let thumb: String
    package let tile: String
    package let screen: String
}

/// Where the renditions of one photo are made, in the folder for what is in the making.
struct RenditionsInMaking: Sendable {
    let thumb: String
    let tile: String
    let screen: String

    init(_ keys: RenditionKeys, in folder: String) {
        thumb = "\(folder)/\(keys.thumb).jpg"
        tile = "\(folder)/\(keys.tile).jpg"
        screen = "\(folder)/\(keys.screen).jpg"
    }

    /// What was taken over is gone already.
    func clear() {
        for path in [thumb, tile, screen] where unlink(path) != 0 && errno != ENOENT {
            // The folder is emptied at the next start.
            continue
        }
    }
}

extension NewPhoto.Renditions {
    init(_ photo: RenderedPhoto, _ keys: RenditionKeys) {
        typealias Rendition = NewPhoto.Rendition
        let (thumb, screen) = (photo.thumb, photo.screen)
        self.init(
            thumb: Rendition(key: keys.thumb, size: thumb.size, width: thumb.width, height: thumb.height),
            tile: photo.tile.map { tile in
                Rendition(key: keys.tile, size: tile.size, width: tile.width, height: tile.height)
            },
            screen: Rendition(
                key: keys.screen, size: screen.size, width: screen.width, height: screen.height,
                crc: photo.screenCRC),
            placeholder: photo.placeholder, unused: photo.tile == nil ? [keys.tile] : [])
    }
}

extension Processor {
    private static let renditionType = "image/jpeg"

    func keep(_ photo: RenderedPhoto, _ making: RenditionsInMaking, as keys: RenditionKeys) async throws {
        try await storage.keep(making.thumb, as: keys.thumb, type: Self.renditionType)
        try await storage.keep(making.screen, as: keys.screen, type: Self.renditionType)
        if photo.tile != nil { try await storage.keep(making.tile, as: keys.tile, type: Self.renditionType) }
    }
}
