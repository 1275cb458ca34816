import PacketCapture
import TestSupport
import Testing

@Suite struct FrameTests {
    static let segment = FrameBytes(payload: [1, 2, 3, 4, 5])
    static let ethernet: [UInt8] = [UInt8](repeating: 0xAA, count: 12)

    func decode(_ frame: [UInt8], _ number: Int32, length: Int? = nil) throws -> TCPSegment {
        let layer = try #require(LinkLayer(dataLinkType: number))
        return try FrameDecoder.decode(frame[...], originalLength: length ?? frame.count, layer)
    }

    static let kinds: [(String, Int32, [UInt8])] = [
        ("raw", 12, segment.ipv4()), ("raw in a file", 101, segment.ipv4()), ("ipv4", 228, segment.ipv4()),
        ("ipv6", 229, segment.ipv6()), ("loopback", 0, [2, 0, 0, 0] + segment.ipv4()),
        ("OpenBSD loopback", 108, [0, 0, 0, 24] + segment.ipv6()),
        ("Ethernet", 1, ethernet + [0x08, 0x00] + segment.ipv4()),
        ("Ethernet, IPv6", 1, ethernet + [0x86, 0xDD] + segment.ipv6()),
        ("VLAN", 1, ethernet + [0x81, 0x00, 0, 7, 0x08, 0x00] + segment.ipv4()),
        ("nested VLANs", 1, ethernet + [0x88, 0xA8, 0, 7, 0x81, 0x00, 0, 8, 0x08, 0x00] + segment.ipv4()),
        ("cooked", 113, [UInt8](repeating: 0, count: 14) + [0x08, 0x00] + segment.ipv4()),
        ("cooked, second form", 276, [0x08, 0x00] + [UInt8](repeating: 0, count: 18) + segment.ipv4()),
    ]

    @Test("a segment is found in every kind of frame", arguments: kinds)
    func everyKind(name: String, number: Int32, frame: [UInt8]) throws {
        let found = try decode(frame, number)
        #expect(Array(found.payload) == [1, 2, 3, 4, 5], "\(name)")
        #expect(found.source.port == 50_000 && found.destination.port == 15_740)
        #expect(found.sequence == 1000 && found.flags == [.psh, .ack] && found.leftOut == 0)
    }

    @Test("options of IP and TCP are stepped over")
    func options() throws {
        var frame = Self.segment
        frame.ipOptions = [7, 4, 0, 0]
        frame.tcpOptions = [1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(Array(try decode(frame.ipv4(), 12).payload) == [1, 2, 3, 4, 5])
        let extensions: [(UInt8, [UInt8])] = [
            (0, [0, 0, 0, 0, 0, 0, 0, 0]), (43, [0, 1] + [UInt8](repeating: 0, count: 14)),
            (44, [0, 0, 0, 0, 0, 0, 0, 9]), (60, [0, 0, 0, 0, 0, 0, 0, 0]),
        ]
        #expect(Array(try decode(Self.segment.ipv6(extensions: extensions), 12).payload) == [1, 2, 3, 4, 5])
    }

    @Test("padding behind the packet is no payload, and what the capture cut off is counted")
    func lengths() throws {
        let padded = Self.ethernet + [0x08, 0x00] + Self.segment.ipv4() + [0, 0, 0, 0, 0]
        #expect(try decode(padded, 1).payload.count == 5)
        let whole = Self.segment.ipv4()
        let cut = try decode(Array(whole.dropLast(3)), 12, length: whole.count)
        #expect(Array(cut.payload) == [1, 2] && cut.leftOut == 3)
        let headersOnly = try decode(Array(whole.dropLast(5)), 12, length: whole.count)
        #expect(headersOnly.payload.isEmpty && headersOnly.leftOut == 5)
        // Captured before the network card cut it: the length is not written yet.
        #expect(try decode(Self.segment.ipv4(totalLength: 0), 12).payload.count == 5)
    }

    @Test("what is of no use is named")
    func skipped() {
        func reason(_ frame: [UInt8], _ number: Int32 = 12) -> SkippedFrame? {
            do {
                _ = try decode(frame, number)
                return nil
            } catch {
                return error as? SkippedFrame
            }
        }
        var udp = Self.segment
        udp.protocolNumber = 17
        #expect(reason(udp.ipv4()) == .notTCP)
        #expect(reason(udp.ipv6()) == .notTCP)
        var fragment = Self.segment
        fragment.fragment = 0x2000
        #expect(reason(fragment.ipv4()) == .fragment)
        #expect(reason(Self.segment.ipv6(extensions: [(44, [0, 0, 0, 1, 0, 0, 0, 9])])) == .fragment)
        #expect(reason(Self.ethernet + [0x08, 0x06] + [UInt8](repeating: 0, count: 28), 1) == .notIP)
        #expect(reason([0x90, 0, 0, 0]) == .notIP)
        #expect(reason([]) == .tooShort)
        #expect(reason([0x43] + Self.segment.ipv4().dropFirst()) == .malformed)
        #expect(LinkLayer(dataLinkType: 105) == nil)
    }

    @Test(
        "every truncation and every change of a byte is decoded or named, and never traps", arguments: kinds)
    func abuse(name: String, number: Int32, frame: [UInt8]) throws {
        let layer = try #require(LinkLayer(dataLinkType: number))
        func attempt(_ bytes: [UInt8]) {
            do {
                let segment = try FrameDecoder.decode(bytes[...], originalLength: frame.count, layer)
                #expect(segment.payload.count <= frame.count)
            } catch {
                #expect("\(error)".isEmpty == false)
            }
        }
        for length in 0..<frame.count { attempt(Array(frame.prefix(length))) }
        for index in frame.indices {
            for value in [0, 0x7F, 0x80, 0xFF, frame[index] ^ 0x01] as [UInt8] {
                var changed = frame
                changed[index] = value
                attempt(changed)
            }
        }
    }
}
