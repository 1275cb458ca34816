import Arguments
import Basics
import Bridge
import Console
import Posix
import Synchronization

/// A terminal's screen of a bridge, at work: joins the terminal, what the bridge says, and the ``HUD``, which decides.
///
/// It has a thread of its own and asks the bridge as another program would. A terminal that is not read gets no further
/// frame until it has taken the last one, and nothing waits for it.
final class TerminalHUD: Sendable {
    enum End: Equatable, Sendable {
        /// The operator ended it.
        case operatorLeft
        /// The terminal is gone.
        case terminalLost
        /// The task was cancelled.
        case cancelled
    }

    enum Input: Sendable {
        case happened(HUD.Happening)
        case bytes([UInt8])
        /// Nothing has been typed for a moment.
        case pause
        case changed(TerminalScreen.Change)
        /// The terminal takes bytes again.
        case writable
        /// The next frame is due.
        case due
        case lost
    }

    let screen: TerminalScreen
    private let requests: ScreenRequests
    private let role: HUD.Role
    let layout: TextLayout
    let charset: Charset
    let reactor: Reactor
    let inputs = Mailbox<Input>()

    /// How often a bridge that runs is asked, and a ledger where none does.
    private static let interval = Duration.milliseconds(500)
    private static let intervalAtRest = Duration.seconds(2)
    /// A key's bytes come together.
    private static let keyPause = Duration.milliseconds(50)
    private static let backgroundPause = Duration.milliseconds(300)
    /// Between two frames, unless a key was pressed: no one reads faster.
    static let framePause = Duration.milliseconds(150)
    /// For a terminal to take the last bytes.
    static let leavingLimit = Duration.milliseconds(500)

    init(_ screen: TerminalScreen, _ requests: ScreenRequests, _ role: HUD.Role, on reactor: Reactor) {
        self.screen = screen
        self.requests = requests
        self.role = role
        self.reactor = reactor
        layout = TextLayout(isTerminal: true, columns: 80, environment: { Program.environment($0) })
        charset = Charset(environment: { Program.environment($0) })
    }

    /// Nothing where lines are wanted: no terminal, one that knows no screen, or one that is another program's now.
    static func terminal() -> TerminalScreen? {
        guard Terminal.isTerminal(1), let kind = Program.environment("TERM"), !kind.isEmpty, kind != "dumb"
        else { return nil }
        do {
            let screen = try TerminalScreen()
            guard screen.isForeground else {
                screen.end()
                return nil
            }
            return screen
        } catch {
            // One that cannot be opened is written to as any other output.
            return nil
        }
    }

    /// Shown among the news, as long as it is shown. From any thread.
    func tell(_ line: TextLine) { inputs.post(.happened(.told(line))) }

    /// From any thread.
    func tell(_ page: HUD.PageAddress) { inputs.post(.happened(.serves(page))) }

    /// Until the operator ends it, the terminal is gone, or the task is cancelled. The terminal is what it was then.
    func run() async -> End {
        await withTaskExecutorPreference(reactor) {
            await withTaskCancellationHandler {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await self.watchStatus() }
                    group.addTask { await self.readKeys() }
                    group.addTask { await self.watchTerminal() }
                    let end = await self.work(in: &group)
                    group.cancelAll()
                    return end
                }
            } onCancel: {
                inputs.close()
            }
        }
    }

    // MARK: What comes

    private func watchStatus() async {
        while !Task.isCancelled {
            let happening = await requests.status(on: reactor)
            inputs.post(.happened(happening))
            let isLive =
                if case .status(let status) = happening { status["live"]?.bool == true } else { false }
            await pause(isLive ? Self.interval : Self.intervalAtRest)
        }
    }

    private func pause(_ span: Duration) async { await pause(until: reactor.now + span) }

    func pause(until moment: Duration) async {
        do {
            try await reactor.sleep(until: moment)
        } catch {
            // It ends; the caller looks at that.
            return
        }
    }

    private func readKeys() async {
        while !Task.isCancelled {
            guard screen.isForeground else {
                await pause(Self.backgroundPause)
                continue
            }
            guard await reactor.waitReadable(screen.descriptor, until: nil) == .ready else { return }
            let (bytes, outcome) = screen.read()
            switch outcome {
            case .moved: inputs.post(.bytes(bytes))
            case .wouldBlock: continue
            case .gone where !screen.isForeground: continue
            case .gone: return inputs.post(.lost)
            }
        }
    }

    private func watchTerminal() async {
        while await reactor.waitReadable(screen.signalDescriptor, until: nil) == .ready {
            for change in screen.changes() { inputs.post(.changed(change)) }
        }
    }

    // MARK: What is done

    /// What the loop knows from one input to the next.
    struct Desk {
        var hud: HUD
        var keys = KeyDecoder()
        var isShown = false
        /// What the terminal shows, or will when it has taken what is on its way.
        var frame: Frame?
        var outgoing: ArraySlice<UInt8> = []
        /// The terminal takes nothing, and is waited for.
        var isAwaited = false
        /// Something that was asked for is under way.
        var isBusy = false
        var nextFrame = Duration.zero
        var isFramePlanned = false
        var end: End?
    }

    private func work(in group: inout TaskGroup<Void>) async -> End {
        var desk = Desk(hud: HUD(role))
        show(&desk)
        draw(&desk, in: &group)
        while desk.end == nil, let batch = await inputs.next() {
            for input in batch where desk.end == nil { take(input, &desk, in: &group) }
            draw(&desk, in: &group)
        }
        await leave(&desk)
        return desk.end ?? .cancelled
    }

    private func take(_ input: Input, _ desk: inout Desk, in group: inout TaskGroup<Void>) {
        switch input {
        case .happened(let happening):
            if case .done = happening { desk.isBusy = false }
            if case .choices = happening { desk.isBusy = false }
            if case .page = happening { desk.isBusy = false }
            handle(happening, &desk, in: &group)
        case .bytes(let bytes):
            desk.nextFrame = .zero
            for key in desk.keys.keys(of: bytes) { handle(.key(key), &desk, in: &group) }
            guard desk.keys.isUndecided else { return }
            group.addTask {
                await self.pause(Self.keyPause)
                self.inputs.post(.pause)
            }
        case .pause:
            for key in desk.keys.pause() { handle(.key(key), &desk, in: &group) }
        case .changed(.resized): desk.nextFrame = .zero
        case .changed(.stopping): stop(&desk)
        case .changed(.continued):
            // Whatever has written there meanwhile: it is drawn anew.
            if !desk.isShown || screen.isForeground { show(&desk) }
        case .writable: desk.isAwaited = false
        case .due: desk.isFramePlanned = false
        case .lost: desk.end = .terminalLost
        }
    }

    private func handle(_ happening: HUD.Happening, _ desk: inout Desk, in group: inout TaskGroup<Void>) {
        for action in desk.hud.handle(happening, at: reactor.now) {
            switch action {
            case .end: desk.end = .operatorLeft
            case .drawAnew: desk.frame = nil
            case .pause, .retryFailed, .listEvents, .findPage, .choose:
                // One after the other: a key that repeats asks for nothing more.
                guard !desk.isBusy else { continue }
                desk.isBusy = true
                group.addTask { [requests, reactor] in
                    guard let answer = await requests.perform(action, on: reactor) else { return }
                    self.inputs.post(.happened(answer))
                    self.inputs.post(.happened(await requests.status(on: reactor)))
                }
            }
        }
    }
}
