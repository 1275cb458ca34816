import Basics

/// How an alert is written for one receiver: a template, or one of those that are known by name. Whatever an alert says, the
/// body is the JSON that the template was.
public enum AlertShape: Equatable, Sendable {
    /// ntfy's JSON to its root: the topic is the last part of the address, as its app shows it.
    case ntfy
    /// "incoming webhooks" of Slack and of those that take the same, such as Mattermost.
    case slack
    /// Every fact by its name.
    case json
    /// The operator's own, with ``fields`` in braces.
    case template(String)

    public static let names = ["ntfy", "slack", "json"]
    public static let fields = [
        "title", "text", "advice", "alert", "state", "subject", "event", "since", "topic",
    ]

    public init?(named name: String) {
        switch name {
        case "ntfy": self = .ntfy
        case "slack": self = .slack
        case "json": self = .json
        default: return nil
        }
    }

    private var template: String {
        switch self {
        // docs.ntfy.sh, "Publish as JSON": 3 is the usual priority, and 4 makes a telephone ring longer.
        case .ntfy:
            #"{"topic":"{topic}","title":"{title}","message":"{text}","priority":{priority},"tags":["{tag}"]}"#
        case .slack: #"{"text":"*{title}* ({event})\n{text}"}"#
        case .json:
            #"{"alert":"{alert}","state":"{state}","event":"{event}","subject":"{subject}","since":"{since}","#
                + #""title":"{title}","text":"{text}"}"#
        case .template(let text): text
        }
    }

    public func body(of news: AlertNews, event: String, topic: String) -> String {
        let isOver = news.state == .over || news.state == .test
        let values = [
            "title": news.title, "text": news.text, "advice": news.alert.advice,
            "alert": news.alert.rule.rawValue, "state": news.state.rawValue,
            "subject": news.alert.subject ?? "", "event": event, "topic": topic,
            "since": CivilTime.rfc3339(milliseconds: news.alert.since.milliseconds),
            "priority": isOver ? "3" : "4", "tag": isOver ? "white_check_mark" : "warning",
        ]
        let text = filled { values[$0] }
        // What the settings take as JSON5 leaves as JSON.
        guard case .template = self, let value = Self.parsed(text) else { return text }
        return value.compact
    }

    private static func parsed(_ text: String) -> JSONValue? {
        do throws(JSON5Error) { return try JSON5.parse(text) } catch { return nil }
    }

    /// Why it cannot be used; nothing where it can.
    public var problem: String? {
        guard case .template = self else { return nil }
        // With what has to stand between quotes, so that a field outside of them shows.
        let text = filled { Self.fields.contains($0) ? "a \"b\" \\ {c} 1" : nil }
        do throws(JSON5Error) {
            _ = try JSON5.parse(text)
            return nil
        } catch {
            return "is no JSON when the fields are filled in: \(error)"
        }
    }

    /// What is no field stays as it is: JSON is full of braces.
    private func filled(_ value: (String) -> String?) -> String {
        var result = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[rest.index(after: open)...]
            guard let close = rest.firstIndex(of: "}"), let value = value(String(rest[..<close])) else {
                result += "{"
                continue
            }
            result += Self.escaped(self == .slack ? Self.forSlack(value) : value)
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// As it stands between the quotes of a JSON text.
    private static func escaped(_ text: String) -> String {
        String(JSONValue.string(text).compact.dropFirst().dropLast())
    }

    /// Slack reads "<…>" as links and calls to people: "& replaced with &amp;, < with &lt;, > with &gt;" (its "Formatting").
    private static func forSlack(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// Where alerts go in the network: what stands in the settings, ready to be used.
public struct AlertAddress: Equatable, Sendable {
    public let address: WebhookAddress
    public let shape: AlertShape
    /// Where the request goes: with ntfy not to the topic's own address.
    public let target: String
    public let topic: String

    /// Nothing where it is ntfy's and names no topic.
    public init?(_ address: WebhookAddress, _ shape: AlertShape) {
        self.address = address
        self.shape = shape
        let query = address.url.firstIndex(of: "?") ?? address.url.endIndex
        let parts = address.url[address.name.endIndex..<query]
        let topic = parts.lastIndex(of: "/").map { parts[parts.index(after: $0)...] } ?? ""
        self.topic = String(topic)
        guard shape == .ntfy else {
            target = address.url
            return
        }
        let isTopic = topic.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        // "^[-_A-Za-z0-9]{1,64}$" is what ntfy's server takes.
        guard isTopic, (1...64).contains(topic.utf8.count) else { return nil }
        target = String(address.url[..<topic.startIndex]) + String(address.url[query...])
    }
}
