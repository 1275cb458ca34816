package import Basics

/// A terminal's screen of a bridge, as a value: what has come is told to it, with the moment, and it says what is to be
/// done. ``HUDScreen`` says what it looks like.
package struct HUD: Equatable, Sendable {
    package enum Role: Equatable, Sendable {
        /// Beside a bridge, which goes on when this ends.
        case watch
        /// The bridge's own: its end is that of the bridge.
        case run
    }

    /// An event that can be chosen.
    package struct Choice: Equatable, Sendable {
        package var id: String
        package var name: String
        /// What else is known of it.
        package var remark: String

        package init(id: String, name: String, remark: String = "") {
            self.id = id
            self.name = name
            self.remark = remark
        }
    }

    /// Where the bridge's page is, with its token: for the person at this terminal.
    package struct PageAddress: Equatable, Sendable {
        package var text: String
        /// The same for a phone's camera, row by row of half blocks: black on white where there are colours, light on a
        /// dark background otherwise. Nothing where no phone gets there.
        package var code: [String]

        package init(text: String, code: [String] = []) {
            self.text = text
            self.code = code
        }
    }

    package enum Mode: Equatable, Sendable {
        case status
        case help
        /// The bridge's page is named.
        case page
        /// It is asked whether the bridge is to end.
        case askingToStop
        case choosing([Choice], selected: Int)
    }

    package enum Happening: Equatable, Sendable {
        case status(JSONValue)
        /// Nothing can be said of the bridge, and why.
        case unknown(String)
        case key(Key)
        /// What the bridge tells as it happens.
        case told(TextLine)
        /// What came of something that was asked for.
        case done(String, isBad: Bool)
        case choices([Choice])
        /// The bridge has a page from now on.
        case serves(PageAddress)
        /// Where the page is that was asked for.
        case page(PageAddress)
    }

    package enum Action: Equatable, Sendable {
        case pause(Bool)
        case retryFailed
        case listEvents
        case findPage
        case choose(Choice)
        case drawAnew
        /// Ends the screen, and in ``Role/run`` the bridge.
        case end
    }

    package struct Message: Equatable, Sendable {
        package var text: String
        package var tone: TextLine.Tone
        var until: Duration
    }

    package let role: Role
    package private(set) var mode = Mode.status
    package private(set) var status: JSONValue?
    package private(set) var unknown: String?
    package private(set) var throughput = Throughput()
    package private(set) var message: Message?
    package private(set) var page: PageAddress?
    /// The newest first.
    package private(set) var told: [TextLine] = []

    private static let mostTold = 50
    private static let messageTime = Duration.seconds(6)

    package init(_ role: Role) {
        self.role = role
    }

    package var isRunning: Bool { status?["running"]?.bool == true }
    package var isPaused: Bool { status?["paused"]?.bool == true }

    package mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        if let message, message.until <= now { self.message = nil }
        switch happening {
        case .status(let status):
            note(status)
            return []
        case .unknown(let reason):
            (status, unknown) = (nil, reason)
            return []
        case .key(.redraw): return [.drawAnew]
        case .key(let key): return pressed(key, at: now)
        case .told(let line):
            told.insert(line, at: 0)
            if told.count > Self.mostTold { told.removeLast() }
            return []
        case .done(let text, let isBad):
            say(text, isBad ? .bad : .good, at: now)
            return []
        case .choices(let choices):
            guard !choices.isEmpty else {
                say("no event is known here yet: 'tetherline run --event NAME' makes one", .warning, at: now)
                return []
            }
            let current = choices.firstIndex { $0.id == status?["event"]?["id"]?.string }
            mode = .choosing(choices, selected: current ?? 0)
            return []
        case .serves(let page):
            self.page = page
            say("the bridge has a page in a browser: w shows its address", at: now)
            return []
        case .page(let page):
            (self.page, mode) = (page, .page)
            return []
        }
    }

    private mutating func note(_ status: JSONValue) {
        self.status = status
        unknown = nil
        guard status["live"]?.bool != false, isRunning, let sent = status["sentBytes"]?.integer, sent >= 0,
            let at = status["at"]?.string.flatMap({ Timestamp(rfc3339: $0) })
        else { return }
        throughput.note(sent: UInt64(sent), at: at)
    }

    private mutating func say(_ text: String, _ tone: TextLine.Tone = .plain, at now: Duration) {
        message = Message(text: text, tone: tone, until: now + Self.messageTime)
    }

    // MARK: Keys

    private mutating func pressed(_ key: Key, at now: Duration) -> [Action] {
        switch mode {
        case .status: return pressedInStatus(key, at: now)
        case .help, .page:
            mode = .status
            return []
        case .askingToStop:
            mode = .status
            return key == .character("y") || key == .character("Y") ? [.end] : []
        case .choosing(let choices, let selected): return pressed(key, choosing: choices, selected)
        }
    }

    private mutating func pressedInStatus(_ key: Key, at now: Duration) -> [Action] {
        switch key {
        case .character("p"):
            guard status != nil else { return nothingThere(at: now) }
            say(isPaused ? "resuming" : "pausing", at: now)
            return [.pause(!isPaused)]
        case .character("r"):
            guard status != nil else { return nothingThere(at: now) }
            return [.retryFailed]
        case .character("e"):
            guard !isRunning else {
                say("a bridge runs, and has its event until it ends", .warning, at: now)
                return []
            }
            return [.listEvents]
        case .character("q"):
            guard role == .run else { return [.end] }
            mode = .askingToStop
        case .character("w"):
            // Of another process it may be another one each time.
            guard role == .run, page != nil else { return [.findPage] }
            mode = .page
        case .character("?"), .character("h"): mode = .help
        case .character, .enter, .escape, .up, .down, .backspace, .redraw, .other: break
        }
        return []
    }

    private mutating func nothingThere(at now: Duration) -> [Action] {
        say("there is no event here yet", .warning, at: now)
        return []
    }

    private mutating func pressed(_ key: Key, choosing choices: [Choice], _ selected: Int) -> [Action] {
        switch key {
        case .up, .character("k"): mode = .choosing(choices, selected: max(0, selected - 1))
        case .down, .character("j"):
            mode = .choosing(choices, selected: min(choices.count - 1, selected + 1))
        case .enter:
            mode = .status
            return [.choose(choices[selected])]
        case .escape, .character("q"): mode = .status
        case .character, .backspace, .redraw, .other: break
        }
        return []
    }
}
