/// A rendition as it was written.
package struct Rendition: Equatable, Sendable {
    package let size: UInt64
    package let width: Int
    package let height: Int

    package init(size: UInt64, width: Int, height: Int) {
        self.size = size
        self.width = width
        self.height = height
    }
}

/// What is known of a picture that has been decoded whole.
package struct PictureFacts: Equatable, Sendable {
    /// Upright. Of a raw file, those of the image that is embedded in it.
    package let width: Int
    package let height: Int
    package let exif: ExifFacts
    package let colours: ColourFacts
    package let thumb: Rendition
    package let screen: Rendition

    package init(
        width: Int, height: Int, exif: ExifFacts, colours: ColourFacts = ColourFacts(), thumb: Rendition,
        screen: Rendition
    ) {
        self.width = width
        self.height = height
        self.exif = exif
        self.colours = colours
        self.thumb = thumb
        self.screen = screen
    }
}

package enum Picture {
    /// Decodes a file and writes both renditions of it: upright, in sRGB, and without whatever a camera wrote into it.
    ///
    /// Blocks, and runs other people's decoders on other people's bytes: for a process of its own. Throws
    /// ``PictureRefusal``, or a system error that is ours.
    package static func render(
        file: String, declaredType: String, thumb: String, screen: String, limits: PictureLimits = .init()
    ) throws -> PictureFacts {
        let mapped = try MappedFile(path: file, limit: limits.fileSize)
        return try render(
            mapped.bytes, declaredType: declaredType, thumb: thumb, screen: screen, limits: limits)
    }

    private static func render(
        _ bytes: UnsafeRawBufferPointer, declaredType: String, thumb: String, screen: String,
        limits: PictureLimits
    ) throws -> PictureFacts {
        guard let kind = PictureKind(bytes.prefix(PictureKind.length)) else {
            throw PictureRefusal(.notAnImage, "the file does not begin as any image does")
        }
        guard kind.matches(declaredType) else {
            throw PictureRefusal(
                .typeMismatch, "the file was announced as \(declaredType), and is \(kind.name)")
        }
        let source = try DecodedPicture(bytes, kind, edge: limits.screenEdge, limits: limits)
        let size = Planes.fitted(
            width: source.width, height: source.height, edge: limits.screenEdge)
        let orientation = source.exif.orientation ?? .topLeft
        let large = source.planes.resampled(width: size.width, height: size.height).upright(orientation)
        let thumbSize = Planes.fitted(width: large.width, height: large.height, edge: limits.thumbEdge)
        let small = large.resampled(width: thumbSize.width, height: thumbSize.height)
        let isTurned = orientation.isTurned
        return PictureFacts(
            width: isTurned ? source.height : source.width, height: isTurned ? source.width : source.height,
            exif: source.exif, colours: source.colours,
            thumb: try rendition(small, to: thumb, limits, isProgressive: false),
            screen: try rendition(large, to: screen, limits, isProgressive: true))
    }

    private static func rendition(
        _ planes: Planes, to path: String, _ limits: PictureLimits, isProgressive: Bool
    ) throws -> Rendition {
        let size = try JPEGEncoder.write(
            planes, to: path, quality: limits.quality, isProgressive: isProgressive)
        return Rendition(size: size, width: planes.width, height: planes.height)
    }
}
