import CPNG

/// PNG by libpng's simple interface, which never jumps out of a call.
enum PNGDecoder {
    /// What is transparent is white: a gallery's photos lie on paper.
    static func image(
        _ bytes: UnsafeRawBufferPointer, _ layout: PNGLayout, limits: PictureLimits
    ) throws(PictureRefusal) -> ColourImage {
        if let size = layout.size { try limits.require(width: size.width, height: size.height) }
        var header = png_image()
        tl_png_begin(&header)
        defer { png_image_free(&header) }
        guard png_image_begin_read_from_memory(&header, bytes.baseAddress, bytes.count) != 0 else {
            throw refusal(header, layout.isWhole)
        }
        let (width, height) = (Int(header.width), Int(header.height))
        try limits.require(width: width, height: height)
        guard layout.isWhole else { throw refusal(header, layout.isWhole) }
        let hasAlpha = tl_png_as_colours(&header) != 0
        let image = ColourImage(width: width, height: height, channels: hasAlpha ? 4 : 3)
        guard png_image_finish_read(&header, nil, image.samples, 0, nil) != 0,
            tl_png_has_failed(&header) == 0
        else { throw refusal(header, layout.isWhole) }
        if hasAlpha { image.layOnWhite() }
        return image
    }

    private static func refusal(_ header: png_image, _ isWhole: Bool) -> PictureRefusal {
        guard isWhole else { return PictureRefusal(.truncated, "the file ends before its image does") }
        let text = withUnsafeBytes(of: header.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return PictureRefusal(.truncated, "the image is damaged: \(text)")
    }
}
