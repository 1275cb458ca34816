/// A picture of large coloured squares that a person can recognise: the photo's number over a gradient.
///
/// One square is one 8×8 block of a JPEG, so that encoding it needs no cosine.
struct Mosaic {
    struct Colour: Equatable {
        var luma: Int
        var blue: Int
        var red: Int
    }

    /// One of the three parts of a colour, from the first corner to the last.
    private struct Blend {
        let first: Int
        let second: Int
        let low: Int

        init(_ from: UInt64, _ to: UInt64, low: Int, span: Int) {
            first = Int(from & 0xFF) * span / 255
            second = Int(to & 0xFF) * span / 255
            self.low = low
        }

        func value(_ share: Int) -> Int { low + (first * (256 - share) + second * share) / 256 }
    }

    /// In blocks of eight pixels.
    let columns: Int
    let rows: Int
    private let luma: Blend
    private let blue: Blend
    private let red: Blend
    /// The number's digits, and the blocks that one square of them takes; none where it does not fit.
    private let digits: [[UInt8]]
    private let scale: Int

    var width: Int { 8 * columns }
    var height: Int { 8 * rows }

    init(columns: Int, rows: Int, number: Int, seed: UInt64) {
        self.columns = columns
        self.rows = rows
        // Two hues that belong to this photo, mixed from corner to corner.
        let hues = Mixer.mix(seed ^ UInt64(number))
        luma = Blend(hues, hues >> 8, low: 40, span: 130)
        blue = Blend(hues >> 16, hues >> 24, low: 40, span: 176)
        red = Blend(hues >> 32, hues >> 40, low: 40, span: 176)
        digits = String(number).compactMap { Mosaic.glyphs[$0] }
        scale = min((columns - 2) / (6 * digits.count - 1), (rows - 2) / 7)
    }

    func colour(column: Int, row: Int) -> Colour {
        if isDigit(column: column, row: row) { return Colour(luma: 235, blue: 128, red: 128) }
        let share = (column * 128 / max(1, columns) + row * 128 / max(1, rows))
        return Colour(luma: luma.value(share), blue: blue.value(share), red: red.value(share))
    }

    /// The number in the middle, as large as fits.
    private func isDigit(column: Int, row: Int) -> Bool {
        guard scale > 0 else { return false }
        let textColumns = 6 * digits.count - 1
        let x = column - (columns - scale * textColumns) / 2
        let y = row - (rows - scale * 7) / 2
        guard x >= 0, y >= 0, x < scale * textColumns, y < scale * 7 else { return false }
        let cell = x / scale
        guard cell % 6 < 5 else { return false }
        return digits[cell / 6][y / scale] >> (4 - cell % 6) & 1 == 1
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
