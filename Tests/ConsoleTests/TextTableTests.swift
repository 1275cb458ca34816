import Console
import Testing

/// Tables for people, written down by hand.
@Suite struct TextTableTests {
    private static let rows = [
        ["job", "state", "remarks"],
        ["7", "failedPermanent", "it was refused by the server because the name is taken"],
        ["12", "staged", ""],
    ]

    @Test("without a width every row is one line, and no line ends in blanks")
    func whole() {
        #expect(
            TextTable.lines(Self.rows, width: nil) == [
                "job  state            remarks",
                "7    failedPermanent  it was refused by the server because the name is taken",
                "12   staged",
            ])
    }

    @Test("what has no room beside the other columns goes on in its own")
    func beside() {
        // Twenty-two columns for the first two, and twenty-eight are left.
        #expect(
            TextTable.lines(Self.rows, width: 50) == [
                "job  state            remarks", "7    failedPermanent  it was refused by the server",
                "                      because the name is taken", "12   staged",
            ])
    }

    @Test(
        "where its own column is no place to read in, it stands on rows of its own, and the others stay whole"
    )
    func below() {
        #expect(
            TextTable.lines(Self.rows, width: 40) == [
                "job  state            remarks", "7    failedPermanent",
                "    it was refused by the server because", "    the name is taken", "12   staged",
            ])
        #expect(
            TextTable.lines([["a name that is longer than any terminal", "x y"]], width: 10)
                == ["a name that is longer than any terminal", "    x y"])
        #expect(TextTable.lines([["a", "bcd"]], width: 1) == ["a", "    b", "    c", "    d"])
    }

    @Test(
        "where the columns have no room beside each other, the widest but the first stands on rows of its own"
    )
    func moved() {
        let rows = [
            ["job", "where", "remarks"], ["7", "s3://bucket/a/long/place/2026", "refused"], ["12", "", ""],
        ]
        #expect(
            TextTable.lines(rows, width: 24) == [
                "job  remarks", "    where", "7    refused", "    s3://bucket/a/long/p", "    lace/2026",
                "12",
            ])
        #expect(TextTable.lines(rows, width: 45)[1] == "7    s3://bucket/a/long/place/2026  refused")
    }

    @Test("another column than the last can be the one that gives way")
    func flowing() {
        let rows = [
            ["setting", "value", "from"], ["a.key", "one two three four five six seven", "line 3"],
        ]
        #expect(
            TextTable.lines(rows, width: 44, flowing: 1) == [
                "setting  value                        from", "a.key    one two three four five six  line 3",
                "         seven",
            ])
        #expect(
            TextTable.lines(rows, width: 36, flowing: 1) == [
                "setting  from", "    value", "a.key    line 3", "    one two three four five six",
                "    seven",
            ])
        #expect(TextTable.lines(rows, width: nil, flowing: 1) == TextTable.lines(rows, width: 80, flowing: 1))
    }

    @Test("a sentence behind what it is about goes on below its own beginning, or on rows of its own")
    func hanging() {
        #expect(TextTable.hanging("ok  disk  ", "all is well", width: nil) == ["ok  disk  all is well"])
        #expect(
            TextTable.hanging("ok  disk  ", "there is room for many photos", width: 36) == [
                "ok  disk  there is room for many", "          photos",
            ])
        #expect(
            TextTable.hanging("ok  disk  ", "there is room for many photos", width: 30) == [
                "ok  disk", "    there is room for many", "    photos",
            ])
        #expect(TextTable.hanging("", "one two", width: 4) == ["one", "two"])
    }

    @Test("columns stand below each other when characters take two of them")
    func wide() {
        #expect(
            TextTable.lines([["1", "結婚式", "x"], ["22", "ab", "y"]], width: 80)
                == ["1   結婚式  x", "22  ab      y"])
    }
}
