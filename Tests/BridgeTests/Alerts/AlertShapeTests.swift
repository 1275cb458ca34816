import Basics
import Bridge
import TestSupport
import Testing

/// What receivers of alerts get.
@Suite struct AlertShapeTests {
    private static let news = AlertNews(
        .began,
        BridgeStatus.Alert(
            rule: .failedJobs, subject: "file:///d", since: Timestamp(milliseconds: 1_795_464_000_000),
            text: #"2 "deliveries" <to> A&B {text} C:\new"# + "\n\u{1B}", advice: "look"))

    private static func body(_ shape: AlertShape) throws -> JSONValue {
        try JSON5.parse(shape.body(of: news, event: "Ann & Bob", topic: "desk_1"))
    }

    private static let text = #"2 "deliveries" <to> A&B {text} C:\new"# + "\n\u{1B}. To do: look"

    @Test("ntfy's body has its topic, title, message, priority and tags, whatever the alert says")
    func ntfy() throws {
        let body = try Self.body(.ntfy)
        #expect(body.members?.map(\.key) == ["topic", "title", "message", "priority", "tags"])
        #expect(body["topic"]?.string == "desk_1" && body["title"]?.string == "Deliveries have failed")
        #expect(body["message"]?.string == Self.text && body["priority"]?.integer == 4)
        #expect(body["tags"]?.array?.map(\.string) == ["warning"])
    }

    @Test("Slack's text is escaped as Slack wants it, so that no name becomes a link or calls people")
    func slack() throws {
        let text = try #require(try Self.body(.slack)["text"]?.string)
        #expect(text.hasPrefix("*Deliveries have failed* (Ann &amp; Bob)\n"))
        #expect(text.contains("&lt;to&gt; A&amp;B") && !text.contains("<") && !text.contains(">"))
    }

    @Test("the plain body has every fact, and an operator's template those that it names")
    func plain() throws {
        let body = try Self.body(.json)
        #expect(body["alert"]?.string == "failedJobs" && body["state"]?.string == "began")
        #expect(body["event"]?.string == "Ann & Bob" && body["subject"]?.string == "file:///d")
        #expect(body["since"]?.string == "2026-11-23T20:00:00.000Z" && body["text"]?.string == Self.text)
        let own = try Self.body(.template(#"{"content":"{title}: {text}","x":{"y":"{nothing}"}}"#))
        #expect(own["content"]?.string == "Deliveries have failed: \(Self.text)")
        #expect(own["x"]?["y"]?.string == "{nothing}", "what is no field stays")
    }

    @Test("a template that would be no JSON is found before it is used")
    func problems() {
        for name in AlertShape.names { #expect(AlertShape(named: name)?.problem == nil) }
        #expect(AlertShape.template(#"{"a":"{text}"}"#).problem == nil)
        for wrong in [#"{"a":{text}}"#, #"{"a":"{text}""#, "{text}", ""] {
            #expect(AlertShape.template(wrong).problem != nil, "\(wrong)")
        }
    }

    @Test("python's own reader takes every body as JSON", .enabled(if: Tool.isThere("python3")))
    func judged() throws {
        let python = try #require(Tool("python3"))
        for shape in [AlertShape.ntfy, .slack, .json, .template(#"["{text}","{title}"]"#)] {
            let body = shape.body(of: Self.news, event: "e", topic: "t")
            let answer = try python.run(
                ["-c", "import json, sys; json.load(sys.stdin)"], input: Array(body.utf8))
            #expect(answer.code == 0, "\(answer.errors)")
        }
    }

    @Test("an address of ntfy is its topic's, and the request goes to the server's root")
    func addresses() throws {
        func made(_ url: String, _ shape: AlertShape = .ntfy) throws -> AlertAddress? {
            AlertAddress(try WebhookAddress(url), shape)
        }
        #expect(try made("https://ntfy.sh/desk_1")?.target == "https://ntfy.sh/")
        #expect(try made("https://ntfy.sh/desk_1")?.topic == "desk_1")
        #expect(try made("https://h:8443/ntfy/a-b?auth=x/y")?.target == "https://h:8443/ntfy/?auth=x/y")
        for wrong in ["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a.b", "https://ntfy.sh/a%20b"] {
            #expect(try made(wrong) == nil, "\(wrong)")
        }
        let slack = "https://hooks.slack.com/services/T0/B0/xyz"
        #expect(try made(slack, .slack)?.target == slack)
    }
}
