import Basics

/// The address of the bridge's page, on a screen of its own: a code for a phone is as high as many a terminal.
extension HUDScreen {
    func page(_ page: HUD.PageAddress) -> [ScreenLine] {
        let rows = look.size.rows
        let address = parts(of: look.charset.shown(page.text))
        let needed = page.code.map { DisplayWidth.ofScalars($0) }.max() ?? 0
        let hasRoom = needed <= columns && page.code.count + address.count <= rows
        let isShown = look.charset == .unicode && hasRoom && !page.code.isEmpty
        let code = isShown ? page.code.map { line($0, .paper) } : []
        let isTooSmall = look.charset == .unicode && !hasRoom
        let hint =
            isTooSmall
            ? [line("as a code for a phone it takes \(needed) columns and \(page.code.count + 1) rows")] : []
        let body = code + address + hint
        let spare = rows - body.count
        let head =
            spare > 1 ? [line("The bridge's page; who knows this address sees what you see.", .bold)] : []
        guard spare > 0 else { return body }
        let padding = Array(repeating: ScreenLine.empty, count: spare - head.count - 1)
        return head + body + padding + [foot(hidden: 0)]
    }

    /// No character of it may be missing.
    private func parts(of address: String) -> [ScreenLine] {
        var parts: [String] = [""]
        for character in address {
            let next = parts[parts.count - 1] + String(character)
            if DisplayWidth.ofScalars(next) <= columns {
                parts[parts.count - 1] = next
            } else {
                parts.append(String(character))
            }
        }
        return parts.map { line($0) }
    }
}
