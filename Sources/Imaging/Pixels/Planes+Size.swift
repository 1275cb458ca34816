extension Planes {
    /// The size within a square of that edge, never larger than it is.
    static func fitted(width: Int, height: Int, edge: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        guard long > edge else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(1, (side * edge + long / 2) / long) }
        return (scaled(width), scaled(height))
    }

    /// Of that size, with one sample of colour for four of brightness, as JPEGs for screens have.
    func resampled(width newWidth: Int, height newHeight: Int) -> Planes {
        let across = Double(width) / Double(newWidth)
        let down = Double(height) / Double(newHeight)
        let isSame = newWidth == width && newHeight == height
        let luma =
            isSame ? luma : luma.resampled(width: newWidth, height: newHeight, across: across, down: down)
        guard let colour else {
            return Planes(width: newWidth, height: newHeight, luma: luma, colour: nil)
        }
        func resampled(_ plane: Plane) -> Plane {
            if isSame, colour.across == 2, colour.down == 2 { return plane }
            return plane.resampled(
                width: (newWidth + 1) / 2, height: (newHeight + 1) / 2,
                across: across * 2 / Double(colour.across), down: down * 2 / Double(colour.down))
        }
        return Planes(
            width: newWidth, height: newHeight, luma: luma,
            colour: Colour(
                blue: resampled(colour.blue), red: resampled(colour.red), across: 2, down: 2))
    }

    /// As it is to be looked at. Only for planes whose colour is as coarse in both directions.
    func upright(_ orientation: Orientation) -> Planes {
        precondition(colour.map { $0.across == $0.down } ?? true, "colour turns with the rest")
        let turned = orientation.isTurned
        return Planes(
            width: turned ? height : width, height: turned ? width : height,
            luma: orientation.upright(luma),
            colour: colour.map {
                Colour(
                    blue: orientation.upright($0.blue), red: orientation.upright($0.red),
                    across: $0.across, down: $0.down)
            })
    }
}
