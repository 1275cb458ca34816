package import Basics
import HTTPServer
import Synchronization

/// What people did, in a line each, for an operator who looks back: who came in and who did not, what was uploaded, deleted
/// and taken home. Never a password, a PIN, a key or a token.
///
/// A line that is written while a request is answered ends with the request's id. A flood of one kind is a few lines and a
/// sum, which is of many requests and has none.
package final class ActivityLog: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case login
        case loginFailed = "login-failed"
        case registered
        /// Came in by a PIN or a key.
        case guest
        case pinFailed = "pin-failed"
        case uploaded
        case uploadFailed = "upload-failed"
        /// A guest has begun to bring a photo.
        case guestUpload = "guest-upload"
        case deleted
        case downloaded

        /// Lines in a period. A failure costs its client nothing.
        package var most: Int {
            switch self {
            case .loginFailed, .pinFailed: 10
            case .login, .registered, .guest, .uploaded, .uploadFailed, .guestUpload, .deleted, .downloaded:
                200
            }
        }
    }

    private struct Period {
        var began: Duration
        var lines = 0
        /// What was not said.
        var others = 0
    }

    package static let period = Duration.seconds(10)
    private static let longestValue = 100

    private let log: GalleryLog
    private let time: any TimeSource
    private let periods = Mutex<[Kind: Period]>([:])

    package init(_ log: GalleryLog, time: any TimeSource) {
        self.log = log
        self.time = time
    }

    /// `fields` in their order; values may come from clients.
    package func note(_ kind: Kind, _ fields: KeyValuePairs<String, String>) {
        let now = time.now
        let (sum, isSaid) = periods.withLock { periods -> (String?, Bool) in
            let sum = Self.end(kind, &periods, at: now)
            periods[kind, default: Period(began: now)].lines += 1
            guard let period = periods[kind], period.lines > kind.most else { return (sum, true) }
            periods[kind]?.others += 1
            return (sum, false)
        }
        if let sum { log.info(sum) }
        guard isSaid else { return }
        let request = Request.answeredID.map { " \(GalleryLog.field(ofRequest: $0))" } ?? ""
        log.info(kind.rawValue + fields.map { " \($0.key)=\(Self.written($0.value))" }.joined() + request)
    }

    /// Says how much was not said in periods that are over, or in all where this is the end.
    package func flush(isEnd: Bool = false) {
        let now = isEnd ? time.now + Self.period : time.now
        let sums = periods.withLock { periods in
            Kind.allCases.compactMap { Self.end($0, &periods, at: now) }
        }
        for sum in sums { log.info(sum) }
    }

    private static func end(_ kind: Kind, _ periods: inout [Kind: Period], at now: Duration) -> String? {
        guard let period = periods[kind], now - period.began >= Self.period else { return nil }
        periods[kind] = nil
        guard period.others > 0 else { return nil }
        return "\(kind.rawValue) more=\(period.others) seconds=\(Self.period.components.seconds)"
    }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + Self.period)
            } catch {
                break
            }
            flush()
        }
        flush(isEnd: true)
    }

    /// One word, or several between quotes.
    private static func written(_ value: String) -> String {
        let scalars = value.unicodeScalars.prefix(longestValue).map { scalar -> Unicode.Scalar in
            (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "?"
        }
        let text = String(String.UnicodeScalarView(scalars))
        let isWord = !text.isEmpty && !scalars.contains { $0 == " " || $0 == "=" }
        return isWord ? text : "\"\(text)\""
    }
}

extension ActivityLog {
    /// What has become of photos and events. It runs after each commit, on the store's thread and still in the task that asked
    /// for it, so that a request which deletes is known. Photos are made by no request's task.
    func note(_ changes: [GalleryChange]) {
        for change in changes {
            switch change {
            case .photoAdded(let photo, let event):
                note(
                    .uploaded,
                    ["photo": photo.id, "event": event.id, "bytes": "\(photo.size)"])
            case .photoDeleted(let photo, let event, _):
                note(.deleted, ["photo": photo.id, "event": event.id])
            case .eventDeleted(let event): note(.deleted, ["event": event])
            case .photoChanged, .photosMoved, .countsChanged, .reactionsChanged, .accessChanged,
                .originalsWithdrawn, .originalsGiven, .loginsEnded:
                break
            }
        }
    }
}
