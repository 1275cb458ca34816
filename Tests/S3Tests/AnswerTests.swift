import Basics
import Bridge
import S3
import Testing

@Suite struct AnswerTests {
    /// "Sun, 06 Nov 1994 08:49:37 GMT" is RFC 9110's own; the seconds are from `date -d … +%s`.
    @Test("a server's date is read")
    func dates() {
        #expect(ServerTime.moment("Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
        #expect(ServerTime.moment("Thu, 29 Feb 2024 23:59:59 GMT")?.seconds == 1_709_251_199)
        for text in [
            "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 2024 08:49:37 GMT", "a b c d e GMT",
        ] {
            #expect(ServerTime.moment(text) == nil)
        }
    }

    @Test("how long a server wants to be left alone, in seconds or as a date by its own clock")
    func retryAfter() {
        let now = Timestamp(milliseconds: 0)
        func span(_ headers: [(String, String)]) -> Duration? {
            let headers = headers.map { HTTPHeader($0.0, $0.1) }
            return ServerTime.retryAfter(HTTPResponse(status: 503, headers: headers), now: now)
        }
        #expect(span([]) == nil)
        #expect(span([("Retry-After", "soon")]) == nil)
        #expect(span([("Retry-After", "7")]) == .seconds(7))
        #expect(span([("Retry-After", "999999999")]) == .seconds(86_400))
        let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(span([date, ("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")]) == .seconds(60))
        #expect(span([date, ("Retry-After", "Sun, 06 Nov 1994 08:48:37 GMT")]) == .zero)
    }

    private func read(_ text: String) throws -> XMLElement { try XMLElement(Array(text.utf8)) }

    @Test("an error of a store is read")
    func error() throws {
        let element = try read(
            """
            <?xml version="1.0" encoding="UTF-8"?><!-- a > b -->
            <s:Error xmlns:s="http://s3/" note='a>b'><Code>AccessDenied</Code>
            <Message>no &amp; &lt;never&gt; &#x41;&#66;<![CDATA[<&]]></Message><Empty/><Other a="1" /></s:Error>
            """)
        #expect(element.name == "Error")
        #expect(element["Code"] == "AccessDenied")
        #expect(element["Message"] == "no & <never> AB<&")
        #expect(element["Empty"] == "" && element["Other"] == "" && element["Missing"] == nil)
    }

    @Test(
        "what is no XML, or is meant to hurt, is refused",
        arguments: [
            "", "hello", "<a>", "<a><b></a>", "</a>", "<a", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<a>&b;</a>", "<a>&</a>", "<a>&#xFFFFFFF;</a>", "<![CDATA[", "<>", "<a b=\">", "<a>&#+65;</a>",
            "<a>&#-1;</a>", "<a>&#x;</a>", "<a>&#;</a>", "<a>&;</a>", "<?a></?a>", "<a/b></a/b>",
            "<a<b></a<b>",
            String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
            "<a>" + String(repeating: "<b/>", count: 30_000) + "</a>",
        ])
    func malformed(text: String) {
        #expect(throws: XMLElement.Malformed.self) { try read(text) }
    }

    /// As `xmllint --xpath 'string(/Key)'` prints them.
    @Test(
        "names of objects are theirs, whatever stands beside an escaped character",
        arguments: [
            ("a&amp;\u{301}b", "a&\u{301}b"), ("&#97;\u{308}.JPG", "a\u{308}.JPG"), ("&amp;amp;", "&amp;"),
            ("\u{200D}&lt;\u{200D}", "\u{200D}<\u{200D}"), ("&#x10FFFF;", "\u{10FFFF}"),
        ])
    func accents(written: String, meant: String) throws {
        #expect(try read("<Key>\(written)</Key>").text == meant)
    }

    @Test("however an answer is cut short, it is refused and nothing worse")
    func truncated() throws {
        let text = "<?xml version=\"1.0\"?><A b='c'><D>e&amp;f</D><![CDATA[g]]><H/></A>"
        _ = try read(text)
        for count in 0..<text.utf8.count {
            #expect(throws: XMLElement.Malformed.self) { try read(String(text.prefix(count))) }
        }
    }
}
