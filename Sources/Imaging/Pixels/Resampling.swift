/// Where the samples of one direction of a smaller picture come from, and with what weights.
///
/// The cubic of Catmull and Rom, as wide as a new sample is: sharp, and without the moiré that leaving samples out
/// would make.
struct Resampling {
    /// Of the same number for each new sample.
    let taps: Int
    private(set) var starts: [Int] = []
    /// In 1/16384, `taps` for each new sample.
    private(set) var weights: [Int16] = []

    static let one: Int32 = 16384

    /// `scale` old samples make a new one. It is given because a coarser plane covers a little more than its picture,
    /// which ends at `end`, in new samples.
    init(from old: Int, to new: Int, scale: Double, end: Double) {
        // Where it grows, as a coarse plane may, it is as wide as an old sample.
        let stretch = max(scale, 1)
        let reach = 2 * stretch
        taps = min(old, Int((2 * reach).rounded(.up)) + 1)
        starts.reserveCapacity(new)
        weights.reserveCapacity(new * taps)
        for index in 0..<new {
            let centre = (Double(index) + min(Double(index + 1), end)) / 2 * scale - 0.5
            let first = Int((centre - reach).rounded(.up))
            let last = Int((centre + reach).rounded(.down))
            let start = min(max(first, 0), old - taps)
            var row = [Double](repeating: 0, count: taps)
            for sample in first...last {
                // Beyond the edge lies the edge again.
                let place = min(max(sample, 0), old - 1) - start
                row[min(max(place, 0), taps - 1)] += Self.cubic((Double(sample) - centre) / stretch)
            }
            starts.append(start)
            weights += Self.rounded(row)
        }
    }

    private static func cubic(_ distance: Double) -> Double {
        let x = abs(distance)
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }

    /// Their sum is exactly one, so that an even surface stays as it is.
    private static func rounded(_ row: [Double]) -> [Int16] {
        let sum = row.reduce(0, +)
        var weights = row.map { Int16(($0 / sum * Double(one)).rounded()) }
        let missing = Int16(one - weights.reduce(0) { $0 + Int32($1) })
        if let largest = weights.indices.max(by: { weights[$0] < weights[$1] }) {
            weights[largest] += missing
        }
        return weights
    }
}

extension Plane {
    /// A new plane; `across` and `down` old samples make a new one. A new sample covers
    /// `share` samples of the picture in both directions.
    func resampled(
        _ size: (width: Int, height: Int), across: Double, down: Double, share: Int = 1
    ) -> Plane {
        let newWidth = (size.width + share - 1) / share
        let newHeight = (size.height + share - 1) / share
        let rows = Resampling(
            from: height, to: newHeight, scale: down, end: Double(size.height) / Double(share))
        let columns = Resampling(
            from: width, to: newWidth, scale: across, end: Double(size.width) / Double(share))
        let result = Plane(width: newWidth, height: newHeight)
        let lanes = Eight.scalarCount
        let room = (width + lanes - 1) / lanes * lanes
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: room * lanes) { lines in
            withUnsafeTemporaryAllocation(of: Eight.self, capacity: room) { block in
                guard let lines = lines.baseAddress, let block = block.baseAddress else { return }
                lines.initialize(repeating: 0, count: room * lanes)
                for top in Swift.stride(from: 0, to: newHeight, by: lanes) {
                    let count = min(lanes, newHeight - top)
                    for lane in 0..<count { blend(rows, top + lane, into: lines + lane * room) }
                    for x in Swift.stride(from: 0, to: room, by: lanes) {
                        Eight.transpose(lines + x, stride: room, into: block + x)
                    }
                    columns.apply(block, to: result, top: top, count: count)
                }
            }
        }
        return result
    }

    /// One row between rows, in 1/32 of a sample, and what is behind it up to a whole number of eights.
    private func blend(_ rows: Resampling, _ y: Int, into line: UnsafeMutablePointer<Int16>) {
        rows.weights.withUnsafeBufferPointer { weights in
            guard let weight = weights.baseAddress.map({ $0 + y * rows.taps }) else { return }
            let first = UnsafeRawPointer(row(rows.starts[y]))
            for x in Swift.stride(from: 0, to: width, by: Eight.scalarCount) {
                // Each product is rounded down; this is what that takes away.
                var sum = Eight(repeating: Int16(rows.taps / 2))
                var source = first + x
                for tap in 0..<rows.taps {
                    let samples = Eight(truncatingIfNeeded: source.loadUnaligned(as: SIMD8<UInt8>.self)) &<< 7
                    let product =
                        SIMD8<Int32>(truncatingIfNeeded: samples)
                        &* SIMD8<Int32>(truncatingIfNeeded: Eight(repeating: weight[tap]))
                    sum &+= Eight(truncatingIfNeeded: product &>> 16)
                    source += stride
                }
                UnsafeMutableRawPointer(line + x).storeBytes(of: sum, as: Eight.self)
            }
        }
    }
}

/// A column of eight rows, in 1/32 of a sample: what is done to one row is done to eight.
private typealias Eight = SIMD8<Int16>

extension Eight {
    /// Eight rows of eight into eight columns: after each of three rounds, what was four rows apart is side by side.
    fileprivate static func transpose(
        _ first: UnsafePointer<Int16>, stride: Int, into block: UnsafeMutablePointer<Eight>
    ) {
        func row(_ number: Int) -> Eight {
            UnsafeRawPointer(first + number * stride).loadUnaligned(as: Eight.self)
        }
        var rows = (row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7))
        for _ in 0..<3 {
            let (zero, one) = zipped(rows.0, rows.4)
            let (two, three) = zipped(rows.1, rows.5)
            let (four, five) = zipped(rows.2, rows.6)
            let (six, seven) = zipped(rows.3, rows.7)
            rows = (zero, one, two, three, four, five, six, seven)
        }
        block[0] = rows.0
        block[1] = rows.1
        block[2] = rows.2
        block[3] = rows.3
        block[4] = rows.4
        block[5] = rows.5
        block[6] = rows.6
        block[7] = rows.7
    }

    /// One of the first, one of the second, and so on.
    private static func zipped(_ first: Eight, _ second: Eight) -> (Eight, Eight) {
        var both = SIMD16<Int16>()
        both.evenHalf = first
        both.oddHalf = second
        return (both.lowHalf, both.highHalf)
    }
}

extension Resampling {
    fileprivate func apply(_ block: UnsafePointer<Eight>, to plane: Plane, top: Int, count: Int) {
        let half = SIMD8<Int32>(repeating: 1 << 18)
        weights.withUnsafeBufferPointer { weights in
            starts.withUnsafeBufferPointer { starts in
                guard var weight = weights.baseAddress else { return }
                for x in 0..<starts.count {
                    let source = block + starts[x]
                    var sum = half
                    for tap in 0..<taps {
                        sum &+=
                            SIMD8<Int32>(truncatingIfNeeded: source[tap])
                            &* SIMD8<Int32>(repeating: Int32(weight[tap]))
                    }
                    weight += taps
                    let samples = (sum &>> 19).clamped(
                        lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: 255))
                    var target = plane.row(top) + x
                    for lane in 0..<count {
                        target.pointee = UInt8(truncatingIfNeeded: samples[lane])
                        target += plane.stride
                    }
                }
            }
        }
    }
}
