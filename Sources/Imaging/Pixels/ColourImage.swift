import CTurboJPEG

/// A picture as samples of red, green and blue, or of four inks, side by side.
final class ColourImage {
    let width: Int
    let height: Int
    private(set) var channels: Int
    let samples: UnsafeMutablePointer<UInt8>

    init(width: Int, height: Int, channels: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        samples = .allocate(capacity: width * height * channels)
    }

    deinit {
        samples.deallocate()
    }

    func row(_ number: Int) -> UnsafeMutablePointer<UInt8> { samples + number * width * channels }

    /// Its colours as those of sRGB.
    func converted(by transform: ColourTransform) -> ColourImage {
        switch transform.samples {
        case .grey:
            let table = transform.table()
            for index in 0..<(width * height * channels) { samples[index] = table[Int(samples[index])] }
            return self
        case .colours:
            precondition(channels == 3, "colours are red, green and blue")
            transform.convert(samples, to: samples, count: width * height)
            return self
        case .inks, .oppositeInks:
            precondition(channels == 4, "there are four inks")
            let result = ColourImage(width: width, height: height, channels: 3)
            transform.convert(samples, to: result.samples, count: width * height)
            return result
        }
    }

    /// In place, of samples that are bytes already.
    func shorten(by shortening: SampleConversion) {
        shortening.shorten(samples, to: samples, pixels: width * height, channels: channels)
    }

    /// Inks on white paper, without asking a profile what they look like. Adobe stores how much paper is left.
    func printed(isOpposite: Bool) -> ColourImage {
        let result = ColourImage(width: width, height: height, channels: 3)
        for pixel in 0..<(width * height) {
            let inks = samples + 4 * pixel
            let flip: UInt8 = isOpposite ? 0 : 255
            let black = UInt16(inks[3] ^ flip)
            for channel in 0..<3 {
                let light = UInt16(inks[channel] ^ flip) &* black
                result.samples[3 * pixel + channel] = UInt8((light &+ 127) / 255)
            }
        }
        return result
    }

    /// The fourth channel says how much of the others is there; where they are not, there is white. As browsers do it,
    /// with the samples as they are stored. In place: each pixel comes to lie before where it was.
    func layOnWhite() {
        precondition(channels == 4, "there is a channel that says how much is there")
        for pixel in 0..<(width * height) {
            let (source, target) = (samples + 4 * pixel, samples + 3 * pixel)
            let share = UInt32(source[3])
            for channel in 0..<3 {
                let sum = UInt32(source[channel]) &* share &+ 255 &* (255 &- share)
                target[channel] = UInt8((sum &+ 127) / 255)
            }
        }
        channels = 3
    }

    /// So many times smaller in both directions, each sample the mean of those it stands for. Samples that are left
    /// over at an edge are counted to the last.
    func shrunk(by factor: Int) -> ColourImage {
        guard factor > 1 else { return self }
        let result = ColourImage(
            width: max(1, width / factor), height: max(1, height / factor), channels: channels)
        let line = result.width * channels
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: line) { sums in
            for y in 0..<result.height {
                for index in 0..<line { sums[index] = 0 }
                let rows = (y * factor)..<(y == result.height - 1 ? height : (y + 1) * factor)
                for row in rows { add(row, factor, to: sums) }
                for x in 0..<result.width {
                    let columns = x == result.width - 1 ? width - x * factor : factor
                    let count = UInt32(columns * rows.count)
                    for channel in 0..<channels {
                        let index = x * channels + channel
                        result.samples[y * line + index] = UInt8((sums[index] + count / 2) / count)
                    }
                }
            }
        }
        return result
    }

    private func add(_ row: Int, _ factor: Int, to sums: UnsafeMutableBufferPointer<UInt32>) {
        let source = samples + row * width * channels
        let last = sums.count / channels - 1
        for x in 0..<width {
            let target = min(x / factor, last) * channels
            for channel in 0..<channels {
                sums[target + channel] &+= UInt32(source[x * channels + channel])
            }
        }
    }

    /// Brightness and colour, as JPEG stores them.
    func planes() -> Planes {
        precondition(channels == 3, "only red, green and blue are turned into brightness and colour")
        guard let handle = tjInitCompress() else {
            preconditionFailure("libjpeg-turbo has no memory for an encoder")
        }
        defer { tjDestroy(handle) }
        let sampling = Int32(TJSAMP_420.rawValue)
        let planes = Plane.room(for: (width, height), components: 3, sampling: sampling)
        var pointers: [UnsafeMutablePointer<UInt8>?] = planes.map(\.samples)
        var strides = planes.map { Int32($0.stride) }
        let result = tjEncodeYUVPlanes(
            handle, samples, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &pointers, &strides,
            sampling, 0)
        precondition(result == 0, "libjpeg-turbo turns any pixels into planes")
        return Planes(
            width: width, height: height, luma: planes[0],
            colour: Planes.Colour(blue: planes[1], red: planes[2], across: 2, down: 2))
    }
}
