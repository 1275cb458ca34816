import Basics
import Testing

@Suite struct CivilTimeTests {
    /// As `date -u` prints them.
    static let table: [(Int64, String, String)] = [
        (0, "1970-01-01", "000000"), (-1, "1969-12-31", "235959"), (-58_060_799, "1968-02-29", "000001"),
        (951_782_400, "2000-02-29", "000000"), (951_868_799, "2000-02-29", "235959"),
        (1_709_210_096, "2024-02-29", "123456"), (1_795_287_543, "2026-11-21", "185903"),
        (2_147_483_647, "2038-01-19", "031407"), (2_147_483_648, "2038-01-19", "031408"),
        (4_107_542_399, "2100-02-28", "235959"), (4_107_542_400, "2100-03-01", "000000"),
        (4_294_967_295, "2106-02-07", "062815"), (13_574_649_599, "2400-02-29", "235959"),
        (253_402_300_799, "9999-12-31", "235959"), (-2_208_988_800, "1900-01-01", "000000"),
        (-2_203_891_200, "1900-03-01", "000000"), (-11_676_096_000, "1600-01-01", "000000"),
        (-62_135_596_800, "0001-01-01", "000000"), (-62_135_596_801, "0000-12-31", "235959"),
    ]

    @Test("seconds and dates are those of every other program", arguments: table)
    func known(seconds: Int64, date: String, time: String) {
        let civil = CivilTime(secondsSince1970: seconds)
        #expect(civil.date == date)
        #expect(civil.time == time)
        #expect(civil.secondsSince1970 == seconds)
    }

    @Test("a camera's clock and the seconds say the same", arguments: table)
    func camera(seconds: Int64, date: String, time: String) {
        let text = String(date.filter { $0 != "-" }) + "T" + time
        #expect(CivilTime(ptp: text) == CivilTime(secondsSince1970: seconds))
    }

    @Test("every day of 800 years follows the one before it, and comes back")
    func everyDay() {
        var last = CivilTime(secondsSince1970: -12_622_780_800)
        #expect(last.date == "1570-01-01")
        for day in 1...Int64(146_097 * 2) {
            let seconds = -12_622_780_800 + day * 86_400
            let civil = CivilTime(secondsSince1970: seconds)
            let follows =
                civil.day == last.day + 1 && civil.month == last.month && civil.year == last.year
                || civil.day == 1 && civil.month == last.month + 1 && civil.year == last.year
                || civil.day == 1 && civil.month == 1 && last.month == 12 && civil.year == last.year + 1
            guard follows, civil.secondsSince1970 == seconds else {
                Issue.record("\(civil.date) after \(last.date)")
                return
            }
            last = civil
        }
        #expect(last.date == "2370-01-01")
    }

    @Test("the first and the last second there are come back", arguments: [Int64.min, .min + 1, .max])
    func extremes(seconds: Int64) {
        #expect(CivilTime(secondsSince1970: seconds).secondsSince1970 == seconds)
    }

    @Test(
        "tenths and a zone are read over",
        arguments: [
            "20261121T185903", "20261121T185903.1", "20261121T185903Z", "20261121T185903+0100",
            "20261121T185903-0930", "20261121T185903.9Z", "20261121T185903.0+0100",
        ])
    func endings(text: String) {
        #expect(CivilTime(ptp: text)?.secondsSince1970 == 1_795_287_543)
    }

    @Test("a leap second is the one before it")
    func leapSecond() {
        #expect(CivilTime(ptp: "20161231T235960")?.time == "235959")
    }

    @Test(
        "what no calendar or clock has is refused",
        arguments: [
            "20261321T185903", "20260021T185903", "20261100T185903", "20261132T185903", "20260230T000000",
            "20260229T000000", "21000229T000000", "20260431T000000", "20261121T240000", "20261121T186003",
            "20261121T185961", "00000000T000000",
        ])
    func impossible(text: String) {
        #expect(CivilTime(ptp: text) == nil)
    }

    @Test(
        "what is not written as PTP writes it is refused",
        arguments: [
            "", "20261121", "20261121185903", "20261121 185903", "20261121t185903", "2026-11-21T18:59:03",
            "20261121T18590", "20261121T185903.", "20261121T185903x", "20261121T185903+01",
            "20261121T185903+01:00", "20261121T185903ZZ", "+2261121T185903", "2026112１T185903",
            "20261121T1859-3",
            "20261121T185903 ", " 20261121T185903",
        ])
    func malformed(text: String) {
        #expect(CivilTime(ptp: text) == nil)
    }

    /// As `date -u -d '2026-11-21 18:59:03 +0100' +%s` prints them.
    @Test(
        "a camera's date with a zone is a moment",
        arguments: [
            ("20261121T185903Z", 1_795_287_543), ("20261121T185903.9Z", 1_795_287_543),
            ("20261121T185903+0100", 1_795_283_943), ("20261121T185903-0930", 1_795_321_743),
            ("20261121T185903+1400", 1_795_237_143), ("20261121T185903.1+0545", 1_795_266_843),
            ("00020101T000000+1400", -62_104_111_200), ("99981231T235959-1400", 253_370_815_199),
        ])
    func zones(text: String, seconds: Int64) {
        #expect(Timestamp(ptp: text) == Timestamp(milliseconds: seconds * 1000))
    }

    @Test(
        "without a zone, or with one that is none, or in a year that cannot be written, it is no moment",
        arguments: [
            "", "20261121T185903", "20261121T185903.1", "20261121T185903+1500", "20261121T185903+0160",
            "20261121T185903+01:00", "20260230T000000Z", "00000101T000000Z", "99991231T235959-0100",
        ])
    func noMoment(text: String) {
        #expect(Timestamp(ptp: text) == nil)
    }

    @Test("leap days are there in the years that have them", arguments: [1600, 2000, 2024, 2028, 2400])
    func leapDays(year: Int) {
        #expect(CivilTime(ptp: "\(year)0229T000000") != nil)
    }

    @Test("moments are written with milliseconds, before 1970 too")
    func moments() {
        let table: [(Int64, String)] = [
            (1_795_287_543_123, "2026-11-21T18:59:03.123Z"), (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1000, "1969-12-31T23:59:59.000Z"),
            (1_709_210_096_007, "2024-02-29T12:34:56.007Z"), (2_147_483_648_050, "2038-01-19T03:14:08.050Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        ]
        for (milliseconds, text) in table { #expect(CivilTime.rfc3339(milliseconds: milliseconds) == text) }
    }
}
