import CPNG

/// PNG by libpng's simple interface, which never jumps out of a call.
enum PNGDecoder {
    /// What is transparent is white: a gallery's photos lie on paper.
    static func image(
        _ bytes: UnsafeRawBufferPointer, isWhole: Bool, limits: PictureLimits
    ) throws(PictureRefusal) -> ColourImage {
        var header = png_image()
        tl_png_begin(&header)
        defer { png_image_free(&header) }
        guard png_image_begin_read_from_memory(&header, bytes.baseAddress, bytes.count) != 0 else {
            throw refusal(header, isWhole)
        }
        let (width, height) = (Int(header.width), Int(header.height))
        try limits.require(width: width, height: height)
        guard isWhole else { throw refusal(header, isWhole) }
        tl_png_as_rgb(&header)
        let image = ColourImage(width: width, height: height, channels: 3)
        var white = png_color(red: 255, green: 255, blue: 255)
        guard png_image_finish_read(&header, &white, image.samples, 0, nil) != 0,
            tl_png_has_failed(&header) == 0
        else { throw refusal(header, isWhole) }
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
