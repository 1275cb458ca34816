import CQREncode

/// An address as a picture that a phone's camera reads.
package struct QRCode: Equatable, Sendable {
    package let size: Int
    /// Row by row; true is dark.
    private let modules: [Bool]

    /// Nil for what no QR code can hold: nothing, or more than some 2,300 bytes.
    package init?(_ text: String) {
        // At M some 15 % of it may be unreadable: enough for a print with a stain, and still large modules.
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        self.size = size
        // "The LSB of each byte is 1 for a black module" (qrencode.h).
        modules = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Anything outside of the code is light: "a quiet zone of 4 modules on all sides" (ISO/IEC 18004 §5.3.8).
    package func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    static let quiet = 4

    package var svg: HTMLText { svg(label: "QR code of the address") }

    /// Black on white whatever the page's colours are: many phones do not read the inverse. `label` is said to those who do
    /// not see it.
    package func svg(label: String) -> HTMLText {
        let whole = size + 2 * Self.quiet
        var path = ""
        for row in 0..<size {
            var column = 0
            // Where the last one of the row has ended.
            var end: Int?
            while column < size {
                guard isDark(column: column, row: row) else {
                    column += 1
                    continue
                }
                let start = column
                while isDark(column: column, row: row) { column += 1 }
                path += end.map { "m\(start - $0) 0" } ?? "M\(start + Self.quiet) \(row + Self.quiet).5"
                path += "h\(column - start)"
                end = column
            }
        }
        return """
            <svg class="qr" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(whole) \(whole)" role="img" \
            aria-label="\(label)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(whole)v\(whole)H0z"/><path stroke="#000" d="\(path)"/></svg>
            """
    }

    /// Two rows of modules on each line. With colours it is black on white in every terminal; without, it is right where the
    /// background is dark.
    package func terminal(colours: Bool = true) -> String {
        blocks(colours: colours).map { colours ? "\u{1B}[38;5;16;48;5;231m\($0)\u{1B}[0m" : $0 }
            .joined(separator: "\n") + "\n"
    }

    /// The same lines without their colours: with `colours` a block is to be black on white, without it is light.
    package func blocks(colours: Bool) -> [String] {
        let shown = -Self.quiet..<size + Self.quiet
        return stride(from: shown.lowerBound, to: shown.upperBound, by: 2).map { row in
            let blocks = shown.map { column -> Character in
                let upper = isDark(column: column, row: row)
                let lower = isDark(column: column, row: row + 1)
                return switch (upper == colours, lower == colours) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return String(blocks)
        }
    }
}

/// Empty where the text is too long for a QR code. Also the whole of `/events/{id}/qr.svg` (image/svg+xml), which the host's
/// page shows and gives for printing, and of `/e/{slug}/qr.svg`, which has no key in it.
package func qrSVG(_ text: String) -> String {
    QRCode(text)?.svg.text ?? ""
}

/// For `gallery qr EVENT`. Without colours for what is no terminal.
package func qrTerminal(_ text: String, colours: Bool = true) -> String {
    QRCode(text)?.terminal(colours: colours) ?? ""
}
