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
    package let thumb: Rendition
    package let screen: Rendition

    package init(width: Int, height: Int, exif: ExifFacts, thumb: Rendition, screen: Rendition) {
        self.width = width
        self.height = height
        self.exif = exif
        self.thumb = thumb
        self.screen = screen
    }
}

package enum Picture {
    /// Decodes a file and writes both renditions of it: upright, and without whatever a camera wrote into it.
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
            exif: source.exif,
            thumb: try rendition(small, to: thumb, source.profile, limits, isProgressive: false),
            screen: try rendition(large, to: screen, source.profile, limits, isProgressive: true))
    }

    private static func rendition(
        _ planes: Planes, to path: String, _ profile: [UInt8], _ limits: PictureLimits, isProgressive: Bool
    ) throws -> Rendition {
        let size = try JPEGEncoder.write(
            planes, to: path, quality: limits.quality, isProgressive: isProgressive, profile: profile)
        return Rendition(size: size, width: planes.width, height: planes.height)
    }
}

/// A file's image as planes, and what the file says about it.
struct DecodedPicture {
    /// Of the image in the file, before it was made smaller while it was decoded.
    let width: Int
    let height: Int
    let planes: Planes
    let exif: ExifFacts
    /// For colours that are not those of most screens.
    let profile: [UInt8]

    init(
        _ bytes: UnsafeRawBufferPointer, _ kind: PictureKind, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) {
        switch kind {
        case .jpeg:
            self = try Self.jpeg(bytes, edge: edge, limits: limits)
        default:
            throw PictureRefusal(.unsupported, "\(kind.name) cannot be decoded here")
        }
    }

    private init(width: Int, height: Int, planes: Planes, exif: ExifFacts, profile: [UInt8]) {
        self.width = width
        self.height = height
        self.planes = planes
        self.exif = exif
        self.profile = profile
    }

    private static func jpeg(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let layout = JPEGLayout(bytes)
        let decoder = try JPEGDecoder(bytes, layout, limits: limits)
        let planes = try decoder.planes(edge: edge)
        return DecodedPicture(
            width: decoder.width, height: decoder.height, planes: planes,
            exif: layout.exif.map(ExifFacts.init) ?? ExifFacts(),
            profile: ColourProfile.kept(layout.profile, isGrey: planes.colour == nil))
    }
}

/// Which colour profile a rendition has to say.
enum ColourProfile {
    /// "Data colour space" (ICC.1:2010 §7.2.6), in a header of 128 bytes.
    private static let space = 16..<20
    private static let header = 128

    /// Nothing for sRGB, which is what everybody takes a JPEG for, and for one that is about other planes than these.
    static func kept(_ profile: [UInt8], isGrey: Bool) -> [UInt8] {
        guard profile.count > header, profile[space].elementsEqual((isGrey ? "GRAY" : "RGB ").utf8) else {
            return []
        }
        return isCommon(profile) ? [] : profile
    }

    /// Its name is in it, in ASCII or in UTF-16.
    private static func isCommon(_ profile: [UInt8]) -> Bool {
        let name = Array("sRGB".utf8)
        let wide = name.flatMap { [UInt8](arrayLiteral: 0, $0) }
        return profile.firstRange(of: name) != nil || profile.firstRange(of: wide) != nil
    }
}
