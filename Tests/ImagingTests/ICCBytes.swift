/// ICC profiles written by hand, as the specification has them (ICC.1:2010), so that what they mean is known from
/// elsewhere than from the library that reads them.
enum ICCBytes {
    /// Three primaries and one curve, adapted to the white of the connection space.
    static func colours(_ space: RGBSpace, name: String = "a space") -> [UInt8] {
        let columns = space.toConnection.columns
        let curve = curve(space.curve)
        return profile(
            "mntr", "RGB ",
            [
                ("desc", description(name)), ("wtpt", xyz(RGBSpace.connectionWhite)),
                ("rXYZ", xyz(columns[0])), ("gXYZ", xyz(columns[1])), ("bXYZ", xyz(columns[2])),
                ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
            ])
    }

    static func grey(_ curve: RGBSpace.Curve) -> [UInt8] {
        profile(
            "mntr", "GRAY",
            [
                ("desc", description("greys")), ("wtpt", xyz(RGBSpace.connectionWhite)),
                ("kTRC", Self.curve(curve)),
            ])
    }

    /// A printer, by a table of so many steps of each ink and what `colour` says it looks like (L* from 0 to 100, a* and b*).
    static func printer(steps: Int = 5, _ colour: (_ inks: [Double]) -> [Double]) -> [UInt8] {
        // lut16Type (§10.8): no matrix, straight curves, and the last ink changes fastest.
        let header = Array("mft2".utf8) + long(0) + [4, 3, UInt8(steps), 0]
        var table =
            header + [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap { long(UInt32($0) << 16) } + short(2) + short(2)
        table += (0..<4).flatMap { _ in short(0) + short(.max) }
        for index in 0..<(steps * steps * steps * steps) {
            let inks = [steps * steps * steps, steps * steps, steps, 1].map {
                Double(index / $0 % steps) / Double(steps - 1)
            }
            // "Legacy 16-bit PCSLAB": L* of 100 is FF00, and a* of 0 is 8000.
            let lab = colour(inks)
            table += short(UInt16(lab[0] / 100 * 65280)) + short(UInt16((lab[1] + 128) * 256))
            table += short(UInt16((lab[2] + 128) * 256))
        }
        table += (0..<3).flatMap { _ in short(0) + short(.max) }
        return profile(
            "prtr", "CMYK",
            [("desc", description("inks")), ("wtpt", xyz(RGBSpace.connectionWhite)), ("A2B0", table)],
            connection: "Lab ")
    }

    static func profile(
        _ kind: String, _ space: String, _ tags: [(name: String, content: [UInt8])],
        connection: String = "XYZ "
    ) -> [UInt8] {
        var content: [UInt8] = []
        var table = long(UInt32(tags.count))
        let start = 128 + 4 + 12 * tags.count
        for tag in tags {
            table +=
                Array(tag.name.utf8) + long(UInt32(start + content.count)) + long(UInt32(tag.content.count))
            content += tag.content + [UInt8](repeating: 0, count: -tag.content.count & 3)
        }
        var header = long(UInt32(start + content.count)) + long(0) + long(0x0210_0000)
        header += Array((kind + space + connection).utf8) + [UInt8](repeating: 0, count: 12)
        header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += RGBSpace.connectionWhite.flatMap(fixed)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + table + content
    }

    static func short(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    static func long(_ value: UInt32) -> [UInt8] {
        short(UInt16(value >> 16)) + short(UInt16(value & 0xFFFF))
    }

    private static func fixed(_ value: Double) -> [UInt8] {
        long(UInt32(bitPattern: Int32((value * 65536).rounded())))
    }

    private static func xyz(_ value: [Double]) -> [UInt8] {
        Array("XYZ ".utf8) + long(0) + value.flatMap(fixed)
    }

    private static func curve(_ curve: RGBSpace.Curve) -> [UInt8] {
        let count = 1024
        return Array("curv".utf8) + long(0) + long(UInt32(count))
            + (0..<count).flatMap {
                short(UInt16((curve.light(Double($0) / Double(count - 1)) * 65535).rounded()))
            }
    }

    /// textDescriptionType of version 2, with ASCII only.
    private static func description(_ text: String) -> [UInt8] {
        Array("desc".utf8) + long(0) + long(UInt32(text.utf8.count + 1)) + Array(text.utf8) + [0] + long(0)
            + long(0)
            + short(0) + [0] + [UInt8](repeating: 0, count: 67)
    }
}
