/// Makes bytes of samples where it is not enough to look at each by itself, or to cut off what is more than eight bits.
struct SampleConversion {
    enum Way {
        /// By a table for each sample: bytes of sRGB's curve, which eight bits are enough for.
        case table([UInt8])
        /// All three together, also into bytes of sRGB's curve.
        case hybridLogGamma(HybridLogGamma)
        /// By Little CMS, into sRGB itself, of samples of 16 bits.
        case profile(ColourTransform)
    }

    let way: Way

    /// Of so many pixels. A fourth channel says how much of the others is there: that is no colour, and only becomes
    /// shorter. The target may be the source.
    func shorten<Sample: FixedWidthInteger & UnsignedInteger>(
        _ source: UnsafePointer<Sample>, to target: UnsafeMutablePointer<UInt8>, pixels: Int, channels: Int
    ) {
        precondition(
            channels == 3 || channels == 4, "there are three colours, and perhaps how much of them is there")
        switch way {
        case .table(let table):
            for index in 0..<(pixels * channels) where index % channels < 3 {
                target[index] = table[min(Int(source[index]), table.count - 1)]
            }
        case .hybridLogGamma(let curve):
            for start in stride(from: 0, to: pixels * channels, by: channels) {
                let light = curve.bytes(Int(source[start]), Int(source[start + 1]), Int(source[start + 2]))
                (target[start], target[start + 1], target[start + 2]) = light
            }
        case .profile(let transform): convert(source, to: target, pixels, channels, by: transform)
        }
        guard channels == 4 else { return }
        for index in stride(from: 3, to: pixels * 4, by: 4) {
            target[index] = UInt8(source[index] >> (Sample.bitWidth - 8))
        }
    }

    private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
        _ source: UnsafePointer<Sample>, to target: UnsafeMutablePointer<UInt8>, _ pixels: Int,
        _ channels: Int,
        by transform: ColourTransform
    ) {
        precondition(Sample.bitWidth == 16, "what is converted here has 16 bits")
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 3 * pixels) { colours in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * pixels) { converted in
                guard let deep = colours.baseAddress, let bytes = converted.baseAddress else { return }
                for index in 0..<(3 * pixels) {
                    deep[index] = UInt16(source[index / 3 * channels + index % 3])
                }
                transform.convert(deep, to: bytes, count: pixels)
                for index in 0..<(3 * pixels) { target[index / 3 * channels + index % 3] = bytes[index] }
            }
        }
    }
}
