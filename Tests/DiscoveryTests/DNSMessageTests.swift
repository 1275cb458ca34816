import Discovery
import TestSupport
import Testing

/// Messages written out by hand from RFC 1035, RFC 6762 and RFC 6763.
struct DNSMessageTests {
    @Test("the compressed names of RFC 1035 §4.1.4 are read as that section says")
    func compression() throws {
        // Three questions with the names of the RFC's figure, one pointing into another, and the root.
        let message: [UInt8] =
            [0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]
            + [1] + Array("F".utf8) + [3] + Array("ISI".utf8) + [4] + Array("ARPA".utf8) + [0, 0, 1, 0, 1]
            + [3] + Array("FOO".utf8) + [0xC0, 12, 0, 1, 0, 1]
            + [0xC0, 18, 0, 1, 0, 1]
            + [0, 0, 1, 0, 1]
        let names = try DNSMessage(message).questions.map { "\($0.name)" }
        #expect(names == ["F.ISI.ARPA", "FOO.F.ISI.ARPA", "ARPA", ""])
    }

    @Test("a question for the service is the bytes of RFC 1035 §4.1 and RFC 6762 §18")
    func query() {
        let question = DNSMessage.Question(DNSName("_ptp._tcp.local"), 12)
        let expected: [UInt8] =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            + [4] + Array("_ptp".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
            + [0, 12, 0, 1]
        #expect(DNSMessage.query([question]) == expected)
    }

    @Test("an announcement's pointer, service and address are read; what a prober claims is not")
    func announcement() throws {
        let message = try DNSMessage(Wire.announcement())
        #expect(message.isResponse && message.questions.isEmpty)
        let instance = try #require(DNSName(labels: [Array("Z 8".utf8)] + Wire.serviceLabels))
        let host = try #require(DNSName(labels: [Array("z8".utf8), Array("local".utf8)]))
        #expect(
            message.records.map(\.data) == [
                .pointer(instance), .service(host: host, port: 15_740), .other(type: 16),
                .address([10, 9, 0, 2]),
            ])
        #expect(message.records.map(\.timeToLive) == [4500, 120, 4500, 120])
        // RFC 6762 §8.2: the proposed records of a probe stand in the authority section.
        var probe = Wire.announcement()
        probe.replaceSubrange(6..<12, with: [0, 0, 0, 4, 0, 0])
        #expect(try DNSMessage(probe).records.isEmpty)
    }

    @Test(
        "a name that loops, leads forwards, is too long or does not end is refused",
        arguments: [
            // A pointer to itself, and two that point at each other.
            [0xC0, 12], [0xC0, 14, 0xC0, 12], [0xC0, 200], [0xC0], [1], [63, 65], [0x40, 0], [0x80, 0],
        ] as [[UInt8]])
    func badNames(name: [UInt8]) {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(throws: DNSMessage.Malformed.self) { try DNSMessage(header + name + [0, 1, 0, 1]) }
    }

    @Test("255 octets of a name are read, one more is refused, also when pointers make it so long")
    func longNames() throws {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        func label(_ count: Int) -> [UInt8] { [UInt8(count)] + [UInt8](repeating: 97, count: count) }
        let most = label(63) + label(63) + label(63)
        #expect(try DNSMessage(header + most + label(61) + [0, 0, 1, 0, 1]).questions.count == 1)
        #expect(throws: DNSMessage.Malformed.self) {
            try DNSMessage(header + most + label(62) + [0, 0, 1, 0, 1])
        }
        // The second name is 63 octets and the whole first one.
        let two: [UInt8] = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]
        #expect(throws: DNSMessage.Malformed.self) {
            try DNSMessage(two + most + [0, 0, 1, 0, 1] + label(63) + [0xC0, 12, 0, 1, 0, 1])
        }
    }

    @Test("counts that the message does not hold, and every truncation, are refused")
    func truncated() {
        let whole = Wire.announcement()
        for count in whole.indices {
            #expect(throws: DNSMessage.Malformed.self, "\(count)") {
                try DNSMessage(Array(whole.prefix(count)))
            }
        }
        var many = whole
        many.replaceSubrange(6..<8, with: [0xFF, 0xFF])
        #expect(throws: DNSMessage.Malformed.self) { try DNSMessage(many) }
        #expect(throws: DNSMessage.Malformed.self) {
            try DNSMessage(whole + [UInt8](repeating: 0, count: DNSMessage.largest))
        }
    }
}
