import CPNG

/// PNG by libpng, whose rows are taken as they are stored: what their samples mean is judged here.
enum PNGDecoder {
    struct Decoded {
        let image: ColourImage
        /// How the image's samples become those of sRGB.
        let plan: ColourPlan
    }

    /// What is transparent is white, since a gallery's photos lie on paper, where it is not to stay as it is.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ layout: PNGLayout, limits: PictureLimits,
        keepsTransparency: Bool = false
    ) throws(PictureRefusal) -> Decoded {
        if let size = layout.size { try limits.require(width: size.width, height: size.height) }
        guard let reader = tl_png_open(bytes.baseAddress, bytes.count) else {
            preconditionFailure("libpng has no memory for a reader")
        }
        defer { tl_png_close(reader) }
        guard tl_png_read_header(reader) == 0 else { throw refusal(reader, layout.isWhole) }
        let (width, height) = (Int(tl_png_width(reader)), Int(tl_png_height(reader)))
        try limits.require(width: width, height: height)
        guard layout.isWhole else { throw refusal(reader, layout.isWhole) }
        var plan = ColourPlan(
            PNGColour.claims(layout), of: tl_png_is_grey(reader) != 0 ? .grey : .colours)
        // An image that comes in passes is read into its place, where there is a byte for each sample.
        let isDeep = tl_png_depth(reader) == 16 && tl_png_is_interlaced(reader) == 0
        let shortening = plan.shortened(bits: isDeep ? 16 : 8)
        let passes = tl_png_begin(reader, isDeep && shortening != nil ? 1 : 0)
        guard passes > 0 else { throw refusal(reader, layout.isWhole) }
        let image = ColourImage(width: width, height: height, channels: Int(tl_png_channels(reader)))
        precondition(image.channels == 3 || image.channels == 4, "libpng makes colours of everything")
        let isRead =
            if isDeep, let shortening { read(reader, into: image, by: shortening) } else {
                read(reader, into: image, passes: Int(passes))
            }
        guard isRead else { throw refusal(reader, layout.isWhole) }
        if !isDeep, let shortening { image.shorten(by: shortening) }
        if image.channels == 4, !keepsTransparency { image.layOnWhite() }
        return Decoded(image: image, plan: plan)
    }

    private static func read(
        _ reader: UnsafeMutablePointer<tl_png>, into image: ColourImage, passes: Int
    ) -> Bool {
        for _ in 0..<passes {
            for y in 0..<image.height where tl_png_read_row(reader, image.row(y)) != 0 { return false }
        }
        return true
    }

    private static func read(
        _ reader: UnsafeMutablePointer<tl_png>, into image: ColourImage, by shortening: SampleConversion
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: image.width * image.channels) { deep in
            guard let row = deep.baseAddress else { return image.width == 0 }
            for y in 0..<image.height {
                guard tl_png_read_row(reader, row) == 0 else { return false }
                shortening.shorten(row, to: image.row(y), pixels: image.width, channels: image.channels)
            }
            return true
        }
    }

    private static func refusal(_ reader: UnsafePointer<tl_png>, _ isWhole: Bool) -> PictureRefusal {
        guard isWhole else { return PictureRefusal(.truncated, "the file ends before its image does") }
        return PictureRefusal(.truncated, "the image is damaged: \(String(cString: tl_png_message(reader)))")
    }
}
