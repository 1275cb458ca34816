package import Imaging
package import Rendering

/// The two renditions that every photo of the gallery has: one for the wall of an event, one that fills a screen.
extension RenderJob {
    package static let thumbEdge = 400
    package static let screenEdge = 2048

    package init(file: String, declaredType: String, thumb: String, screen: String) {
        self.init(
            file: file, declaredType: declaredType,
            renditions: [
                RenditionRequest(path: thumb, edge: Self.thumbEdge),
                RenditionRequest(path: screen, edge: Self.screenEdge, isProgressive: true),
            ])
    }
}

extension RenderedPhoto {
    package var thumb: Imaging.Rendition { renditions[0] }
    package var screen: Imaging.Rendition { renditions[1] }
    package var screenCRC: UInt32? { renditionCRCs.count == renditions.count ? renditionCRCs[1] : nil }
}
