/// A file's image as planes, and what the file says about it.
struct DecodedPicture {
    /// Of the image in the file, before it was made smaller while it was decoded.
    let width: Int
    let height: Int
    let planes: Planes
    let exif: ExifFacts
    /// For colours that are not those of most screens.
    let profile: [UInt8]

    private init(width: Int, height: Int, planes: Planes, exif: ExifFacts, profile: [UInt8] = []) {
        self.width = width
        self.height = height
        self.planes = planes
        self.exif = exif
        self.profile = profile
    }

    init(
        _ bytes: UnsafeRawBufferPointer, _ kind: PictureKind, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) {
        switch kind {
        case .jpeg: self = try Self.jpeg(bytes, edge: edge, limits: limits)
        case .png: self = try Self.png(bytes, edge: edge, limits: limits)
        case .heif: self = try Self.heif(bytes, edge: edge, limits: limits)
        case .tiff, .canon2, .canon3, .fuji, .panasonic:
            self = try Self.raw(bytes, kind, edge: edge, limits: limits)
        }
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

    private static func png(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let layout = PNGLayout(bytes)
        let image = try PNGDecoder.image(bytes, isWhole: layout.isWhole, limits: limits)
        let smaller = image.shrunk(by: max(image.width, image.height) / edge)
        return DecodedPicture(
            width: image.width, height: image.height, planes: smaller.planes(),
            exif: layout.exif.map(ExifFacts.init) ?? ExifFacts())
    }

    private static func heif(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let decoded = try HEIFDecoder.decode(bytes, limits: limits)
        let smaller = decoded.image.shrunk(by: max(decoded.image.width, decoded.image.height) / edge)
        return DecodedPicture(
            width: decoded.image.width, height: decoded.image.height, planes: smaller.planes(),
            exif: decoded.exif, profile: decoded.profile)
    }

    /// By the largest JPEG in it that can be decoded.
    private static func raw(
        _ bytes: UnsafeRawBufferPointer, _ kind: PictureKind, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let previews = RawPreviews(bytes, kind)
        guard previews.isWhole else {
            throw PictureRefusal(.truncated, "the file ends before what it refers to does")
        }
        var largest: (pixels: Int, bytes: UnsafeRawBufferPointer)?
        for candidate in previews.candidates {
            guard let pixels = pixels(of: candidate, limits), pixels > largest?.pixels ?? 0 else { continue }
            largest = (pixels, candidate)
        }
        guard let largest else {
            throw PictureRefusal(.unsupported, "this file holds no JPEG, and is not developed here")
        }
        let picture = try jpeg(largest.bytes, edge: edge, limits: limits)
        return DecodedPicture(
            width: picture.width, height: picture.height, planes: picture.planes,
            exif: previews.exif.completed(by: picture.exif), profile: picture.profile)
    }

    /// Nothing for what only looks like a JPEG: raw samples are often packed as a kind of JPEG that no viewer knows.
    private static func pixels(of candidate: UnsafeRawBufferPointer, _ limits: PictureLimits) -> Int? {
        do throws(PictureRefusal) {
            let decoder = try JPEGDecoder(candidate, JPEGLayout(candidate), limits: limits)
            return decoder.width * decoder.height
        } catch {
            return nil
        }
    }
}
