/// A file's image as planes, and what the file says about it.
struct DecodedPicture {
    /// Of the image in the file, before it was made smaller while it was decoded.
    let width: Int
    let height: Int
    let planes: Planes
    let exif: ExifFacts
    let colours: ColourFacts

    private init(width: Int, height: Int, planes: Planes, exif: ExifFacts, colours: ColourFacts) {
        self.width = width
        self.height = height
        self.planes = planes
        self.exif = exif
        self.colours = colours
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

    /// What else is claimed of its colours counts after what it says itself.
    private static func jpeg(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits, claims: [ColourClaim] = []
    ) throws(PictureRefusal) -> DecodedPicture {
        let layout = JPEGLayout(bytes)
        let decoder = try JPEGDecoder(bytes, layout, limits: limits)
        let own = [layout.profile.claim, layout.exif.flatMap(ExifColour.claim)].compactMap { $0 }
        let plan = ColourPlan(own + claims, of: decoder.samples)
        return DecodedPicture(
            width: decoder.width, height: decoder.height,
            planes: try decoder.planes(edge: edge, by: plan.transform),
            exif: layout.exif.map(ExifFacts.init) ?? ExifFacts(), colours: plan.facts)
    }

    private static func png(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let layout = PNGLayout(bytes)
        let decoded = try PNGDecoder.decode(bytes, layout, limits: limits)
        return DecodedPicture(
            decoded.image, decoded.plan, layout.exif.map(ExifFacts.init) ?? ExifFacts(), edge: edge)
    }

    private static func heif(
        _ bytes: UnsafeRawBufferPointer, edge: Int, limits: PictureLimits
    ) throws(PictureRefusal) -> DecodedPicture {
        let decoded = try HEIFDecoder.decode(bytes, limits: limits)
        return DecodedPicture(decoded.image, decoded.plan, decoded.exif, edge: edge)
    }

    /// Of an image of its full size: it is made smaller, and then its colours are converted, before they become planes.
    private init(_ image: ColourImage, _ plan: ColourPlan, _ exif: ExifFacts, edge: Int) {
        let smaller = image.shrunk(by: max(image.width, image.height) / edge)
        let converted = plan.transform.map { smaller.converted(by: $0) } ?? smaller
        self.init(
            width: image.width, height: image.height, planes: converted.planes(), exif: exif,
            colours: plan.facts)
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
        let picture = try jpeg(
            largest.bytes, edge: edge, limits: limits, claims: previews.colours)
        return DecodedPicture(
            width: picture.width, height: picture.height, planes: picture.planes,
            exif: previews.exif.completed(by: picture.exif), colours: picture.colours)
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
