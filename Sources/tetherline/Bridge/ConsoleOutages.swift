import Basics
import Bridge

/// What goes on is said once at the console, with what has come of it when it is over: twenty-seven tries to reach a camera
/// are no news.
struct ConsoleOutages {
    private struct Outage {
        let since: Timestamp
        var times = 1
        /// Reasons that have been said.
        var said: Set<String>
    }

    /// Reasons of one that are remembered.
    private static let mostReasons = 20
    private static let most = 400

    private var outages: [String: Outage] = [:]
    private var ways: [String: String] = [:]

    /// What is said behind the line; nothing where the line is left out.
    mutating func remark(on news: CameraNews, at now: Timestamp) -> String? {
        let key = "camera \(news.place)"
        switch news.event {
        case .connection(.waiting(_, let loss)): return begins(key, loss.reason, at: now) ? "" : nil
        case .connection(.connecting): return outages[key] == nil ? "" : nil
        case .connection(.ready): return ended(key, at: now).map { " after \($0)" } ?? ""
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .passedOver, .began, .staged,
            .duplicate, .lost, .suspected, .givenUp, .described, .empty, .deleted, .notDeleted, .held,
            .released, .remark, .clock:
            return ""
        }
    }

    /// False where it has been said of this outage.
    mutating func isNews(heldAt url: String, _ reason: String, at now: Timestamp) -> Bool {
        begins("to \(url)", reason, at: now)
    }

    /// How long it was.
    mutating func released(_ url: String, at now: Timestamp) -> String? { ended("to \(url)", at: now) }

    /// The way to a destination, for what is said when nothing goes there.
    mutating func note(way: String, to url: String) {
        if ways.count < Self.most || ways[url] != nil { ways[url] = way }
    }

    /// Why nothing may go there by this network, when that begins; an empty text when it is over.
    mutating func change(slots: Int, to url: String, at now: Timestamp) -> String? {
        let key = "way to \(url)"
        if slots > 0 { return ended(key, at: now) == nil ? nil : "" }
        let way = ways[url] ?? "no network leads there"
        return begins(key, way, at: now) ? way : nil
    }

    private mutating func begins(_ key: String, _ reason: String, at now: Timestamp) -> Bool {
        guard var outage = outages[key] else {
            if outages.count < Self.most { outages[key] = Outage(since: now, said: [reason]) }
            return true
        }
        outage.times += 1
        let isNew = outage.said.count < Self.mostReasons && outage.said.insert(reason).inserted
        outages[key] = outage
        return isNew
    }

    private mutating func ended(_ key: String, at now: Timestamp) -> String? {
        guard let outage = outages.removeValue(forKey: key) else { return nil }
        let span = Human.span(max(.zero, now - outage.since))
        return outage.times > 1 ? "\(span) and \(outage.times) tries" : span
    }
}
