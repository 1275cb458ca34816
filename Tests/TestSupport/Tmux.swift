import Glibc

/// A terminal that is no one's of ours: tmux draws what a program writes, and says what a person would see.
public final class Tmux: Sendable {
    private let tool: Tool
    private let folder: TemporaryFolder
    /// Longer than anything here takes; a test that waits for it has failed.
    private static let patience = 40.0

    public static var isThere: Bool { Tool.isThere("tmux") }

    public struct NeverShown: Error, CustomStringConvertible {
        public let description: String
    }

    /// A terminal of that size which runs a shell command. `environment` is set before it.
    public init(
        _ command: String, columns: Int, rows: Int, environment: [String: String] = [:]
    ) throws {
        guard let tool = Tool("tmux") else { throw NeverShown(description: "tmux is not installed") }
        self.tool = tool
        folder = try TemporaryFolder()
        // A server of its own, which ends with its one window, and no settings of the user's.
        let variables = environment.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        try ask(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + variables
                + ["env"] + (environment["NO_COLOR"] == nil ? ["-u", "NO_COLOR"] : []) + [
                    "sh", "-c", command,
                ])
        try ask(["set-option", "-g", "status", "off"])
        try ask(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    deinit {
        do {
            try ask(["kill-server"])
        } catch {
            // It has ended with its command.
            return
        }
    }

    @discardableResult
    private func ask(_ words: [String]) throws -> Tool.Output {
        let answer = try tool.run(
            ["-u", "-S", folder.file("socket")] + words,
            environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TMUX": ""])
        guard answer.code == 0 else {
            throw NeverShown(description: "tmux \(words.joined(separator: " ")): \(answer.errors)")
        }
        return answer
    }

    /// The rows as they are seen, without the blanks at their ends; with `isColoured` also their colours, as tmux writes them.
    public func screen(isColoured: Bool = false) throws -> [String] {
        let text = try ask(["capture-pane", "-p"] + (isColoured ? ["-e"] : [])).text
        var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
            String(row.reversed().drop { $0 == " " }.reversed())
        }
        if rows.last == "" { rows.removeLast() }
        return rows
    }

    /// What tmux knows of the terminal, such as `alternate_on`.
    public func fact(_ name: String) throws -> String {
        try ask(["display-message", "-p", "#{\(name)}"]).lines.first ?? ""
    }

    public func press(_ keys: String...) throws { try ask(["send-keys"] + keys) }

    public func resize(columns: Int, rows: Int) throws {
        try ask(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Looks until a row holds the text; gives the screen.
    @discardableResult
    public func wait(for text: String) throws -> [String] {
        try wait("'\(text)'") { $0.contains { $0.contains(text) } }
    }

    @discardableResult
    public func wait(_ what: String, until isThere: ([String]) throws -> Bool) throws -> [String] {
        var began = timespec()
        clock_gettime(CLOCK_MONOTONIC, &began)
        while true {
            let rows = try screen()
            if try isThere(rows) { return rows }
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            guard Double(now.tv_sec - began.tv_sec) < Self.patience else {
                throw NeverShown(description: "\(what) was never there:\n\(rows.joined(separator: "\n"))")
            }
        }
    }
}
