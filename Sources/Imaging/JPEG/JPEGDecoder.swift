import CTurboJPEG

/// A JPEG whose header has been believed, within limits.
struct JPEGDecoder: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let layout: JPEGLayout
    private let handle: tjhandle
    let width: Int
    let height: Int
    private let sampling: Int32
    private let space: Int32

    /// More scans than any encoder makes are a way to keep a decoder busy (libjpeg-turbo stops at 500), and what it
    /// has to guess at must not pass.
    private static let flags = TJFLAG_LIMITSCANS

    init(_ bytes: UnsafeRawBufferPointer, _ layout: JPEGLayout, limits: PictureLimits) throws(PictureRefusal)
    {
        guard let handle = tjInitDecompress() else {
            preconditionFailure("libjpeg-turbo has no memory for a decoder")
        }
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let result = tjDecompressHeader3(
            handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt(bytes.count), &width, &height,
            &sampling, &space)
        if result != 0, let frame = layout.frame, Self.hasOddSampling(handle) {
            // It can be decoded all the same, though not as planes.
            (width, height, sampling) = (Int32(frame.width), Int32(frame.height), -1)
            space = Int32((frame.components == 4 ? TJCS_CMYK : TJCS_RGB).rawValue)
        } else if result != 0, tjGetErrorCode(handle) != TJERR_WARNING.rawValue {
            (width, height) = (0, 0)
        }
        guard width > 0, height > 0 else {
            let text = String(cString: tjGetErrorStr2(handle))
            tjDestroy(handle)
            throw layout.isWhole
                ? PictureRefusal(.unsupported, "this kind of JPEG cannot be decoded here: \(text)")
                : PictureRefusal(.truncated, "the file ends before its image begins: \(text)")
        }
        do throws(PictureRefusal) {
            try limits.require(width: Int(width), height: Int(height))
        } catch {
            tjDestroy(handle)
            throw error
        }
        self.bytes = bytes
        self.layout = layout
        self.handle = handle
        self.width = Int(width)
        self.height = Int(height)
        self.sampling = sampling
        self.space = space
    }

    deinit {
        tjDestroy(handle)
    }

    private static func hasOddSampling(_ handle: tjhandle) -> Bool {
        String(cString: tjGetErrorStr2(handle)).contains("subsampling")
    }

    /// What its samples are of.
    var samples: ColourPlan.Samples {
        if hasInks { return layout.isAdobe ? .oppositeInks : .inks }
        return space == TJCS_GRAY.rawValue ? .grey : .colours
    }

    private var hasInks: Bool { space == TJCS_CMYK.rawValue || space == TJCS_YCCK.rawValue }

    /// The whole image, its long edge not shorter than `edge` where it has so many samples: making it smaller while
    /// its frequencies are turned into samples leaves out most of the work. Its colours are converted where it is small.
    func planes(edge: Int, by transform: ColourTransform?) throws(PictureRefusal) -> Planes {
        let factor = factor(for: edge)
        func scaled(_ side: Int) -> Int { (side * factor.num + factor.denom - 1) / factor.denom }
        func covered(_ side: Int) -> Double { Double(side * factor.num) / Double(factor.denom) }
        let size = (width: scaled(width), height: scaled(height))
        let isGrey = space == TJCS_GRAY.rawValue
        let isPlain = isGrey || space == TJCS_YCbCr.rawValue && transform == nil
        var planes = isPlain ? try decodePlanes(size) : try decodeColours(size, by: transform)
        if isGrey, let transform { planes.luma.map(transform.table()) }
        planes.covered = (covered(width), covered(height))
        return planes
    }

    private func factor(for edge: Int) -> (num: Int, denom: Int) {
        var count: Int32 = 0
        let factors = UnsafeBufferPointer(start: tjGetScalingFactors(&count), count: Int(count))
        var best = (num: 1, denom: 1)
        for factor in factors where factor.num < factor.denom {
            let (num, denom) = (Int(factor.num), Int(factor.denom))
            if max(width, height) * num >= edge * denom, num * best.denom < best.num * denom {
                best = (num, denom)
            }
        }
        return best
    }

    private func decodePlanes(_ size: (width: Int, height: Int)) throws(PictureRefusal) -> Planes {
        let components = sampling == TJSAMP_GRAY.rawValue ? 1 : 3
        let planes = Plane.room(for: size, components: components, sampling: sampling)
        var pointers: [UnsafeMutablePointer<UInt8>?] = planes.map(\.samples)
        var strides = planes.map { Int32($0.stride) }
        let result = tjDecompressToYUVPlanes(
            handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt(bytes.count), &pointers,
            Int32(size.width), &strides, Int32(size.height), Self.flags)
        try judge(result)
        guard components == 3 else {
            return Planes(width: size.width, height: size.height, luma: planes[0], colour: nil)
        }
        let block = Self.blocks[Int(sampling)]
        return Planes(
            width: size.width, height: size.height, luma: planes[0],
            colour: Planes.Colour(blue: planes[1], red: planes[2], across: block.0, down: block.1))
    }

    /// Samples of brightness that one of colour covers, by TJSAMP: 4:4:4, 4:2:2, 4:2:0, grey, 4:4:0, 4:1:1.
    private static let blocks = [(1, 1), (2, 1), (2, 2), (1, 1), (1, 2), (4, 1)]

    /// By way of inks, or of red, green and blue.
    private func decodeColours(
        _ size: (width: Int, height: Int), by transform: ColourTransform?
    ) throws(PictureRefusal) -> Planes {
        let image = ColourImage(width: size.width, height: size.height, channels: hasInks ? 4 : 3)
        let result = tjDecompress2(
            handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt(bytes.count), image.samples,
            Int32(size.width), 0, Int32(size.height), hasInks ? TJPF_CMYK.rawValue : TJPF_RGB.rawValue,
            Self.flags)
        try judge(result)
        if let transform { return image.converted(by: transform).planes() }
        return (hasInks ? image.printed(isOpposite: layout.isAdobe) : image).planes()
    }

    /// libjpeg goes on with grey where bytes are missing and calls that a warning. Which of its warnings came first is
    /// all it says; those that do not touch the image are let through, as cameras give cause for them.
    private func judge(_ result: Int32) throws(PictureRefusal) {
        let text = String(cString: tjGetErrorStr2(handle))
        if result != 0, tjGetErrorCode(handle) != TJERR_WARNING.rawValue {
            throw PictureRefusal(.unsupported, "this JPEG cannot be decoded: \(text)")
        }
        guard layout.isWhole else {
            throw PictureRefusal(.truncated, "the file ends before its image does")
        }
        if result != 0, Self.damages.contains(where: { text.contains($0) }) {
            throw PictureRefusal(.truncated, "the image is damaged: \(text)")
        }
    }

    private static let damages = [
        "premature end", "Premature end", "bad Huffman code", "bad arithmetic code",
    ]
}

extension Plane {
    /// Room for the planes of a picture as libjpeg-turbo fills it: "padded to the nearest multiple" of what one sample
    /// of colour covers.
    static func room(
        for size: (width: Int, height: Int), components: Int, sampling: Int32
    ) -> [Plane] {
        (0..<components).map { component in
            let stride = Int(tjPlaneWidth(Int32(component), Int32(size.width), sampling))
            let rows = Int(tjPlaneHeight(Int32(component), Int32(size.height), sampling))
            let isLuma = component == 0
            return Plane(
                width: isLuma ? size.width : stride, height: isLuma ? size.height : rows, stride: stride,
                rows: rows)
        }
    }
}

extension PictureLimits {
    func require(width: Int, height: Int) throws(PictureRefusal) {
        guard width <= side, height <= side else {
            throw PictureRefusal(
                .tooLarge,
                "the image has \(width) × \(height) pixels, and a side of more than \(side) is not looked at")
        }
        guard width * height <= pixels else {
            throw PictureRefusal(
                .tooLarge,
                "the image has \(width) × \(height) pixels, and more than \(pixels) are not looked at")
        }
    }
}
