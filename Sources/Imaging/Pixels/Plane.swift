/// One component of a picture, a byte for each sample, row by row without gaps.
final class Plane {
    let width: Int
    let height: Int
    let samples: UnsafeMutablePointer<UInt8>

    init(width: Int, height: Int) {
        precondition(width > 0 && height > 0, "a plane has samples")
        self.width = width
        self.height = height
        samples = .allocate(capacity: width * height)
    }

    deinit {
        samples.deallocate()
    }

    func row(_ number: Int) -> UnsafeMutablePointer<UInt8> { samples + number * width }
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
