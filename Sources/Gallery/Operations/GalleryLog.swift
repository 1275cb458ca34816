package import Basics
package import HTTPServer

/// Lines for the operator of the server: what happened, by fields. Never a signed URL, a token or a password: of a request's
/// address only the path is said.
package struct GalleryLog: Sendable {
    package enum Level: Int, Sendable {
        case error = 3
        case warning = 4
        case info = 6

        var word: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            }
        }
    }

    private let write: @Sendable (Level, String) -> Void

    package init(write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    package func error(_ message: String) { write(.error, message) }
    package func warning(_ message: String) { write(.warning, message) }
    package func info(_ message: String) { write(.info, message) }

    /// A line as it is written. A service's journal has times and levels of its own; elsewhere both come first.
    package static func line(
        _ level: Level, _ message: String, node: String?, isService: Bool, at now: Timestamp
    ) -> String {
        let begin =
            isService
            ? "<\(level.rawValue)>" : "\(CivilTime.rfc3339(milliseconds: now.milliseconds)) \(level.word) "
        let name = node.map { "node=\($0) " } ?? ""
        return begin + String((name + message).map { $0.isNewline ? " " : $0 })
    }

    package func access(_ entry: AccessEntry) {
        let path = entry.path.unicodeScalars.map {
            (0x21...0x7E).contains($0.value) && $0 != "\"" ? "\($0)" : "?"
        }
        info(
            "request=\(entry.id) method=\(entry.method) path=\"\(path.joined().prefix(200))\" status=\(entry.status) "
                + "sent=\(entry.sent) received=\(entry.received) ms=\(entry.took.wholeMilliseconds) peer=\(entry.peer)"
        )
    }
}
