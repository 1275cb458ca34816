/// What stands for a picture until that has come: four by four of its colours, which a browser draws as a blur.
package struct Placeholder: Equatable, Sendable {
    package static let edge = 4
    package static let size = edge * edge * 3

    /// Blue, green and red of each pixel, from the bottom row up: so a Windows bitmap has them behind its head.
    package let pixels: [UInt8]

    /// Nothing of another number of bytes.
    package init?(_ pixels: [UInt8]) {
        guard pixels.count == Self.size else { return nil }
        self.pixels = pixels
    }

    init(_ planes: Planes) {
        let luma = Self.small(planes.luma, planes, across: 1, down: 1)
        let colour = planes.colour.map { colour in
            (
                blue: Self.small(colour.blue, planes, across: colour.across, down: colour.down),
                red: Self.small(colour.red, planes, across: colour.across, down: colour.down)
            )
        }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(Self.size)
        for y in (0..<Self.edge).reversed() {
            for x in 0..<Self.edge {
                let bright = Double(luma.row(y)[x])
                let blue = colour.map { Double($0.blue.row(y)[x]) - 128 } ?? 0
                let red = colour.map { Double($0.red.row(y)[x]) - 128 } ?? 0
                // As JFIF has it (ITU-T T.871, 7).
                pixels.append(Self.byte(bright + 1.772 * blue))
                pixels.append(Self.byte(bright - (0.114 * 1.772 * blue + 0.299 * 1.402 * red) / 0.587))
                pixels.append(Self.byte(bright + 1.402 * red))
            }
        }
        self.pixels = pixels
    }

    private static func small(_ plane: Plane, _ planes: Planes, across: Int, down: Int) -> Plane {
        plane.resampled(
            (edge, edge), across: planes.covered.width / Double(edge * across),
            down: planes.covered.height / Double(edge * down))
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
}
