/// One component of a picture, a byte for each sample, row by row.
final class Plane {
    let width: Int
    let height: Int
    /// From one row to the next; there may be room behind each.
    let stride: Int
    private let rows: Int
    let samples: UnsafeMutablePointer<UInt8>
    /// Behind the last row: rows are read eight samples at a time, the last ones, too.
    private static let runOut = 7

    /// There is room for an even number of samples in both directions, as libjpeg wants it of what it encodes, and for
    /// more where another library wants that.
    init(width: Int, height: Int, stride: Int = 0, rows: Int = 0) {
        precondition(width > 0 && height > 0, "a plane has samples")
        self.width = width
        self.height = height
        self.stride = max(stride, (width + 1) & ~1)
        self.rows = max(rows, (height + 1) & ~1)
        let count = self.stride * self.rows
        samples = .allocate(capacity: count + Self.runOut)
        (samples + count).initialize(repeating: 0, count: Self.runOut)
    }

    deinit {
        samples.deallocate()
    }

    func row(_ number: Int) -> UnsafeMutablePointer<UInt8> { samples + number * stride }

    /// Each sample by a table.
    func map(_ table: [UInt8]) {
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width { row[x] = table[Int(row[x])] }
        }
    }

    /// Fills the room behind the edges with what is at them.
    func fillRoom() {
        for y in 0..<height {
            let row = row(y)
            for x in width..<max(width, stride) { row[x] = row[width - 1] }
        }
        for y in height..<max(height, rows) { row(y).update(from: row(height - 1), count: stride) }
    }
}

/// A picture as its brightness and perhaps two planes of colour, which may be coarser.
struct Planes {
    let width: Int
    let height: Int
    let luma: Plane
    let colour: Colour?
    /// How many samples the picture really covers: when a decoder makes it smaller, a part of the last one may lie
    /// beyond the edge.
    var covered: (width: Double, height: Double)

    init(
        width: Int, height: Int, luma: Plane, colour: Colour?,
        covered: (width: Double, height: Double)? = nil
    ) {
        self.width = width
        self.height = height
        self.luma = luma
        self.colour = colour
        self.covered = covered ?? (Double(width), Double(height))
    }

    struct Colour {
        let blue: Plane
        let red: Plane
        /// As many samples of brightness as one of these covers.
        let across: Int
        let down: Int
    }

    /// The planes in the order of libjpeg.
    var all: [Plane] { [luma] + (colour.map { [$0.blue, $0.red] } ?? []) }
}
