/// What is wanted of a picture: a JPEG, or of a drawing a PNG.
package struct RenditionRequest: Equatable, Sendable {
    /// Where it is written; nothing may be there.
    package let path: String
    /// At most so many pixels on the longer side, and never more than the original has.
    package let edge: Int
    /// As libjpeg counts, to 100.
    package let quality: Int
    /// Such a file is shown whole before all of it is there, and takes twice as long to make.
    package let isProgressive: Bool
    /// A PNG, in which what is transparent stays so: for what is laid on something else. It is wanted alone.
    package let isDrawing: Bool

    package static let usualQuality = 82

    package init(
        path: String, edge: Int, quality: Int = usualQuality, isProgressive: Bool = false,
        isDrawing: Bool = false
    ) {
        precondition(
            edge > 0 && (1...100).contains(quality), "a rendition has pixels, and a quality up to 100")
        self.path = path
        self.edge = edge
        self.quality = quality
        self.isProgressive = isProgressive
        self.isDrawing = isDrawing
    }
}

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
    /// In the order in which they were asked for.
    package let renditions: [Rendition]
    /// Nothing of a drawing.
    package let placeholder: Placeholder?
}

package enum Picture {
    /// Decodes a file and writes renditions of it: upright, in sRGB, and without whatever a camera wrote into it.
    ///
    /// Blocks, and runs other people's decoders on other people's bytes: for a process of its own. Throws
    /// ``PictureRefusal``, or a system error that is ours.
    package static func render(
        file: String, declaredType: String, renditions: [RenditionRequest], limits: PictureLimits = .init()
    ) throws -> PictureFacts {
        let mapped = try MappedFile(path: file, limit: limits.fileSize)
        return try render(mapped.bytes, declaredType: declaredType, renditions, limits)
    }

    private static func render(
        _ bytes: UnsafeRawBufferPointer, declaredType: String, _ requests: [RenditionRequest],
        _ limits: PictureLimits
    ) throws -> PictureFacts {
        guard let kind = PictureKind(bytes.prefix(PictureKind.length)) else {
            throw PictureRefusal(.notAnImage, "the file does not begin as any image does")
        }
        guard kind.matches(declaredType) else {
            throw PictureRefusal(
                .typeMismatch, "the file was announced as \(declaredType), and is \(kind.name)")
        }
        if let drawing = requests.first, drawing.isDrawing {
            return try Drawing.render(bytes, kind, drawing, limits)
        }
        let edge = requests.map(\.edge).max() ?? 1
        let source = try DecodedPicture(bytes, kind, edge: edge, limits: limits)
        let size = Planes.fitted(width: source.width, height: source.height, edge: edge)
        let orientation = source.exif.orientation ?? .topLeft
        var planes = source.planes.resampled(width: size.width, height: size.height).upright(orientation)
        var written: [Int: Rendition] = [:]
        // The largest first: each is made of the one before, which has fewer pixels than the picture.
        for (index, request) in requests.enumerated().sorted(by: { $0.element.edge > $1.element.edge }) {
            let size = Planes.fitted(width: planes.width, height: planes.height, edge: request.edge)
            planes = planes.resampled(width: size.width, height: size.height)
            written[index] = try write(planes, as: request)
        }
        let isTurned = orientation.isTurned
        return PictureFacts(
            width: isTurned ? source.height : source.width, height: isTurned ? source.width : source.height,
            exif: source.exif, colours: source.colours,
            renditions: requests.indices.compactMap { written[$0] }, placeholder: Placeholder(planes))
    }

    private static func write(_ planes: Planes, as request: RenditionRequest) throws -> Rendition {
        let size = try JPEGEncoder.write(
            planes, to: request.path, quality: request.quality, isProgressive: request.isProgressive)
        return Rendition(size: size, width: planes.width, height: planes.height)
    }
}
