/// How a picture lies in its file ("Orientation", Exif 2.32 §4.6.4): what the first row and the first column really are.
package enum Orientation: Int, Sendable, CaseIterable {
    case topLeft = 1
    case topRight = 2
    case bottomRight = 3
    case bottomLeft = 4
    case leftTop = 5
    case rightTop = 6
    case rightBottom = 7
    case leftBottom = 8

    /// Whether upright its height is the file's width.
    var isTurned: Bool { rawValue >= 5 }

    /// Whether, after turning, rows or columns go the other way.
    private var flips: (rows: Bool, columns: Bool) {
        switch self {
        case .topLeft, .leftTop: (false, false)
        case .topRight: (false, true)
        case .bottomRight, .rightBottom: (true, true)
        case .bottomLeft: (true, false)
        case .rightTop: (false, true)
        case .leftBottom: (true, false)
        }
    }

    func upright(_ plane: Plane) -> Plane {
        if self == .topLeft { return plane }
        return isTurned ? turned(plane) : mirrored(plane)
    }

    private func mirrored(_ plane: Plane) -> Plane {
        let result = Plane(width: plane.width, height: plane.height)
        let (width, height) = (plane.width, plane.height)
        let flips = flips
        for y in 0..<height {
            let source = plane.row(flips.rows ? height - 1 - y : y)
            let target = result.row(y)
            if flips.columns {
                for x in 0..<width { target[x] = source[width - 1 - x] }
            } else {
                target.update(from: source, count: width)
            }
        }
        return result
    }

    /// Block by block, so that what is read column by column stays near.
    private func turned(_ plane: Plane) -> Plane {
        let result = Plane(width: plane.height, height: plane.width)
        let (width, height) = (result.width, result.height)
        let flips = flips
        let block = 32
        for top in stride(from: 0, to: height, by: block) {
            for left in stride(from: 0, to: width, by: block) {
                for y in top..<min(top + block, height) {
                    let target = result.row(y)
                    let column = plane.samples + (flips.rows ? height - 1 - y : y)
                    for x in left..<min(left + block, width) {
                        target[x] = column[(flips.columns ? width - 1 - x : x) * plane.stride]
                    }
                }
            }
        }
        return result
    }
}
