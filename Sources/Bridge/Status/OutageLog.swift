public import Basics

/// What an operator reads of a night the next morning: cameras that were away, destinations that took nothing, a disk that
/// was full. Each of them is one line, which is told anew while it goes on and when it is over. A value: every moment is
/// an argument.
public struct OutageLog: Equatable, Sendable {
    /// What is to be written.
    public enum Change: Equatable, Sendable {
        /// Under a number of ours, by which it is told anew.
        case begin(line: Int, JournalEntry, at: Timestamp)
        case renew(line: Int, String)
    }

    private struct Outage: Equatable, Sendable {
        let line: Int
        /// `192.168.1.1:15740 (Canon EOS R5 042)`.
        let subject: String
        let kind: Kind
        var reason: String
        var begun: Timestamp
        /// Nothing while it goes on.
        var ended: Timestamp?
        /// How long it was all together before this time.
        var before = Duration.zero
        var times = 1
    }

    enum Kind: Equatable, Sendable {
        case camera
        case destination
        /// The network that leads to a destination: there is none, or it may not be used.
        case way
        case disk
    }

    /// One that comes back within so long is the same: a flapping network is one trouble.
    static let apart = Duration.seconds(120)
    /// Those that are remembered.
    static let most = 200

    private var outages: [String: Outage] = [:]
    private var names: [String: String] = [:]
    private var cameras: [String: CameraID] = [:]
    private var ways: [String: String] = [:]
    private var lines = 0

    public init() {}

    public mutating func apply(_ news: BridgeNews, at now: Timestamp) -> [Change] {
        switch news {
        case .camera(let news): apply(news, at: now)
        case .upload(.held(let url, _, let reason)):
            begin("to \(url)", .destination, subject: url, nil, reason, .warning, at: now)
        case .upload(.released(let url)), .upload(.begun(let url)), .upload(.delivered(_, let url, _)):
            end("to \(url)", at: now)
        case .upload(.way(let url, let way)):
            noted(way, to: url)
        case .upload(.slots(let url, let slots)):
            slots > 0
                ? end("way to \(url)", at: now)
                : begin(
                    "way to \(url)", .way, subject: url, nil, ways[url] ?? "no network leads there", .warning,
                    at: now)
        case .upload, .search, .paused, .told, .missed: []
        }
    }

    private mutating func noted(_ way: String, to url: String) -> [Change] {
        if ways.count < Self.most || ways[url] != nil { ways[url] = way }
        return []
    }

    private mutating func apply(_ news: CameraNews, at now: Timestamp) -> [Change] {
        if let camera = news.camera { cameras[news.place] = camera }
        let name = names[news.place].map { "\(news.place) (\($0))" } ?? news.place
        switch news.event {
        case .met(let camera):
            names[news.place] = "\(camera)"
            return []
        case .connection(.waiting(_, let loss)):
            return begin(
                "camera \(news.place)", .camera, subject: name, cameras[news.place], loss.reason, .warning,
                at: now)
        case .connection(.ready), .connection(.ended): return end("camera \(news.place)", at: now)
        case .held(let reason, _), .state(.held(let reason, _)):
            return begin("disk", .disk, subject: "", nil, reason, .error, at: now)
        case .state(.fetching), .state(.suspect), .state(.idle), .staged: return end("disk", at: now)
        case .connection, .advice, .personNeeded, .state, .reconciled, .passedOver, .began, .duplicate, .lost,
            .suspected, .givenUp, .described, .empty, .deleted, .notDeleted, .released, .remark, .clock:
            return []
        }
    }

    private mutating func begin(
        _ key: String, _ kind: Kind, subject: String, _ camera: CameraID?, _ reason: String,
        _ level: JournalEntry.Level, at now: Timestamp
    ) -> [Change] {
        if var outage = outages[key] {
            let isOn = outage.ended == nil
            guard isOn || now - (outage.ended ?? now) < Self.apart else {
                outages[key] = nil
                return begin(key, kind, subject: subject, camera, reason, level, at: now)
            }
            if isOn, outage.reason == reason { return [] }
            outage.reason = reason
            if let ended = outage.ended {
                outage.before = outage.before + max(.zero, ended - outage.begun)
                (outage.begun, outage.ended) = (now, nil)
                outage.times += 1
            }
            outages[key] = outage
            return [.renew(line: outage.line, Self.text(outage))]
        }
        guard outages.count < Self.most else { return [] }
        lines += 1
        let outage = Outage(line: lines, subject: subject, kind: kind, reason: reason, begun: now)
        outages[key] = outage
        return [.begin(line: lines, JournalEntry(level, camera: camera, Self.text(outage)), at: now)]
    }

    private mutating func end(_ key: String, at now: Timestamp) -> [Change] {
        guard var outage = outages[key], outage.ended == nil else { return [] }
        outage.ended = now
        outages[key] = outage
        return [.renew(line: outage.line, Self.text(outage))]
    }

    private static func text(_ outage: Outage) -> String {
        let isOver = outage.ended != nil
        let what =
            switch (outage.kind, isOver) {
            case (.camera, false): "\(outage.subject): no connection"
            case (.camera, true): "\(outage.subject): there was no connection"
            case (.destination, false): "\(outage.subject) takes no photos"
            case (.destination, true): "\(outage.subject) took no photos"
            case (.way, false): "no photos go to \(outage.subject)"
            case (.way, true): "no photos went to \(outage.subject)"
            case (.disk, false): "the disk takes no photos, and nothing is fetched"
            case (.disk, true): "the disk took no photos, and nothing was fetched"
            }
        var parts: [String] = []
        if let ended = outage.ended {
            parts.append("for \(Human.span(outage.before + max(.zero, ended - outage.begun)))")
        }
        if outage.times > 1 { parts.append("\(outage.times) times") }
        return what + (parts.isEmpty ? "" : " \(parts.joined(separator: ", "))") + ": \(outage.reason)"
    }
}
