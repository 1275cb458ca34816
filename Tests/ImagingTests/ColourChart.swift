import TestSupport

/// Even patches of known colours, large enough that neither a JPEG's blocks nor its coarse colours are what is measured.
struct ColourChart {
    /// From 0 to 1: of red, green and blue, of one grey, or of four inks.
    let patches: [[Double]]

    private static let columns = 12
    private static let side = 32

    init(_ patches: [[Double]]) { self.patches = patches }

    /// Colours from all over sRGB and its greys, as samples of a space that has them all.
    init(in space: RGBSpace) {
        let levels = [20.0, 90, 160, 235]
        let colours = levels.flatMap { red in
            levels.flatMap { green in levels.map { blue in [red, green, blue] } }
        }
        let greys = [8.0, 16, 32, 64, 128, 192, 224, 255].map { [$0, $0, $0] }
        let samples = (colours + greys).map { RGBSpace.sRGB.converted($0.map { $0 / 255 }, to: space) }
        patches = samples.filter { $0.allSatisfy { (-0.0001...1.0001).contains($0) } }.map {
            $0.map { min(max($0, 0), 1) }
        }
    }

    var width: Int { Self.columns * Self.side }
    var height: Int { (patches.count + Self.columns - 1) / Self.columns * Self.side }

    /// All samples from the left to the right and from the top down, of 8 bits or of 16.
    func samples(depth: Int = 8) -> [UInt8] {
        let most = depth == 8 ? 255.0 : 65535
        let pixels = patches.map { patch in
            patch.flatMap { sample -> [UInt8] in
                let value = UInt16((sample * most).rounded())
                return depth == 8 ? [UInt8(value)] : ICCBytes.short(value)
            }
        }
        return (0..<height).flatMap { y in
            (0..<width).flatMap { x in
                pixels[min(y / Self.side * Self.columns + x / Self.side, pixels.count - 1)]
            }
        }
    }

    /// What a file of 8 bits for each sample really says.
    var rounded: ColourChart { ColourChart(patches.map { $0.map { ($0 * 255).rounded() / 255 } }) }

    /// A picture in the simplest format of all, which every program reads.
    func portable(depth: Int = 8) -> [UInt8] {
        let kind = patches[0].count == 1 ? "P5" : "P6"
        return Array("\(kind)\n\(width) \(height)\n\(depth == 8 ? 255 : 65535)\n".utf8)
            + samples(depth: depth)
    }

    /// The mean of each patch, without its edges, in such a picture of 8 bits.
    func read(_ portable: [UInt8]) throws -> [[Double]] {
        let words = portable.prefix(32).split(maxSplits: 4, whereSeparator: { $0 == 10 || $0 == 32 })
        let numbers = words.prefix(4).map { String(decoding: $0, as: UTF8.self) }
        guard numbers.count == 4, numbers[1] == "\(width)", numbers[2] == "\(height)", numbers[3] == "255"
        else {
            throw Studio.Failure(description: "no picture of this chart: \(numbers)")
        }
        let channels = numbers[0] == "P5" ? 1 : 3
        let start = portable.count - width * height * channels
        return patches.indices.map { index in
            let (left, top) = (index % Self.columns * Self.side, index / Self.columns * Self.side)
            var sums = [0.0, 0, 0]
            let inner = 8..<(Self.side - 8)
            for y in inner {
                for x in inner {
                    for channel in 0..<3 {
                        let place =
                            start + ((top + y) * width + left + x) * channels + min(channel, channels - 1)
                        sums[channel] += Double(portable[place])
                    }
                }
            }
            return sums.map { $0 / Double(inner.count * inner.count) / 255 }
        }
    }
}

extension Studio {
    /// The chart as a JPEG, with all the colour that JPEG can have.
    func jpeg(_ chart: ColourChart, profile: [UInt8]? = nil) throws -> String {
        try folder.write(chart.portable(), to: "chart.ppm")
        var words = ["-quality", "98", "-sample", "1x1", "-outfile", folder.file("chart.jpg")]
        if let profile {
            try folder.write(profile, to: "chart.icc")
            words += ["-icc", folder.file("chart.icc")]
        }
        try run("cjpeg", words + [folder.file("chart.ppm")])
        return folder.file("chart.jpg")
    }

    /// What the patches of a JPEG look like.
    func colours(of path: String, _ chart: ColourChart) throws -> [[Double]] {
        guard let djpeg = Tool("djpeg") else { throw Failure(description: "djpeg is not installed") }
        return try chart.read(djpeg.run([path]).output)
    }

    /// The colours of a rendition as a viewer that ignores profiles shows them, beside what they ought to be.
    func judge(_ chart: ColourChart, against truth: [[Double]]) throws -> ColourVerdict {
        let seen = try colours(of: screen, chart)
        let pairs = zip(seen, truth).filter { $0.1.allSatisfy { (-0.002...1.002).contains($0) } }
        return ColourVerdict(pairs.map { ColourDifference.between($0.0, $0.1) })
    }
}

/// Differences of many patches.
struct ColourVerdict: CustomStringConvertible {
    private let sorted: [Double]

    init(_ differences: [Double]) { sorted = differences.sorted() }

    var median: Double { sorted[sorted.count / 2] }
    var nearlyWorst: Double { sorted[min(sorted.count - 1, sorted.count * 99 / 100)] }
    /// What two people who look at both would not argue about.
    var isRight: Bool { sorted.count >= 20 && median <= 2 && nearlyWorst <= 5 }

    var description: String { "\(sorted.count) patches, median \(median), 99th percentile \(nearlyWorst)" }
}
