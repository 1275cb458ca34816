package import Basics
import Bridge

/// A status as lines for people. It reads the JSON, so that the bridge that runs may be of another version.
package struct StatusText {
    let status: JSONValue
    /// By how many seconds local time is ahead of UTC then.
    private let localOffset: (Timestamp) -> Int64
    private var lines: [TextLine] = []

    package static func lines(
        _ status: JSONValue, localOffset: @escaping (Timestamp) -> Int64
    ) -> [TextLine] {
        var text = StatusText(status: status, localOffset: localOffset)
        text.write()
        return text.lines
    }

    init(status: JSONValue, localOffset: @escaping (Timestamp) -> Int64) {
        self.status = status
        self.localOffset = localOffset
    }

    private var isRunning: Bool { status["running"]?.bool == true }
    /// A bridge of an earlier version does not say it, and says all of it itself.
    private var isLive: Bool { isRunning && status["live"]?.bool != false }

    private mutating func write() {
        writeHead()
        writeAlerts()
        writeWindow()
        write(
            "photos", counts(status["photos"], none: "none yet") { CaptureState(rawValue: $0)?.advice ?? $0 })
        write("deliveries", counts(status["jobs"], none: "nothing to deliver yet"))
        if let oldest = waiting(status["oldest"]) { write("oldest", oldest) }
        for camera in status["cameras"]?.array ?? [] { write(camera: camera) }
        for destination in status["destinations"]?.array ?? [] { write(destination: destination) }
        writeSpool()
        for missing in status["missing"]?.array ?? [] {
            let words = [missing["path"], missing["reason"]].compactMap { $0?.string }
            write("missing", words.joined(separator: ": "), .bad)
        }
        for note in status["notes"]?.array ?? [] {
            if let text = note.string { write("note", text, .warning) }
        }
    }

    private mutating func write(_ label: String, _ text: String, _ tone: TextLine.Tone = .plain) {
        lines.append(TextLine(label: label, text: Visible(text).description, tone: tone))
    }

    // MARK: The whole

    private mutating func writeHead() {
        let name = status["event"]?["name"]?.string ?? "no event"
        let isPaused = status["paused"]?.bool == true
        let state: String
        let tone: TextLine.Tone
        switch (isRunning, isLive) {
        case (false, _): (state, tone) = ("not running", .warning)
        case (true, false):
            (state, tone) = ("a bridge runs and does not answer; this is what its ledger says", .bad)
        case (true, true): (state, tone) = ("running", isPaused ? .warning : .good)
        }
        let paused = isPaused ? ", PAUSED: 'tetherline resume' goes on" : ""
        write("", "\(name): \(state)\(paused)", tone)
    }

    private mutating func writeAlerts() {
        for alert in status["alerts"]?.array ?? [] {
            let since = moment(alert["since"]).map { "  (since \(wall($0)))" } ?? ""
            write("ALERT", (alert["text"]?.string ?? "?") + since, .bad)
            // A camera or a destination says it once more, with what is to be done.
            if alert["subject"]?.string == nil, let advice = alert["advice"]?.string, !advice.isEmpty {
                write("", "to do: \(advice)", .bad)
            }
        }
    }

    private mutating func writeWindow() {
        if let closed = moment(status["window"]?["closedAt"]) {
            write(
                "closed",
                "\(wall(closed)): what was shot since stays on the card; a run opens the event again",
                .warning)
        }
        if let number = status["unattended"]?.integer, number > 0 {
            write(
                "left out",
                "\(number) photos that were shot while no bridge ran: 'tetherline events take' downloads them, "
                    + "'tetherline events decline' leaves them on the card", .warning)
        }
    }

    private mutating func writeSpool() {
        guard let spool = status["spool"], let free = unsigned(spool["free"]) else { return }
        var text = "\(Human.bytes(free)) free"
        if let left = spool["photosLeft"]?.integer { text += ", room for about \(left) photos" }
        write("spool", text)
        if let hold = spool["hold"]?.string { write("", "nothing is fetched: \(hold)", .bad) }
    }

    // MARK: Cameras

    private mutating func write(camera: JSONValue) {
        let words = [camera["address"], camera["name"], camera["state"]].compactMap { $0?.string }
        let phase = camera["phase"]?.string.flatMap { BridgeStatus.CameraPhase(rawValue: $0) }
        var text = words.joined(separator: "  ")
        if let number = camera["toFetch"]?.integer, number > 0 {
            if text.hasSuffix(".") { text.removeLast() }
            text += ", \(number) to fetch"
        }
        if let since = moment(camera["since"]), Self.saysSince(phase) { text += "  (since \(wall(since)))" }
        write("camera", text, Self.tone(phase))
        let deliveries = counts(camera["jobs"], none: "")
        if !deliveries.isEmpty { write("", "deliveries: \(deliveries)") }
        // What is the matter now has just been said.
        guard let error = camera["lastError"], error != .null, error["reason"]?.string != nil else { return }
        let isSaid = camera["state"]?.string?.contains(error["reason"]?.string ?? "") == true
        write(trouble: error, isSaid: isSaid)
    }

    private static func tone(_ phase: BridgeStatus.CameraPhase?) -> TextLine.Tone {
        switch phase {
        case .listing, .fetching, .idle: .good
        case .lost, .held, .suspect: .bad
        case .connecting, .waitingForOK, .confirmingCode, .busy, .asleep, .new: .warning
        case .ended, nil: .plain
        }
    }

    /// Where a photographer would ask how long it has been so.
    private static func saysSince(_ phase: BridgeStatus.CameraPhase?) -> Bool {
        switch phase {
        case .waitingForOK, .confirmingCode, .busy, .held, .asleep, .lost, .suspect, .connecting: true
        case .listing, .fetching, .idle, .ended, .new, nil: false
        }
    }

    // MARK: Destinations

    /// A bridge of an earlier version does not say it.
    private mutating func write(edits: JSONValue?) {
        func number(_ key: String) -> Int64 { edits?[key]?.integer ?? 0 }
        func text(_ count: Int64) -> String { count == 1 ? "1 edit" : "\(count) edits" }
        let (waiting, early, lost) = (number("waiting"), number("withoutUpload"), number("conflicts"))
        if waiting > 0 {
            let first = early > 0 ? ", \(early) of them before their photo's upload" : ""
            write("", "\(text(waiting)) not sent yet\(first): 'tetherline sync' says more")
        }
        if lost > 0 { write("", "\(text(lost)) not taken there: 'tetherline sync' shows which", .warning) }
    }

    private mutating func write(destination: JSONValue) {
        let hold = destination["hold"].flatMap { $0 == .null ? nil : $0 }
        var text = "\(destination["url"]?.string ?? "?")  \(counts(destination["jobs"], none: "nothing yet"))"
        let way = destination["way"]?.string
        // No network leads there, or it is one that costs: then that is why nothing goes.
        let isBarred = isLive && destination["slots"]?.integer == 0 && way != nil
        if let way, !isBarred { text += "  (\(way))" }
        let failed = destination["jobs"]?["failed"]?.integer ?? 0
        write("to", text, hold != nil || isBarred || failed > 0 ? .bad : .plain)
        if isBarred, let way {
            write("", "no way for photos: \(way) at a time; 'tetherline network' says more", .bad)
        }
        if let pace = pace(destination) { write("", pace) }
        if let times = times(destination["shutterToConfirmed"]) { write("", times) }
        write(edits: destination["edits"])
        if let hold, let reason = hold["reason"]?.string {
            let since = moment(hold["since"]).map { " since \(wall($0))" } ?? ""
            write(
                "", (isRunning ? "waits\(since): " : "waited\(since), until no bridge ran: ") + reason, .bad)
            if hold["cause"]?.string != nil, let advice = hold["advice"]?.string {
                write("", "to do: \(advice)", .bad)
            }
        }
        if let error = destination["lastError"], error != .null {
            let isSaid = hold?["reason"]?.string == error["reason"]?.string
            if !isSaid { write(trouble: error, isSaid: false) }
        }
    }

    private func pace(_ destination: JSONValue) -> String? {
        guard let photos = number(destination["rate"]?["photosPerMinute"]),
            let bytes = unsigned(destination["rate"]?["bytesPerMinute"])
        else { return nil }
        var text = "\(Self.tenths(photos)) photos, \(Human.bytes(bytes)) a minute"
        if let seconds = number(destination["drainedInSeconds"]) {
            text += "; what waits is there in \(Self.span(seconds))"
        }
        return text
    }

    private func times(_ value: JSONValue?) -> String? {
        guard let value, let median = number(value["medianSeconds"]), let p95 = number(value["p95Seconds"])
        else { return nil }
        var text = "confirmed \(Self.span(median)) after the shutter, 95 in 100 within \(Self.span(p95))"
        if let share = number(value["inTimeShare"]) {
            text += "; \(Self.tenths(share * 100)) % as promised"
        }
        return text
    }

    private mutating func write(trouble: JSONValue, isSaid: Bool) {
        guard let reason = trouble["reason"]?.string else { return }
        if !isSaid {
            let at = moment(trouble["at"]).map { " \(wall($0))" } ?? ""
            let photo = trouble["photo"]?.string.map { "\($0): " } ?? ""
            write("", "last error\(at): \(photo)\(reason)", isLive ? .warning : .plain)
        }
        // Where it goes on by itself there is nothing to be read.
        // A bridge of an earlier version does not say whether it is for a person.
        let advice = trouble["advice"]?.string ?? ""
        if !advice.isEmpty, trouble["needsOperator"]?.bool ?? !advice.hasPrefix("nothing:") {
            write("", "to do: \(advice)", isLive ? .warning : .plain)
        }
    }

    // MARK: Words and figures

    private func counts(
        _ value: JSONValue?, none: String, _ words: (String) -> String = { $0 }
    ) -> String {
        let counts = (value?.members ?? []).compactMap { member -> String? in
            guard let number = member.value.integer, number > 0 else { return nil }
            return "\(number) \(words(member.key))"
        }
        return counts.isEmpty ? none : counts.joined(separator: ", ")
    }

    private func waiting(_ value: JSONValue?) -> String? {
        guard let name = value?["name"]?.string, let since = moment(value?["since"]) else { return nil }
        let age = moment(status["at"]).map {
            ", for \(Self.span(Double(($0 - since).wholeMilliseconds) / 1000))"
        }
        return "\(name) waits since \(wall(since))\(age ?? "")"
    }

    func moment(_ value: JSONValue?) -> Timestamp? {
        value?.string.flatMap { Timestamp(rfc3339: $0) }
    }

    /// As a clock on the wall shows it here: the time of day, and the date where it is not today's.
    func wall(_ moment: Timestamp) -> String {
        func local(_ moment: Timestamp) -> String {
            CivilTime.rfc3339(milliseconds: (moment + .seconds(localOffset(moment))).milliseconds)
        }
        let text = local(moment)
        let day = text.prefix(10)
        let isToday = self.moment(status["at"]).map { local($0).prefix(10) == day } ?? false
        return isToday ? String(text.dropFirst(11).prefix(5)) : "\(day) \(text.dropFirst(11).prefix(5))"
    }

    /// `0.4 s`, `12 s`, `4 min`, `2 h 10 min`.
    static func span(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "0 s" }
        if seconds < 9.95 { return "\(tenths(seconds)) s" }
        let whole = Int(seconds.rounded())
        if whole < 100 { return "\(whole) s" }
        let minutes = (whole + 30) / 60
        if minutes < 60 { return "\(minutes) min" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    private static func tenths(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e12 else { return "?" }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private func number(_ value: JSONValue?) -> Double? {
        if case .double(let number) = value { return number }
        return value?.integer.map(Double.init)
    }

    private func unsigned(_ value: JSONValue?) -> UInt64? {
        value?.integer.flatMap { UInt64(exactly: $0) }
    }
}
