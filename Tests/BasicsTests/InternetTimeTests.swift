import Basics
import Testing

/// Expected seconds come from `date -u -d … +%s`.
@Suite struct InternetTimeTests {
    @Test(
        "times of RFC 3339 are read to the millisecond, whatever their zone",
        arguments: [
            ("2026-11-21T18:59:03.123Z", 1_795_287_543_123), ("2026-11-21T18:59:03Z", 1_795_287_543_000),
            ("2026-11-21t18:59:03.1z", 1_795_287_543_100), ("2026-11-21T19:59:03+01:00", 1_795_287_543_000),
            ("2026-11-21T13:29:03.000999-05:30", 1_795_287_543_000), ("1969-12-31T23:59:59.250Z", -750),
            // The examples of §5.8.
            ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
            ("1990-12-31T23:59:60Z", 662_687_999_000), ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130),
        ] as [(String, Int64)])
    func rfc3339(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is no time of RFC 3339 is none",
        arguments: [
            "", "2026-11-21", "2026-11-21T18:59:03", "2026-11-21 18:59:03Z", "2026-13-21T18:59:03Z",
            "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T18:59:03.Z", "2026-11-21T18:59:03Zx",
            "2026-11-21T18:59:03+0100", "2026-11-21T18:59:03+24:00", "+026-11-21T18:59:03Z",
            "2026-11-21T18:59:03.1111111111111111111Z", "20261121T185903Z", "2026-11-21T18:59:61Z",
        ])
    func notRFC3339(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "all three forms of an HTTP date are read",
        arguments: [
            // The examples of RFC 9110 §5.6.7.
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Sat, 21 Nov 2026 18:59:03 GMT", 1_795_287_543),
            ("Saturday, 21-Nov-26 18:59:03 GMT", 1_795_287_543), ("Sat Nov 21 18:59:03 2026", 1_795_287_543),
        ] as [(String, Int64)])
    func httpDates(text: String, seconds: Int64) {
        #expect(Timestamp(httpDate: text)?.seconds == seconds)
    }

    @Test(
        "what is no HTTP date is none",
        arguments: [
            "", "now", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Foo, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "1994-11-06T08:49:37Z", String(repeating: "S", count: 100_000),
        ])
    func noHTTPDates(text: String) {
        #expect(Timestamp(httpDate: text) == nil)
    }

    @Test("an HTTP date is written as the standard prefers it")
    func writing() {
        #expect(Timestamp(milliseconds: 784_111_777_999).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Timestamp(milliseconds: 1_795_287_543_000).httpDate == "Sat, 21 Nov 2026 18:59:03 GMT")
        #expect(Timestamp(milliseconds: -1).httpDate == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test("Retry-After is understood as seconds and as a date, which is the other side's")
    func retryAfter() {
        let now = Timestamp(milliseconds: 784_111_777_000)
        func answer(_ headers: HTTPHeader...) -> Duration? {
            HTTPResponse(status: 503, headers: headers).retryAfter(at: now)
        }
        #expect(answer(HTTPHeader("retry-after", "120")) == .seconds(120))
        #expect(answer(HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")) == .seconds(60))
        let skewed = HTTPHeader("Date", "Sun, 06 Nov 1994 08:50:07 GMT")
        #expect(answer(HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT"), skewed) == .seconds(30))
        #expect(answer(HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT")) == .zero)
        for nonsense in ["", "-5", "soon", "1e9", "99999999999999999999"] {
            #expect(answer(HTTPHeader("Retry-After", nonsense)) == nil, "\(nonsense)")
        }
        #expect(answer() == nil)
        // No caller waits longer than a day.
        #expect(answer(HTTPHeader("Retry-After", "999999999")) == .seconds(86_400))
        #expect(answer(HTTPHeader("Retry-After", "Sun, 06 Nov 2094 08:49:37 GMT")) == .seconds(86_400))
    }
}
