import Basics

/// What stands between the first row and the last.
extension HUDScreen {
    var blocks: [Block] {
        guard let status = hud.status, status["event"]?["name"]?.string != nil else { return toldBlocks }
        var said = Self.grouped(StatusText.lines(status, localOffset: localOffset).dropFirst())
        func take(_ label: String) -> [Block] {
            let taken = said.filter { $0.first?.label == label }
            said.removeAll { $0.first?.label == label }
            return taken.map(block)
        }
        _ = take("deliveries")
        let alerts = take("ALERT")
        let (cameras, places, spool) = (take("camera"), take("to"), take("spool"))
        let failures = StatusText.failures(status, localOffset: localOffset).map(block)
        let rest = said.map(block)
        return [Block(rank: .counts, rows: [counts(status)])] + alerts + rate + cameras + moving(status)
            + places + spool + failures + rest + toldBlocks
    }

    /// Each label with the lines that go on with it.
    private static func grouped(_ lines: some Sequence<TextLine>) -> [[TextLine]] {
        lines.reduce(into: []) { groups, line in
            if line.label.isEmpty, !groups.isEmpty {
                groups[groups.count - 1].append(line)
            } else {
                groups.append([line])
            }
        }
    }

    private func block(_ lines: [TextLine]) -> Block {
        let layout = TextLayout(width: columns)
        let rows = lines.flatMap { line in
            layout.rows(line.with(text: look.charset.shown(line.text))).map { row in
                ScreenLine(
                    [(row.start, .plain), (row.text, .tone(line.tone))], columns: columns, look.charset)
            }
        }
        return Block(rank: Self.rank(lines), rows: rows)
    }

    private static func rank(_ lines: [TextLine]) -> Rank {
        let isBad = lines.contains { $0.tone == .bad }
        switch lines.first?.label {
        case "ALERT": return .trouble
        case "failed": return .failure
        case "camera": return isBad ? .trouble : lines.contains { $0.tone == .warning } ? .warning : .camera
        case "to": return isBad ? .trouble : .destination
        case "spool": return isBad ? .trouble : .spool
        case "note", "closed", "left out": return .warning
        case "missing": return .failure
        default: return .more
        }
    }

    private var toldBlocks: [Block] {
        hud.told.map { told in
            let parts = TextLayout.wrapped(look.charset.shown(told.text), in: columns)
            return Block(rank: .told, rows: parts.map { line($0, .tone(told.tone)) })
        }
    }

    // MARK: Counts

    /// The longest way to say them that there is room for.
    private func counts(_ status: JSONValue) -> ScreenLine {
        let counts = ["queued", "uploading", "awaiting", "completed", "failed"].map { key in
            (word: key, count: max(0, status["jobs"]?[key]?.integer ?? 0))
        }
        let all = counts.map { ("\($0.count) \($0.word)", style($0.word, $0.count)) }
        let some = counts.filter { $0.count > 0 }.map { ("\($0.count) \($0.word)", style($0.word, $0.count)) }
        let total = counts.reduce(0) { $0 + $1.count }
        let done = counts[3].count
        var short: [(String, ScreenLine.Style)] = [("\(done)/\(total)", .bold)]
        if counts[4].count > 0 { short.append(("\(counts[4].count) failed", .tone(.bad))) }
        for (pieces, gap) in [(all, "   "), (all, " "), (some, " "), (short, " ")] where !pieces.isEmpty {
            let joined = pieces.enumerated().map {
                ($0.offset == 0 ? $0.element.0 : gap + $0.element.0, $0.element.1)
            }
            let width = joined.reduce(0) { $0 + $1.0.utf8.count }
            if width <= columns { return ScreenLine(joined, columns: columns, look.charset) }
        }
        return ScreenLine(short, columns: columns, look.charset)
    }

    private func style(_ word: String, _ count: Int64) -> ScreenLine.Style {
        var style = ScreenLine.Style.bold
        if word == "failed", count > 0 { style.tone = .bad }
        return style
    }

