import CHEIF

/// HEIF by libheif, which turns images upright by itself.
struct HEIFDecoder {
    private let heif: cheif_library

    private init() throws(PictureRefusal) {
        guard let library = cheif_library() else {
            let reason = String(cString: cheif_problem())
            throw PictureRefusal(
                .unsupported,
                "libheif cannot be loaded on this machine (\(reason)); on Debian its package is libheif1")
        }
        heif = library.pointee
    }

    struct Decoded {
        let image: ColourImage
        let exif: ExifFacts
        /// How the image's samples become those of sRGB.
        let plan: ColourPlan
    }

    /// More than any camera writes.
    private static let mostMetadata = 1 << 20

    static func decode(
        _ bytes: UnsafeRawBufferPointer, limits: PictureLimits
    ) throws(PictureRefusal) -> Decoded {
        try HEIFDecoder().decoded(bytes, limits)
    }

    private func decoded(
        _ bytes: UnsafeRawBufferPointer, _ limits: PictureLimits
    ) throws(PictureRefusal) -> Decoded {
        let boxes = BoxReader(bytes)
        guard boxes.isWhole, boxes.all.contains(where: { $0.name == "meta" }) else {
            throw PictureRefusal(.truncated, "the file ends before its last box does")
        }
        guard let context = heif.heif_context_alloc() else {
            preconditionFailure("libheif has no memory for a file")
        }
        defer { heif.heif_context_free(context) }
        // Another renderer has the other processor.
        heif.heif_context_set_max_decoding_threads(context, 0)
        try check(
            heif.heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
        var handle: OpaquePointer?
        try check(heif.heif_context_get_primary_image_handle(context, &handle))
        defer { heif.heif_image_handle_release(handle) }
        let width = Int(heif.heif_image_handle_get_width(handle))
        let height = Int(heif.heif_image_handle_get_height(handle))
        guard width > 0, height > 0 else { throw PictureRefusal(.notAnImage, "the image has no size") }
        try limits.require(width: width, height: height)
        let claims = HEIFColour(heif: heif).claims(of: handle)
        var samples = ColourPlan.Samples.colours
        if claims.contains(where: \.isOfGreys), try isMonochrome(handle) { samples = .grey }
        var plan = ColourPlan(claims, of: samples)
        let bits = Int(heif.heif_image_handle_get_luma_bits_per_pixel(handle))
        let isDeep = (9...16).contains(bits)
        let shortening = plan.shortened(bits: isDeep ? bits : 8)
        return Decoded(
            image: try pixels(of: handle, isDeep: isDeep, by: shortening, limits), exif: try exif(of: handle),
            plan: plan)
    }

    /// Whether it has no colours, for which it has to be decoded as it is.
    private func isMonochrome(_ handle: OpaquePointer?) throws(PictureRefusal) -> Bool {
        let decoded = try decode(handle, heif_colorspace_undefined, heif_chroma_undefined)
        defer { heif.heif_image_release(decoded) }
        return heif.heif_image_get_colorspace(decoded) == heif_colorspace_monochrome
    }

    /// Of eight bits each; those that have more are cut off, or shortened where they have to be.
    private func pixels(
        of handle: OpaquePointer?, isDeep: Bool, by shortening: SampleConversion?, _ limits: PictureLimits
    ) throws(PictureRefusal) -> ColourImage {
        let isDeep = isDeep && shortening != nil
        let decoded = try decode(
            handle, heif_colorspace_RGB, isDeep ? Self.deepColours : heif_chroma_interleaved_RGB)
        defer { heif.heif_image_release(decoded) }
        var stride: Int32 = 0
        let width = Int(heif.heif_image_get_width(decoded, heif_channel_interleaved))
        let height = Int(heif.heif_image_get_height(decoded, heif_channel_interleaved))
        let samples = heif.heif_image_get_plane_readonly(decoded, heif_channel_interleaved, &stride)
        let count = 3 * width
        guard let samples, width > 0, height > 0, Int(stride) >= count * (isDeep ? 2 : 1) else {
            throw PictureRefusal(.unsupported, "this kind of HEIF cannot be decoded here")
        }
        try limits.require(width: width, height: height)
        let image = ColourImage(width: width, height: height, channels: 3)
        for y in 0..<height {
            let (source, target) = (samples + y * Int(stride), image.row(y))
            guard isDeep, let shortening else {
                target.update(from: source, count: count)
                continue
            }
            source.withMemoryRebound(to: UInt16.self, capacity: count) { source in
                shortening.shorten(source, to: target, pixels: width, channels: 3)
            }
        }
        if !isDeep, let shortening { image.shorten(by: shortening) }
        return image
    }

    /// In this machine's order.
    private static let deepColours =
        UInt16(1).littleEndian == 1 ? heif_chroma_interleaved_RRGGBB_LE : heif_chroma_interleaved_RRGGBB_BE

    private func decode(
        _ handle: OpaquePointer?, _ space: heif_colorspace, _ chroma: heif_chroma
    ) throws(PictureRefusal) -> OpaquePointer? {
        guard let options = heif.heif_decoding_options_alloc() else {
            preconditionFailure("libheif has no memory for its options")
        }
        defer { heif.heif_decoding_options_free(options) }
        // What is damaged is not to pass as grey.
        options.pointee.strict_decoding = 1
        var decoded: OpaquePointer?
        try check(heif.heif_decode_image(handle, &decoded, space, chroma, options))
        return decoded
    }

    private func exif(of handle: OpaquePointer?) throws(PictureRefusal) -> ExifFacts {
        var id: heif_item_id = 0
        guard heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, "Exif", &id, 1) == 1 else {
            return ExifFacts()
        }
        let size = heif.heif_image_handle_get_metadata_size(handle, id)
        guard size > 4, size <= Self.mostMetadata else { return ExifFacts() }
        var bytes = [UInt8](repeating: 0, count: size)
        try check(heif.heif_image_handle_get_metadata(handle, id, &bytes))
        // "They indicate the offset to the start of the TIFF header."
        let offset = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4
        guard offset < bytes.count else { return ExifFacts() }
        var facts = bytes.withUnsafeBytes { ExifFacts(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        // It has been turned already, by what the file itself says.
        facts.orientation = nil
        return facts
    }

    private func check(_ error: heif_error) throws(PictureRefusal) {
        if error.code == heif_error_Ok { return }
        let text = String(cString: error.message)
        switch error.code {
        case heif_error_Invalid_input where error.subcode == heif_suberror_End_of_data:
            throw PictureRefusal(.truncated, "the file ends before its image does")
        case heif_error_Decoder_plugin_error:
            throw PictureRefusal(.truncated, "the image is damaged: \(text)")
        default:
            throw PictureRefusal(.unsupported, "this HEIF cannot be decoded: \(text)")
        }
    }
}
