import Basics

/// Rows whose columns stand below each other, on a terminal no wider than it is where that can be had.
package enum TextTable {
    /// A column of text that is narrower than this is no place to read a sentence.
    private static let narrowest = 24
    /// Before what stands on a row of its own.
    private static let indent = 4
    /// Between two columns.
    private static let gap = 2

    /// `width`: a terminal's columns; nothing where lines stay whole, as in a file. What has no room beside the other columns
    /// goes on below, in its own column where that is wide enough, and on rows of its own otherwise. The other columns stay
    /// whole: they are what one copies. Where even they have no room beside each other, the widest stand on rows of their own.
    /// `flowing`: which column gives way first; the last where that is not said.
    package static func lines(_ rows: [[String]], width: Int?, flowing: Int? = nil) -> [String] {
        guard let width, let columns = rows.first?.count, columns > 0 else {
            return Human.table(rows).map(trimmed)
        }
        let widths = (0..<columns).map { column in
            rows.reduce(0) { max($0, DisplayWidth.ofScalars($1[column])) }
        }
        let plan = Plan(widths, flowing: flowing ?? columns - 1, width: width)
        return rows.flatMap { plan.lines(of: $0) }
    }

    /// A text behind what it is about; what has no room goes on below, as in a table.
    package static func hanging(_ start: String, _ text: String, width: Int?) -> [String] {
        let used = DisplayWidth.ofScalars(start)
        guard let width, used + DisplayWidth.ofScalars(text) > width else { return [trimmed(start + text)] }
        guard used + narrowest <= width || start.allSatisfy({ $0 == " " }) else {
            return [trimmed(start)] + below(text, width)
        }
        let blank = String(repeating: " ", count: used)
        return TextLayout.wrapped(text, in: max(1, width - used)).enumerated().map {
            ($0.offset == 0 ? start : blank) + $0.element
        }
    }

    private static func below(_ text: String, _ width: Int) -> [String] {
        guard !text.isEmpty else { return [] }
        let blank = String(repeating: " ", count: indent)
        return TextLayout.wrapped(text, in: max(1, width - indent)).map { blank + $0 }
    }

    /// Which columns stand beside each other, and which on rows of their own.
    private struct Plan {
        private let widths: [Int]
        private let flowing: Int
        private let width: Int
        private var before: [Int]
        private var after: [Int]
        private var moved: [Int] = []

        init(_ widths: [Int], flowing: Int, width: Int) {
            self.widths = widths
            self.flowing = flowing
            self.width = width
            before = Array(0..<flowing)
            after = Array(flowing + 1..<widths.count)
            // By the first of them a row is found again.
            while let widest = (before + after).dropFirst().max(by: { (widths[$0], $0) < (widths[$1], $1) }),
                room < -TextTable.gap
            {
                before.removeAll { $0 == widest }
                after.removeAll { $0 == widest }
                moved.append(widest)
            }
            moved.sort()
        }

        /// What is left of a row for the column that gives way.
        private var room: Int { (before + after).reduce(width) { $0 - widths[$1] - TextTable.gap } }

        func lines(of row: [String]) -> [String] {
            let text = row[flowing]
            let needed = DisplayWidth.ofScalars(text)
            let isBeside =
                (after.isEmpty ? needed : widths[flowing]) <= room || room >= TextTable.narrowest
            let parts = needed <= room || !isBeside ? [text] : TextLayout.wrapped(text, in: max(1, room))
            let start = before.map { padded(row[$0], widths[$0]) }.joined()
            let blank = String(repeating: " ", count: DisplayWidth.ofScalars(start))
            let column = min(widths[flowing], max(0, room))
            let tail = after.map { padded(row[$0], widths[$0]) }.joined()
            let beside = parts.enumerated().map { index, part in
                guard index == 0 else { return blank + part }
                return start + (tail.isEmpty ? part : padded(part, column)) + tail
            }
            return (isBeside ? beside.map(trimmed) : [trimmed(start + tail)])
                + moved.flatMap { below(row[$0], width) } + (isBeside ? [] : below(text, width))
        }

        private func padded(_ cell: String, _ width: Int) -> String {
            let blanks = max(0, width - DisplayWidth.ofScalars(cell)) + TextTable.gap
            return cell + String(repeating: " ", count: blanks)
        }
    }

    /// The last cells of a row may be empty.
    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