    // MARK: What moves

    private static let label = TextLayout.labelColumns

    private func labelled(_ label: String) -> String {
        label + String(repeating: " ", count: max(0, Self.label - label.utf8.count))
    }

    /// A column for each second, and how fast it is.
    private var rate: [Block] {
        guard hud.isRunning, let now = hud.throughput.now else { return [] }
        let figure = "\(Human.bytes(UInt64(max(0, min(now, 1e15))))) a second"
        let room = columns - Self.label - figure.utf8.count - 2
        let spark = room >= 5 ? look.charset.sparkline(hud.throughput.rates.suffix(room)) + "  " : ""
        let row = ScreenLine(
            [(labelled("sent"), .plain), (spark, .tone(.good)), (figure, .plain)], columns: columns,
            look.charset)
        return [Block(rank: .rate, rows: [row])]
    }

    /// So many keep their place where there is little room.
    private static let firstMoving = 3

    /// A bar for each photo whose bytes move.
    private func moving(_ status: JSONValue) -> [Block] {
        let photos = (status["underWay"]?.array ?? []).map(MovingPhoto.init)
        let room = max(1, columns - Self.label)
        let longest = photos.map { DisplayWidth.ofScalars(look.charset.shown($0.name)) }.max() ?? 0
        let nameColumns = min(longest, max(8, room / 3))
        return photos.enumerated().map { index, photo in
            let row = bar(photo, nameColumns: nameColumns, room: room)
            return Block(rank: index < Self.firstMoving ? .moving : .more, rows: [row])
        }
    }

    private func bar(_ photo: MovingPhoto, nameColumns: Int, room: Int) -> ScreenLine {
        let name = ScreenLine(photo.name, columns: nameColumns, look.charset)
        let padding = String(repeating: " ", count: nameColumns - name.columns)
        var pieces: [(String, ScreenLine.Style)] = [
            (labelled(photo.isComing ? "fetching" : "sending"), .plain), (name.text + padding, .plain),
        ]
        let figures = photo.figures
        let left = room - nameColumns - 2
        // Without figures and with a bar before with figures and without: what moves is seen.
        let barColumns = min(40, left >= figures.utf8.count + 10 ? left - figures.utf8.count - 2 : left)
        if let share = photo.share, barColumns >= 4 {
            pieces.append(("  " + look.charset.bar(share, columns: barColumns), .tone(.good)))
            if left >= figures.utf8.count + 10 { pieces.append(("  " + figures, .plain)) }
        } else {
            pieces.append(("  " + figures, .plain))
        }
        return ScreenLine(pieces, columns: columns, look.charset)
    }
}

/// One photo that is under way, as its JSON says.
private struct MovingPhoto {
    let name: String
    let isComing: Bool
    let done: UInt64
    let size: UInt64?

    init(_ value: JSONValue) {
        let path = value["name"]?.string ?? "?"
        // What folder it has on the card matters less than that its end can be read.
        name = path.split(separator: "/").last.map(String.init) ?? path
        isComing = value["from"]?.string != nil
        done = value["done"]?.integer.flatMap { UInt64(exactly: $0) } ?? 0
        size = value["bytes"]?.integer.flatMap { UInt64(exactly: $0) }
    }

    var share: Double? { size.map { $0 == 0 ? 1 : min(1, Double(done) / Double($0)) } }

    /// ` 52 %  4.1 MB of 8.4 MB`
    var figures: String {
        guard let size, let share else { return Human.bytes(done) }
        let percent = "\(Int((share * 100).rounded(.down))) %"
        let padding = String(repeating: " ", count: max(0, 5 - percent.utf8.count))
        return "\(padding)\(percent)  \(Human.bytes(done)) of \(Human.bytes(size))"
    }
}

extension TextLine {
    fileprivate func with(text: String) -> TextLine {
        TextLine(label: label, text: text, tone: tone)
    }
}
