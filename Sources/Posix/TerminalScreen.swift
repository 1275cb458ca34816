import CLinux
import Glibc
import Synchronization

/// A terminal that a program has for itself for a while: key by key, on its second screen, and as it was before at
/// whatever end. One at a time in a process.
///
/// Nothing here waits: the terminal is opened anew for this, so that what stalls at its other end stalls no one else, and
/// other programs find its settings unchanged.
package final class TerminalScreen: Sendable {
    /// What happens to it, as a signal says.
    package enum Change: Equatable, Sendable {
        case resized
        /// The operator wants it to stop, as with ^Z.
        case stopping
        /// It goes on, perhaps in the background.
        case continued
    }

    package enum Outcome: Equatable, Sendable {
        case moved(Int)
        case wouldBlock
        /// The terminal is not there any more, or is another program's now.
        case gone
    }

    /// The second screen, without a cursor, and no line goes on at the next row; what is pasted is marked as such. These
    /// are xterm's names for it (ctlseqs: 1049, 25, 7, 2004), which all terminals of today know.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let terminal: OwnedDescriptor
    private let signals: Int32
    private let hasEnded = Mutex(false)

    /// The terminal of standard output.
    package init() throws(SystemError) {
        let descriptor = try Self.open()
        terminal = OwnedDescriptor(owning: descriptor)
        signals = try check("preparing", on: "the terminal") {
            tl_screen_begin(descriptor, Self.leaving)
        }
    }

    /// By its own name; where that is another user's, as after su(1), by the name that every terminal has.
    private static func open() throws(SystemError) -> Int32 {
        var name = [CChar](repeating: 0, count: 256)
        let flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        if ttyname_r(STDOUT_FILENO, &name, name.count) == 0 {
            let descriptor = Glibc.open(name, flags)
            if descriptor >= 0 { return descriptor }
        }
        return try check("opening", on: "the terminal") { Glibc.open("/dev/tty", flags) }
    }

    /// What is read and written.
    package var descriptor: Int32 { terminal.number }
    /// Readable when something has happened to the terminal.
    package var signalDescriptor: Int32 { signals }

    /// Eighty by twenty-four where it does not say.
    package var size: (columns: Int, rows: Int) {
        var (columns, rows): (Int32, Int32) = (80, 24)
        tl_terminal_size(terminal.number, &columns, &rows)
        return (Int(columns), Int(rows))
    }

    /// Whether the terminal is for this program now; in the background it is left alone.
    package var isForeground: Bool { tl_screen_is_ours(terminal.number) != 0 }

    /// Gives what has to be written first.
    package func show() throws(SystemError) -> String {
        _ = try check("setting", on: "the terminal") { tl_screen_show() }
        return Self.entering
    }

    /// The settings are what they were; gives what has to be written last.
    package func hide() -> String {
        tl_screen_hide()
        return Self.leaving
    }

    /// Stops this process until it is continued.
    package func stop() { tl_screen_stop() }

    /// Signals mean again what they meant before. The terminal is hidden by then.
    package func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { tl_screen_end() }
    }

    deinit { end() }

    // MARK: Bytes

    package func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        Self.outcome { bytes.withUnsafeBytes { Glibc.write(terminal.number, $0.baseAddress, $0.count) } }
    }

    package func read() -> (bytes: [UInt8], outcome: Outcome) {
        Self.read(from: terminal.number)
    }

    /// What has happened since it was asked last.
    package func changes() -> [Change] {
        Self.read(from: signals).bytes.compactMap { byte in
            switch Int32(byte) {
            case SIGWINCH: .resized
            case SIGTSTP: .stopping
            case SIGCONT: .continued
            default: nil
            }
        }
    }

    private static func read(from descriptor: Int32) -> (bytes: [UInt8], outcome: Outcome) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let outcome = outcome { Glibc.read(descriptor, &bytes, bytes.count) }
        guard case .moved(let count) = outcome else { return ([], outcome) }
        return (Array(bytes.prefix(count)), count == 0 ? .gone : outcome)
    }

    private static func outcome(_ call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .gone
            }
        }
    }
}
