package import Basics

/// What a ``HUD`` looks like on a terminal: rows by what matters most, as many as there are.
///
/// What stands in `status` stands here in the same words (``StatusText``); beside it what moves: counts, the pace, a bar for
/// each photo. Where there is not room for all, each block keeps its first row as long as there are rows, the important
/// ones first, and the last row says how many are left out.
package struct HUDScreen {
    package struct Look: Equatable, Sendable {
        package var size: ScreenSize
        package var charset: Charset

        package init(size: ScreenSize, charset: Charset) {
            self.size = size
            self.charset = charset
        }
    }

    /// What matters more has less.
    enum Rank: Int, Comparable {
        case counts
        case trouble
        case warning
        case camera
        case moving
        case rate
        case failure
        case destination
        case spool
        case more
        case told

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    struct Block {
        var rank: Rank
        /// One sentence.
        var rows: [ScreenLine]
    }

    let hud: HUD
    let look: Look
    /// By how many seconds local time is ahead of UTC then.
    let localOffset: (Timestamp) -> Int64

    package static func frame(
        _ hud: HUD, _ look: Look, localOffset: @escaping (Timestamp) -> Int64
    ) -> Frame {
        HUDScreen(hud: hud, look: look, localOffset: localOffset).frame
    }

    var columns: Int { look.size.columns }

    private var frame: Frame {
        let rows = look.size.rows
        if hud.mode == .page, let page = hud.page { return Frame(look.size, self.page(page)) }
        // A question is more than what it is about.
        guard rows > 1 else { return Frame(look.size, [isAsking ? foot(hidden: 0) : head]) }
        let hasFoot = rows > 2 || isAsking || hud.message != nil
        let room = rows - (hasFoot ? 2 : 1)
        let (body, hidden) = body(room)
        let padding = Array(repeating: ScreenLine.empty, count: room - body.count)
        return Frame(look.size, [head] + body + padding + (hasFoot ? [foot(hidden: hidden)] : []))
    }

    private var isAsking: Bool { hud.mode == .askingToStop }

    private func body(_ room: Int) -> ([ScreenLine], hidden: Int) {
        switch hud.mode {
        case .status, .askingToStop: return Self.fitted(blocks, room, look)
        case .help, .page: return Self.fitted(help.map { Block(rank: .more, rows: [$0]) }, room, look)
        case .choosing(let choices, let selected): return (self.choices(choices, selected, room), 0)
        }
    }

    /// As many rows as there is room for. First a row for each block, then the rest of each.
    static func fitted(_ blocks: [Block], _ room: Int, _ look: Look) -> ([ScreenLine], hidden: Int) {
        var shown = Array(repeating: 0, count: blocks.count)
        var left = room
        let order = blocks.indices.sorted { (blocks[$0].rank, $0) < (blocks[$1].rank, $1) }
        for index in order where left > 0 && !blocks[index].rows.isEmpty {
            shown[index] = 1
            left -= 1
        }
        for index in order where left > 0 && shown[index] > 0 {
            let more = min(left, blocks[index].rows.count - shown[index])
            shown[index] += more
            left -= more
        }
        var rows: [ScreenLine] = []
        var hidden = 0
        for (block, count) in zip(blocks, shown) {
            hidden += block.rows.count - count
            rows += block.rows.prefix(count)
            // A sentence that goes on says so.
            if count > 0, count < block.rows.count, let last = rows.popLast() {
                rows.append(last.cut(to: look.size.columns, look.charset))
            }
        }
        return (rows, hidden)
    }

    // MARK: The first row and the last

    func line(_ text: String, _ style: ScreenLine.Style = .plain) -> ScreenLine {
        ScreenLine(text, style, columns: columns, look.charset)
    }

    /// The event, how the bridge is, and the time where there is room for it.
    private var head: ScreenLine {
        guard let status = hud.status else {
            return line(hud.unknown ?? "looking for a bridge", .tone(hud.unknown == nil ? .plain : .warning))
        }
        let said = StatusText.lines(status, localOffset: localOffset).first
        guard let name = status["event"]?["name"]?.string, let said else {
            return line("no event yet: 'tetherline run --camera HOST --event NAME' makes one", .bold)
        }
        var style = ScreenLine.Style.tone(said.tone)
        style.isBold = true
        let text = look.charset.shown(said.text)
        let clock = StatusText.clock(status, localOffset: localOffset) ?? ""
        let gap = columns - DisplayWidth.ofScalars(text) - clock.utf8.count
        if gap >= 2, columns >= 40 {
            return ScreenLine(
                [(text, style), (String(repeating: " ", count: gap) + clock, .plain)], columns: columns,
                look.charset)
        }
        if DisplayWidth.ofScalars(text) <= columns { return line(text, style) }
        // The state is worth more than the end of a name.
        let state = shortState(status)
        let room = columns - state.utf8.count - 2
        guard room >= 3 else { return line(state, style) }
        let event = ScreenLine(name, style, columns: room, look.charset)
        return line("\(event.text): \(state)", style)
    }

    private func shortState(_ status: JSONValue) -> String {
        guard hud.isRunning else { return "not running" }
        guard status["live"]?.bool != false else { return "no answer" }
        return hud.isPaused ? "PAUSED" : "running"
    }

    func foot(hidden: Int) -> ScreenLine {
        if isAsking {
            return line("Stop the bridge? y stops it, any other key does not. Nothing is lost.", .reversed)
        }
        if let message = hud.message { return line(message.text, .tone(message.tone)) }
        let keys: String
        switch hud.mode {
        case .status, .askingToStop:
            keys =
                "q quit  ? help  \(hud.isPaused ? "p resume" : "p pause")  r retry failed"
                + (hud.isRunning ? "" : "  e event") + (hud.page == nil ? "" : "  w page")
        case .help, .page: keys = "any key goes back"
        case .choosing: keys = "enter takes it  esc goes back"
        }
        let more = hidden > 0 ? "+\(hidden) rows" : ""
        let gap = columns - keys.utf8.count - more.utf8.count
        guard gap >= 2, !more.isEmpty else { return line(keys) }
        return line(keys + String(repeating: " ", count: gap) + more)
    }

    // MARK: Help and choices

    private var help: [ScreenLine] {
        let end = hud.role == .run ? "stops the bridge, after a question" : "ends this; the bridge goes on"
        return [
            "p          pauses and resumes: nothing new is sent, what is under way ends, and",
            "           cameras go on; a pause outlasts the bridge",
            "r          begins again what failed for good",
            "e          changes the event of the next run, when no bridge runs",
            "w          the address of the bridge's page in a browser, as a code for a phone",
            "q          \(end)",
            "Ctrl-L     draws the screen anew",
            "",
            "queued     in the spool, and waits for its turn",
            "uploading  being sent at this moment",
            "awaiting   the gallery has it, and works on it",
            "completed  its destination has confirmed it",
            "failed     waits for you",
        ].map { line($0) }
    }

    /// The selected one is among them.
    private func choices(_ choices: [HUD.Choice], _ selected: Int, _ room: Int) -> [ScreenLine] {
        let title = line("The next run takes photos into:", .bold)
        guard room > 1 else { return room == 1 ? [choice(choices[selected], isSelected: true)] : [] }
        let first = max(0, min(selected - (room - 2) / 2, choices.count - (room - 1)))
        return [title]
            + choices.indices.dropFirst(first).prefix(room - 1).map {
                choice(choices[$0], isSelected: $0 == selected)
            }
    }

    private func choice(_ choice: HUD.Choice, isSelected: Bool) -> ScreenLine {
        let text = "\(isSelected ? ">" : " ") \(choice.name)  \(choice.remark)"
        return line(text, isSelected ? .reversed : .plain)
    }
}
