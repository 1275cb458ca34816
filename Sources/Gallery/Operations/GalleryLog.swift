package import Basics
package import HTTPServer

/// Lines for the operator of the server: what happened, by fields. Never a signed URL, a token or a password: of a request's
/// address only the path is said. Every line that is about one request says `request=` and its id.
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

    /// `request` is the id of the one that the line is about, if it is about one.
    package func error(_ message: String, of request: String? = nil) {
        write(.error, Self.beginning(of: request) + message)
    }

    package func warning(_ message: String, of request: String? = nil) {
        write(.warning, Self.beginning(of: request) + message)
    }

    package func info(_ message: String) { write(.info, message) }

    // MARK: Requests

    /// The name of a request, in the one form that is looked for; a proxy's log has the same id.
    static func field(ofRequest id: String) -> String { "request=\(id)" }

    private static func beginning(of request: String?) -> String {
        request.map { "\(field(ofRequest: $0)) " } ?? ""
    }

    /// Where a request went. Nothing in a path can look like another field.
    static func place(_ method: String, _ path: String) -> String {
        let written = path.unicodeScalars.map {
            (0x21...0x7E).contains($0.value) && $0 != "\"" ? "\($0)" : "?"
        }
        return "method=\(method) path=\"\(written.joined().prefix(200))\""
    }

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
        info(
            "\(Self.field(ofRequest: entry.id)) \(Self.place(entry.method, entry.path)) status=\(entry.status) "
                + "sent=\(entry.sent) received=\(entry.received) ms=\(entry.took.wholeMilliseconds) peer=\(entry.peer)"
        )
    }
}
