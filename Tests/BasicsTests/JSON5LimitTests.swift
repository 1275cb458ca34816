import Basics
import Testing

@Suite struct JSON5LimitTests {
    private func limits(_ change: (inout JSON5.Limits) -> Void) -> JSON5.Limits {
        var limits = JSON5.Limits()
        change(&limits)
        return limits
    }

    private func problem(_ text: String, _ limits: JSON5.Limits = JSON5.Limits()) -> String? {
        do throws(JSON5Error) {
            _ = try JSON5.parse(text, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("the bytes are counted before anything is read")
    func bytes() {
        let four = limits { $0.bytes = 4 }
        #expect(
            problem("'éa", four)
                == "line 1, column 4: expected \"'\" for the string opened at line 1, column 1, "
                + "but the text ends"
        )
        #expect(problem("'é'", four) == nil)
        #expect(problem("'éa'", four) == "line 1, column 1: expected at most 4 bytes, but there are 5")
        #expect(throws: JSON5Error.self) { try JSON5.parse(Array("'éa'".utf8), limits: four) }
        #expect(problem(String(repeating: " ", count: (1 << 20) - 1) + "1") == nil)
        #expect(
            problem(String(repeating: " ", count: 1 << 20) + "1")
                == "line 1, column 1: expected at most 1048576 bytes, but there are 1048577")
    }

    @Test("levels are counted, not containers")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(problem(nested(32)) == nil)
        let tooDeep = "expected at most 32 levels of objects and arrays, but here is one more"
        #expect(problem(nested(33)) == "line 1, column 33: \(tooDeep)")
        #expect(problem(String(repeating: "[", count: 1 << 20)) == "line 1, column 33: \(tooDeep)")
        #expect(problem(String(repeating: "{a:", count: 1 << 18)) == "line 1, column 97: \(tooDeep)")
        #expect(problem("[[],[],{},{a:[]}]", limits { $0.depth = 3 }) == nil)
        #expect(problem("1", limits { $0.depth = 0 }) == nil)
        #expect(problem("[]", limits { $0.depth = 0 }) != nil)
    }

    @Test("every value counts, on every level")
    func elements() {
        let four = limits { $0.elements = 4 }
        #expect(problem("[1,[2]]", four) == nil)
        #expect(problem("{a:1,b:[2]}", four) == nil)
        #expect(
            problem("[1,\n[2,3]]", four)
                == "line 2, column 4: expected at most 4 values, but here is one more")
        #expect(problem("[" + String(repeating: "0,", count: 99_999) + "]") == nil)
        #expect(
            problem("[" + String(repeating: "0,", count: 100_000) + "]")
                == "line 1, column 200000: expected at most 100000 values, but here is one more")
    }

    @Test("a text cut anywhere is refused, and a byte changed anywhere is read or refused")
    func damage() throws {
        let bytes = Array(JSON5Tests.frontPage.utf8) + Array(#"/* é */"#.utf8)
        _ = try JSON5.parse(bytes)
        let end = JSON5Tests.frontPage.utf8.count
        for length in 0..<end {
            #expect(throws: JSON5Error.self) { try JSON5.parse(Array(bytes.prefix(length))) }
        }
        let hostile: [UInt8] = Array("\"'\\/*{}[]:,.+-0xeu\n\r\0 ".utf8) + [0x80, 0xC3, 0xF0, 0xFF]
        for index in bytes.indices {
            for byte in hostile {
                var changed = bytes
                changed[index] = byte
                do throws(JSON5Error) {
                    let value = try JSON5.parse(changed)
                    #expect(try JSON5.parse(value.compact) == value)
                } catch {
                    #expect(error.line >= 1 && error.column >= 1 && error.problem.hasPrefix("expected "))
                }
            }
        }
    }
}
