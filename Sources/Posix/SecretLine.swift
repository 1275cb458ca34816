import Glibc

/// One line that a person types without an echo, or that another program gives.
package enum SecretLine {
    package static let longest = 4096

    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case tooLong
        /// The end came before anything else.
        case nothing

        package var description: String {
            switch self {
            case .tooLong: "What was typed is longer than \(longest) bytes."
            case .nothing: "Nothing was typed."
            }
        }
    }

    /// A line of standard input without its end. At a terminal it is asked for, and what is typed is not shown when
    /// `isHidden`; the terminal is what it was when this returns, also when the task is cancelled.
    package static func read(
        _ prompt: String, isHidden: Bool = true, on reactor: Reactor
    ) async throws -> String {
        guard Terminal.isTerminal(STDIN_FILENO) else { return try await line(on: reactor) }
        var before = termios()
        try check("reading the settings", on: "the terminal") { tcgetattr(STDIN_FILENO, &before) }
        if isHidden {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            try check("hiding what is typed", on: "the terminal") {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
            }
        }
        defer {
            // The line's end was hidden as well.
            if isHidden, tcsetattr(STDIN_FILENO, TCSADRAIN, &before) == 0 {
                writeAll("\n", to: STDERR_FILENO)
            }
        }
        writeAll(prompt, to: STDERR_FILENO)
        return try await line(on: reactor)
    }

    private static func line(on reactor: Reactor) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            guard await reactor.waitReadable(STDIN_FILENO, until: nil) == .ready else {
                throw CancellationError()
            }
            // Byte by byte: what comes behind the line is not for this program.
            var byte: UInt8 = 0
            let count = try check("reading", on: "standard input") { Glibc.read(STDIN_FILENO, &byte, 1) }
            if count == 0 || byte == UInt8(ascii: "\n") {
                if count == 0, bytes.isEmpty { throw Failure.nothing }
                break
            }
            bytes.append(byte)
            guard bytes.count <= longest else { throw Failure.tooLong }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
