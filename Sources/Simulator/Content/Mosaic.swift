/// A picture of large coloured squares that somebody can recognise: the photo's number over a gradient.
///
/// One square is one 8×8 block of a JPEG, so that encoding it needs no cosine.
struct Mosaic {
    struct Colour: Equatable {
        var luma: Int
        var blue: Int
        var red: Int
    }

    /// In blocks of eight pixels.
    let columns: Int
    let rows: Int
    let number: Int
    let seed: UInt64

    var width: Int { 8 * columns }
    var height: Int { 8 * rows }

    func colour(column: Int, row: Int) -> Colour {
        if isDigit(column: column, row: row) { return Colour(luma: 235, blue: 128, red: 128) }
        // Two hues that belong to this photo, mixed from corner to corner.
        let hues = Mixer.mix(seed ^ UInt64(number))
        let share = (column * 128 / max(1, columns) + row * 128 / max(1, rows))
        func blend(_ from: UInt64, _ to: UInt64, _ low: Int, _ span: Int) -> Int {
            let first = Int(from & 0xFF) * span / 255
            let second = Int(to & 0xFF) * span / 255
            return low + (first * (256 - share) + second * share) / 256
        }
        return Colour(
            luma: blend(hues, hues >> 8, 40, 130), blue: blend(hues >> 16, hues >> 24, 40, 176),
            red: blend(hues >> 32, hues >> 40, 40, 176))
    }

    /// The number in the middle, as large as fits.
    private func isDigit(column: Int, row: Int) -> Bool {
        let text = Array(String(number))
        let textColumns = 6 * text.count - 1
        let scale = min((columns - 2) / textColumns, (rows - 2) / 7)
        guard scale > 0 else { return false }
        let x = column - (columns - scale * textColumns) / 2
        let y = row - (rows - scale * 7) / 2
        guard x >= 0, y >= 0, x < scale * textColumns, y < scale * 7 else { return false }
        let cell = x / scale
        guard cell % 6 < 5, let glyph = Mosaic.glyphs[text[cell / 6]] else { return false }
        return glyph[y / scale] >> (4 - cell % 6) & 1 == 1
    }

    /// Five columns by seven rows, a bit a square.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        "3": [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        "7": [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    ]
}
