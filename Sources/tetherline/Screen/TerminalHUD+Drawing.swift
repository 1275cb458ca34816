import Basics
import Console
import Posix

/// What is written to the terminal, and when.
extension TerminalHUD {
    func show(_ desk: inout Desk) {
        guard screen.isForeground else { return }
        do {
            desk.outgoing += Array(try screen.show().utf8)
            (desk.isShown, desk.frame) = (true, nil)
        } catch {
            desk.end = .terminalLost
        }
    }

    /// Only what has changed, and only when the last frame has been taken: a terminal that is not read is left behind.
    func draw(_ desk: inout Desk, in group: inout TaskGroup<Void>) {
        guard desk.end == nil else { return }
        if !desk.isShown { show(&desk) }
        guard desk.isShown else { return }
        send(&desk, in: &group)
        guard desk.outgoing.isEmpty, desk.end == nil else { return }
        guard desk.nextFrame <= reactor.now else { return plan(&desk, in: &group) }
        desk.nextFrame = reactor.now + Self.framePause
        let size = screen.size
        let look = HUDScreen.Look(
            size: ScreenSize(columns: size.columns, rows: size.rows), charset: charset)
        let frame = HUDScreen.frame(desk.hud, look) { SystemWallTime().localOffset(at: $0) }
        desk.outgoing = Array(frame.bytes(after: desk.frame, hasColours: layout.hasColours).utf8)[...]
        desk.frame = frame
        send(&desk, in: &group)
    }

    private func plan(_ desk: inout Desk, in group: inout TaskGroup<Void>) {
        guard !desk.isFramePlanned else { return }
        desk.isFramePlanned = true
        let moment = desk.nextFrame
        group.addTask {
            await self.pause(until: moment)
            self.inputs.post(.due)
        }
    }

    private func send(_ desk: inout Desk, in group: inout TaskGroup<Void>) {
        guard !desk.isAwaited else { return }
        while !desk.outgoing.isEmpty {
            switch screen.write(desk.outgoing) {
            case .moved(let count): desk.outgoing = desk.outgoing.dropFirst(count)
            case .gone:
                desk.end = .terminalLost
                return
            case .wouldBlock:
                desk.isAwaited = true
                group.addTask { [screen, reactor] in
                    _ = await reactor.waitWritable(screen.descriptor, until: nil)
                    self.inputs.post(.writable)
                }
                return
            }
        }
    }

    /// As ^Z does: the terminal is the shell's again, and this process stands still until it is continued.
    func stop(_ desk: inout Desk) {
        if desk.isShown {
            _ = screen.write(desk.outgoing + Array(screen.hide().utf8))
            (desk.isShown, desk.frame, desk.outgoing) = (false, nil, [])
        }
        screen.stop()
    }

    /// The terminal is what it was. One that is not read is not waited for longer than a moment.
    func leave(_ desk: inout Desk) async {
        guard desk.isShown else { return screen.end() }
        let last = desk.outgoing + Array(screen.hide().utf8)
        desk.isShown = false
        let deadline = reactor.now + Self.leavingLimit
        // A task of its own: the end of this one is what brings us here.
        await Task(executorPreference: reactor) { [screen, reactor] in
            var rest = last
            while !rest.isEmpty {
                switch screen.write(rest) {
                case .moved(let count): rest = rest.dropFirst(count)
                case .gone: return
                case .wouldBlock:
                    guard await reactor.waitWritable(screen.descriptor, until: deadline) == .ready else {
                        return
                    }
                }
            }
        }.value
        screen.end()
    }
}
