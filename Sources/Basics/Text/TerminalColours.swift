/// Whether a program may colour what it prints.
public enum TerminalColours {
    /// "Command-line software which adds ANSI color to its output by default should check for a NO_COLOR environment variable
    /// that, when present and not an empty string (regardless of its value), prevents the addition of ANSI color"
    /// (no-color.org).
    public static func areWanted(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        let isRefused = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        let canShow = environment("TERM").map { !$0.isEmpty && $0 != "dumb" } ?? false
        return isTerminal && canShow && !isRefused
    }
}
