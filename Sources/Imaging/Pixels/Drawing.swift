import CPNG
import CTurboJPEG
import Glibc
import Posix

/// A picture that is laid on something else, such as a logo: how much of each pixel is there stays known.
struct Drawing {
    /// Red, green, blue, and how much of them is there, by which the others are multiplied: so a pixel that is not there adds
    /// nothing to those beside it when the picture is made smaller.
    private let planes: [Plane]

    private var width: Int { planes[0].width }
    private var height: Int { planes[0].height }

    /// A PNG by itself, which keeps its colours whole; anything else by way of a photo's planes, with nothing transparent.
    static func render(
        _ bytes: UnsafeRawBufferPointer, _ kind: PictureKind, _ request: RenditionRequest,
        _ limits: PictureLimits
    ) throws -> PictureFacts {
        guard kind == .png else { return try renderPhoto(bytes, kind, request, limits) }
        let layout = PNGLayout(bytes)
        let decoded = try PNGDecoder.decode(bytes, layout, limits: limits, keepsTransparency: true)
        let image = decoded.image
        let exif = layout.exif.map(ExifFacts.init) ?? ExifFacts()
        let orientation = exif.orientation ?? .topLeft
        let drawing = Drawing(image, decoded.plan, edge: request.edge).upright(orientation)
        return PictureFacts(
            width: orientation.isTurned ? image.height : image.width,
            height: orientation.isTurned ? image.width : image.height, exif: exif,
            colours: decoded.plan.facts, renditions: [try drawing.write(to: request.path)],
            placeholder: nil)
    }

    private static func renderPhoto(
        _ bytes: UnsafeRawBufferPointer, _ kind: PictureKind, _ request: RenditionRequest,
        _ limits: PictureLimits
    ) throws -> PictureFacts {
        let source = try DecodedPicture(bytes, kind, edge: request.edge, limits: limits)
        let orientation = source.exif.orientation ?? .topLeft
        let size = Planes.fitted(width: source.width, height: source.height, edge: request.edge)
        let planes = source.planes.resampled(width: size.width, height: size.height).upright(orientation)
        let drawing = Drawing(split: planes.colours())
        return PictureFacts(
            width: orientation.isTurned ? source.height : source.width,
            height: orientation.isTurned ? source.width : source.height, exif: source.exif,
            colours: source.colours, renditions: [try drawing.write(to: request.path)],
            placeholder: nil)
    }

    private init(_ planes: [Plane]) { self.planes = planes }

    private init(_ image: ColourImage, _ plan: ColourPlan, edge: Int) {
        if let transform = plan.transform { image.convertColours(by: transform) }
        if image.channels == 4 { image.multiplyByShare() }
        let smaller = image.shrunk(by: max(image.width, image.height) / edge)
        let size = Planes.fitted(width: image.width, height: image.height, edge: edge)
        let across = Double(smaller.width) / Double(size.width)
        let down = Double(smaller.height) / Double(size.height)
        planes = Drawing(split: smaller).planes.map { plane in
            (plane.width, plane.height) == size ? plane : plane.resampled(size, across: across, down: down)
        }
    }

    /// Where nothing says how much is there, all of it is.
    private init(split image: ColourImage) {
        planes = (0..<4).map { channel in
            let plane = Plane(width: image.width, height: image.height)
            for y in 0..<image.height {
                let (source, target) = (image.row(y), plane.row(y))
                for x in 0..<image.width {
                    target[x] = channel < image.channels ? source[x * image.channels + channel] : 255
                }
            }
            plane.fillRoom()
            return plane
        }
    }

    private func upright(_ orientation: Orientation) -> Drawing {
        Drawing(planes.map(orientation.upright))
    }

    /// Holds nothing but the image, as every rendition does.
    private func write(to path: String) throws -> Rendition {
        let rows = rows
        let (width, height) = (UInt32(width), UInt32(height))
        let room = tl_png_write(rows, width, height, nil, 0)
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: max(room, 1), alignment: 16)
        defer { file.deallocate() }
        let size = tl_png_write(rows, width, height, file.baseAddress, room)
        guard size > 0 else { throw SystemError("making a PNG", ENOMEM, on: path) }
        let written = try RenditionFile.write(UnsafeRawBufferPointer(rebasing: file[..<size]), to: path)
        return Rendition(size: written, width: self.width, height: self.height)
    }

    /// As a PNG has them: no longer multiplied.
    private var rows: [UInt8] {
        var rows = [UInt8](repeating: 0, count: width * height * 4)
        for y in 0..<height {
            let share = planes[3].row(y)
            for channel in 0..<4 {
                let source = planes[channel].row(y)
                for x in 0..<width {
                    let value = UInt32(source[x])
                    let there = UInt32(share[x])
                    rows[(y * width + x) * 4 + channel] =
                        channel == 3
                        ? source[x] : there == 0 ? 0 : UInt8(min(255, (value &* 255 &+ there / 2) / there))
                }
            }
        }
        return rows
    }
}

extension ColourImage {
    /// In place, whether or not a fourth channel says how much is there.
    fileprivate func convertColours(by transform: ColourTransform) {
        let colours = ColourImage(width: width, height: height, channels: 3)
        for pixel in 0..<(width * height) {
            for channel in 0..<3 {
                colours.samples[3 * pixel + channel] = samples[channels * pixel + channel]
            }
        }
        let converted = colours.converted(by: transform)
        for pixel in 0..<(width * height) {
            for channel in 0..<3 {
                samples[channels * pixel + channel] = converted.samples[3 * pixel + channel]
            }
        }
    }

    fileprivate func multiplyByShare() {
        for pixel in 0..<(width * height) {
            let values = samples + 4 * pixel
            let share = UInt32(values[3])
            for channel in 0..<3 {
                values[channel] = UInt8((UInt32(values[channel]) &* share &+ 127) / 255)
            }
        }
    }
}

extension Planes {
    /// Red, green and blue. Only for planes as photos are made of: grey, or with a sample of colour for four of brightness.
    fileprivate func colours() -> ColourImage {
        guard let handle = tjInitDecompress() else {
            preconditionFailure("libjpeg-turbo has no memory for a decoder")
        }
        defer { tjDestroy(handle) }
        for plane in all { plane.fillRoom() }
        var pointers = all.map { UnsafePointer<UInt8>?($0.samples) }
        var strides = all.map { Int32($0.stride) }
        let image = ColourImage(width: width, height: height, channels: 3)
        let sampling = colour == nil ? TJSAMP_GRAY : TJSAMP_420
        let result = tjDecodeYUVPlanes(
            handle, &pointers, &strides, Int32(sampling.rawValue), image.samples, Int32(width), 0,
            Int32(height), Int32(TJPF_RGB.rawValue), 0)
        precondition(result == 0, "libjpeg-turbo turns any planes into pixels")
        return image
    }
}
