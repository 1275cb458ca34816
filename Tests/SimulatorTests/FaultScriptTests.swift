import PTP
import Simulator
import Testing

@Suite struct FaultScriptTests {
    @Test("every switch is explained, and its own example can be read")
    func everySwitch() throws {
        let examples: [FaultSwitch: String] = [
            .holdAck: "for=5s", .connectionNumber: "value=0",
            .demandGUID: "value=\(String(repeating: "ab", count: 16))",
            .packets: "mode=one-end", .wrongTotal: "by=-10", .wrongSentCount: "by=10",
            .splitWrites: "bytes=7",
            .trailingBytes: "bytes=3", .stall: "after=100 for=1s", .cut: "after=1MiB", .reset: "after=0",
            .lostFin: "after=5", .notReady: "for=800ms code=0xA102", .lateSize: "for=800ms",
            .firstNumber: "value=9998",
            .cardSwap: "shots=3", .poison: "operation=0x9213", .sleep: "after=2min", .unknownTotal: "bits=32",
            .sessionID: "wanted=7 code=0x2002", .outOfStep: "kind=start-twice", .refuseParts: "code=0xA001",
            .lateProbes: "by=30s", .partLength: "by=-3", .oddEvents: "bytes=214", .wrongSize: "by=+100",
            .foreignBeginning: "as=png",
            .vanish: "after-shots=2 for=5s", .refuse: "code=0x2003", .refuseEnd: "code=0x2002",
            .listByLevel: "code=0x2014", .inMemory: "until=deleted", .shortStorageInfo: "bytes=12",
            .hang: "for=1min",
            .flood: "kind=objects channel=event rate=100 from=session for=5s",
        ]
        for name in FaultSwitch.allCases {
            #expect(!name.explanation.isEmpty)
            _ = try FaultScript(
                "\(name.rawValue) \(examples[name] ?? "") times=2 chance=50 skip=1 object=0x10003")
            let lines = FaultScript.help.split(separator: "\n").filter { line in
                line.split(separator: " ").first.map { $0 == name.rawValue } ?? false
            }
            #expect(lines.count == 1, "\(name.rawValue)")
        }
    }

    @Test("help says what is needed, what is usual, and what there is to choose from")
    func help() {
        for line in [
            "cut after=N", "stall after=N [for=forever]", "unknown-total [bits=64|32]",
            "wrong-size [by=±N] [as=N]",
            "flood kind=data|events|probes|objects [channel=command|event] [rate=0] [from=session|operation] [for=forever]",
            "# Objects",
        ] {
            #expect(FaultScript.help.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
    }

    @Test("comments and empty lines mean nothing")
    func comments() throws {
        _ = try FaultScript("# a wedding\n\n  hold-ack for=5s # press OK\n#cut after=1\n")
    }

    @Test(
        "a line that cannot be meant says where and what",
        arguments: [
            ("hold-akc for=5s", 1, "did you mean 'hold-ack'?"),
            ("busy\nhold-ack", 2, "hold-ack needs for=TIME"),
            ("hold-ack for=soon", 1, "a time such as 500ms"),
            ("hold-ack for=5s forr=6s", 1, "is no setting of hold-ack; it takes for"),
            ("packets mode=none", 1, "one-end, data-then-empty-end"),
            ("init-fail reason=x", 1, "a number from 0 to 4294967295"),
            ("first-number value=10000", 1, "from 1 to 9999"),
            ("busy chance=101", 1, "from 1 to 100"),
            ("cut", 1, "cut needs after=N"),
            ("unknown-total bits=16", 1, "one of 64, 32"),
            ("wrong-size object=0x10003", 1, "wrong-size needs by=±N or as=N"),
            ("part-length by=many", 1, "a number with a sign"),
            ("wrong-total by=9223372036854775807", 1, "a number with a sign"),
            ("flud kind=data", 1, "did you mean 'flood'?"),
            ("flood kind=water", 1, "one of data, events, probes"),
            ("out-of-step", 1, "out-of-step needs kind=wrong-transaction|no-start"),
            ("foreign-begining", 1, "did you mean 'foreign-beginning'?"),
        ])
    func unreadable(text: String, line: Int, reason: String) {
        let error = #expect(throws: FaultScript.Unreadable.self) { try FaultScript(text) }
        #expect(error?.line == line)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
}

@Suite struct PacketisationTests {
    func plan(_ mode: Packetisation, _ length: UInt64) -> [(Int, Bool)] {
        var parts: [(Int, Bool)] = []
        var left = length
        repeat {
            let part = mode.next(left: left)
            parts.append((part.length, part.isEnd))
            left -= UInt64(part.length)
        } while parts.last?.1 != true && parts.count < 1000
        return parts
    }

    @Test("data is cut as the mode says, End Data last and once")
    func modes() {
        let table: [(Packetisation, UInt64, [(Int, Bool)])] = [
            (.oneEnd, 0, [(0, true)]), (.oneEnd, 300_000, [(300_000, true)]),
            (.dataThenEmptyEnd, 0, [(0, true)]), (.dataThenEmptyEnd, 5, [(5, false), (0, true)]),
            (.dataThenEmptyEnd, 65_537, [(65_536, false), (1, false), (0, true)]),
            (.dataThenEnd, 65_536, [(65_536, true)]), (.dataThenEnd, 65_537, [(65_536, false), (1, true)]),
            (.bytes(2), 5, [(2, false), (2, false), (1, true)]),
        ]
        for (mode, length, expected) in table {
            #expect(plan(mode, length).elementsEqual(expected) { $0 == $1 }, "\(mode) \(length)")
        }
    }

    @Test("an object of more than 4 GiB does not fit into one packet, and gets as many as it needs")
    func huge() {
        let parts = plan(.oneEnd, 9 << 30)
        #expect(parts.map(\.0) == [4_294_967_283, 4_294_967_283, 1_073_741_850])
        #expect(parts.map(\.1) == [false, false, true])
        #expect(parts.map { UInt64($0.0) }.reduce(0, +) == 9 << 30)
    }

    @Test("modes are read as people write them")
    func reading() {
        #expect(Packetisation("one-end") == .oneEnd)
        #expect(Packetisation("512") == .bytes(512))
        for text in ["0", "-1", "2000000000", "all", ""] { #expect(Packetisation(text) == nil) }
    }
}
