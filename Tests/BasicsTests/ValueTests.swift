import Basics
import Testing

@Suite struct JSONTests {
    @Test("objects keep their order and strings are escaped as RFC 8259 wants it")
    func writing() {
        let value: JSONValue = [
            "b": .integer(-1), "a": .unsigned(.max), "s": .string("q\" b\\ n\n t\t u\u{1} ls\u{2028} é 📷"),
            "n": .null, "t": .bool(true), "d": .double(1.5), "x": .double(.infinity), "l": ["x", []],
            "o": [:],
        ]
        #expect(
            value.compact
                == #"{"b":-1,"a":18446744073709551615,"s":"q\" b\\ n\n t\t u\u0001 ls\u2028 é 📷","n":null,"t":true,"d":1.5,"x":null,"l":["x",[]],"o":{}}"#
        )
    }
}

@Suite struct ProgressTests {
    @Test("the rate follows what moved, and the rest follows the rate")
    func rate() throws {
        var progress = Progress(total: 10_000_000, at: .zero)
        for second in 1...4 { progress.moved(1_000_000, at: .seconds(second)) }
        #expect(abs(try #require(progress.bytesPerSecond) - 1_000_000) < 1)
        #expect(progress.remaining == .seconds(6))
        // Twice as fast: after one second of two the estimate is half way there.
        progress.moved(2_000_000, at: .seconds(5))
        #expect(abs(try #require(progress.bytesPerSecond) - 1_500_000) < 1)
    }

    @Test("the line says how far, how fast and how long, and fits")
    func line() {
        var progress = Progress(total: 8_400_000, at: .zero)
        progress.moved(4_200_000, at: .seconds(2))
        #expect(
            progress.line("DSC_0001.JPG", width: 100)
                == "DSC_0001.JPG  [##########..........]  50 %  4.2 MB of 8.4 MB  2.1 MB/s  0:02")
        #expect(progress.line("DSC_0001.JPG", width: 20).count == 20)
        #expect(Progress(total: nil, at: .zero).line("a", width: 80) == "a  0 B")
    }

    @Test("figures are what people read")
    func figures() {
        let bytes: [(UInt64, String)] = [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"),
            (4_150_000, "4.2 MB"), (99_949_999, "99.9 MB"), (99_950_000, "100 MB"), (5_368_709_120, "5.4 GB"),
            (.max, "18446744 TB"),
        ]
        for (count, text) in bytes { #expect(Human.bytes(count) == text) }
        let clocks: [(Duration, String)] = [
            (.zero, "0:00"), (.milliseconds(7400), "0:07"), (.seconds(750), "12:30"),
            (.seconds(3723), "1:02:03"),
        ]
        for (duration, text) in clocks { #expect(Human.clock(duration) == text) }
        #expect(Human.table([["a", "bbb", "c"], ["aaa", "b", "cc"]]) == ["a    bbb  c", "aaa  b    cc"])
    }

    @Test("a span of time has the units that a person would say, and none that says less than nothing")
    func spans() {
        let spans: [(Int64, String)] = [
            (0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (2149, "2.1 s"), (59_949, "59.9 s"),
            (59_950, "1 min 0 s"), (3_599_499, "59 min 59 s"), (3_599_500, "1 h 0 min"),
            (86_369_499, "23 h 59 min"), (86_370_000, "1 d 0 h"), (273_600_000, "3 d 4 h"), (-2100, "-2.1 s"),
        ]
        for (milliseconds, text) in spans { #expect(Human.span(.milliseconds(milliseconds)) == text) }
    }
}
