/// One component of a picture, a byte for each sample, row by row.
final class Plane {
    let width: Int
    let height: Int
    /// From one row to the next; there may be room behind each.
    let stride: Int
    private let rows: Int
    let samples: UnsafeMutablePointer<UInt8>

    /// There is room for an even number of samples in both directions, as libjpeg wants it.
    convenience init(width: Int, height: Int) {
        self.init(width: width, height: height, stride: (width + 1) & ~1, rows: (height + 1) & ~1)
    }

    /// With as much room as somebody else wants.
    init(width: Int, height: Int, stride: Int, rows: Int) {
        precondition(width > 0 && height > 0, "a plane has samples")
        precondition(stride >= width && rows >= height, "there is room for all samples")
        self.width = width
        self.height = height
        self.stride = stride
        self.rows = rows
        samples = .allocate(capacity: stride * rows)
    }

    deinit {
        samples.deallocate()
    }

    func row(_ number: Int) -> UnsafeMutablePointer<UInt8> { samples + number * stride }

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
