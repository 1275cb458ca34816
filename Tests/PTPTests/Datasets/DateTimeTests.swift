import PTP
import Testing

@Suite struct DateTimeTests {
    @Test("every form of the standard is read and written again")
    func forms() throws {
        for text in [
            "20260129T230236", "20260129T230236.5", "20260129T230236Z", "20260129T230236.0Z",
            "20260129T230236+0530", "20260129T230236-0800", "19800000T000000", "99991231T235959",
        ] {
            #expect(try #require(DateTime(text)).description == text)
        }
    }

    @Test("fields are read one by one")
    func fields() throws {
        let date = try #require(DateTime("20260129T230236.5-0830"))
        #expect(date.year == 2026 && date.month == 1 && date.day == 29)
        #expect(date.hour == 23 && date.minute == 2 && date.second == 36 && date.tenth == 5)
        #expect(date.zone == .offset(minutes: -510))
        #expect(date.isComplete)
    }

    @Test("a Nikon's DCIM folder has no month and no day")
    func incomplete() throws {
        let date = try #require(DateTime("19800000T000000"))
        #expect(date.month == nil && date.day == nil && !date.isComplete)
    }

    @Test(
        "what is no date is nothing",
        arguments: [
            "", "2026", "20261301T000000", "20260132T000000", "20260101T240000", "20260101T006000",
            "20260101 000000", "2026010AT000000", "20260101T000000.", "20260101T000000x", "20260101T000000+1",
            "20260101T000000+9900", "-0260101T000000", "２０２６0101T000000",
        ])
    func unreadable(text: String) {
        #expect(DateTime(text) == nil)
    }

    @Test("more digits than tenths are read as tenths")
    func fractions() throws {
        #expect(try #require(DateTime("20260101T000000.123Z")).tenth == 1)
    }

    @Test("seconds since 1970 become dates, leap years and centuries included")
    func calendar() {
        let table: [(Int64, String)] = [
            (0, "19700101T000000"), (951_782_399, "20000228T235959"), (951_782_400, "20000229T000000"),
            (1_790_000_000, "20260921T141320"), (4_107_542_399, "21000228T235959"),
            (4_107_542_400, "21000301T000000"), (-1, "19691231T235959"), (253_402_300_799, "99991231T235959"),
        ]
        for (seconds, text) in table { #expect(DateTime(secondsSince1970: seconds).description == text) }
    }
}
