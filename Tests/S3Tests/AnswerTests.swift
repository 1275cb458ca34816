import Basics
import Bridge
import S3
import Testing

@Suite struct AnswerTests {
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
