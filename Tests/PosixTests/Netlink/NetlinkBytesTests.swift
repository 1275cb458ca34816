import Posix
import TestSupport
import Testing

/// Messages as `linux/netlink.h`, `linux/rtnetlink.h` and `linux/if_link.h` lay them out, on a little-endian machine.
@Suite struct NetlinkBytesTests {
    /// `RTM_NEWLINK` of a GRE tunnel, interface 7, "gre1", over interface 2, to 10.0.0.2.
    static let tunnel = hex(
        """
        70 00 00 00  10 00  02 00  01 00 00 00  00 00 00 00
        00 00  0a 03  07 00 00 00  d1 00 01 00  00 00 00 00
        09 00 03 00  67 72 65 31 00  00 00 00
        08 00 05 00  02 00 00 00
        05 00 10 00  06 00 00 00
        05 00 21 00  01 00 00 00
        2c 00 12 80
          08 00 01 00  67 72 65 00
          20 00 02 80
            08 00 01 00  02 00 00 00
            08 00 06 00  0a 00 00 01
            08 00 07 00  0a 00 00 02
            04 00 12 00
        """)

    /// `RTM_NEWROUTE`: to 192.0.2.9 by interface 2 and 10.0.0.254, from 10.0.0.1.
    static let route = hex(
        """
        3c 00 00 00  18 00  00 00  01 00 00 00  00 00 00 00
        02 20 00 00 fe 00 00 01  00 02 00 00
        08 00 01 00  c0 00 02 09
        08 00 04 00  02 00 00 00
        08 00 07 00  0a 00 00 01
        08 00 05 00  0a 00 00 fe
        """)

    @Test("a tunnel's description: what it is, what it stands on, and who is at the other end")
    func readsTunnel() throws {
        let messages = try NetlinkMessage.all(in: Self.tunnel)
        #expect(messages.count == 1 && messages.first?.type == 16)
        let link = try NetworkLink(try #require(messages.first))
        var expected = NetworkLink(index: 7, name: "gre1", hardware: 778, flags: 0x100D1)
        expected.state = 6
        expected.hasCarrier = true
        expected.lower = 2
        expected.madeBy = "gre"
        expected.remote = [10, 0, 0, 2]
        #expect(link == expected)
    }

    @Test(
        "a virtual cable's other end is not what it stands on, and neither is another namespace's interface")
    func otherEnds() throws {
        func link(_ attributes: String) throws -> NetworkLink {
            let fixed = hex("00 00 01 00  05 00 00 00  43 10 01 00  00 00 00 00")
            let body = fixed + hex("07 00 03 00  76 65 00 00") + hex(attributes)
            let header =
                NetlinkMessage.bytes(UInt32(16 + body.count)) + hex("10 00 02 00 01 00 00 00 00 00 00 00")
            return try NetworkLink(try #require(try NetlinkMessage.all(in: header + body).first))
        }
        #expect(try link("08 00 05 00 04 00 00 00").lower == 4)
        #expect(try link("08 00 05 00 05 00 00 00").lower == nil)
        #expect(try link("08 00 05 00 04 00 00 00  08 00 25 00 00 00 00 00").lower == nil)
        #expect(
            try link("08 00 05 00 04 00 00 00  10 00 12 00 09 00 01 00 76 65 74 68 00 00 00 00").lower == nil)
        #expect(try link("08 00 0a 00 09 00 00 00").upper == 9)
        // A tunnel that takes any other end has none.
        #expect(
            try link(
                "1c 00 12 80  09 00 01 00 69 70 69 70 00 00 00 00  0c 00 02 80  08 00 03 00 00 00 00 00"
            ).remote == nil)
    }

    @Test("a route: by which interface, by whom, as whom")
    func readsRoute() throws {
        let message = try #require(try NetlinkMessage.all(in: Self.route).first)
        #expect(
            try NetworkRoute.read(message)
                == NetworkRoute(interface: 2, gateway: [10, 0, 0, 254], source: [10, 0, 0, 1]))
        var unreachable = Self.route
        unreachable[16 + 7] = 7
        #expect(try NetworkRoute.read(try #require(try NetlinkMessage.all(in: unreachable).first)) == nil)
    }

    @Test("questions are as the kernel wants them")
    func asks() {
        #expect(
            NetworkRoute.request(for: [192, 0, 2, 9], sequence: 5)
                == hex(
                    """
                    24 00 00 00  1a 00  01 00  05 00 00 00  00 00 00 00
                    02 20 00 00 00 00 00 00  00 00 00 00
                    08 00 01 00  c0 00 02 09
                    """))
        #expect(
            WirelessName.familyRequest(sequence: 1)
                == hex(
                    """
                    20 00 00 00  10 00  01 00  01 00 00 00  00 00 00 00
                    03 01 00 00
                    0c 00 02 00  6e 6c 38 30 32 31 31 00
                    """))
        #expect(
            WirelessName.interfaceRequest(family: 0x1C, interface: 3, sequence: 2)
                == hex(
                    """
                    1c 00 00 00  1c 00  01 00  02 00 00 00  00 00 00 00
                    05 00 00 00
                    08 00 03 00  03 00 00 00
                    """))
    }

    @Test("a Wi-Fi network's name is at most 32 bytes, and none is none")
    func wirelessName() throws {
        func name(_ bytes: [UInt8]) throws -> String? {
            let padding = [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
            let body =
                hex("07 00 00 00") + NetlinkMessage.bytes(UInt16(4 + bytes.count))
                + hex("34 00") + bytes + padding
            let header = NetlinkMessage.bytes(UInt32(16 + body.count)) + hex("1c 00 00 00")
            let datagram = header + hex("02 00 00 00 00 00 00 00") + body
            return WirelessName.name(try #require(try NetlinkMessage.all(in: datagram).first))
        }
        #expect(try name(Array("Hall".utf8)) == "Hall")
        #expect(try name([]) == nil)
        #expect(try name([UInt8](repeating: 65, count: 32))?.count == 32)
        #expect(try name([UInt8](repeating: 65, count: 33)) == nil)
        #expect(try name([0xFF, 0xFE]) != nil)
    }

    @Test("whatever is cut or changed is read as something else or refused, and never read past its end")
    func damaged() throws {
        var random = Seeded(11)
        func read(_ bytes: [UInt8]) {
            do {
                for message in try NetlinkMessage.all(in: bytes) {
                    _ = WirelessName.name(message)
                    _ = try NetworkRoute.read(message)
                    _ = try NetworkLink(message)
                }
            } catch {
                #expect("\(error)".hasPrefix("the kernel's answer makes no sense"))
            }
        }
        for whole in [Self.tunnel, Self.route] {
            for length in whole.indices {
                read(Array(whole.prefix(length)))
                // A header that tells the truth about what was cut.
                var cut = Array(whole.prefix(length))
                if length >= 16 { cut.replaceSubrange(0..<4, with: NetlinkMessage.bytes(UInt32(length))) }
                read(cut)
            }
            for _ in 0..<2000 {
                var changed = whole
                for _ in 0..<3 {
                    changed[Int.random(in: 16..<whole.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                read(changed)
            }
        }
        #expect(throws: NetlinkMessage.Malformed("a header of 3 bytes")) {
            try NetlinkMessage.all(in: [1, 2, 3])
        }
        #expect(throws: NetlinkMessage.Malformed("a message of 200 bytes where 16 are left")) {
            try NetlinkMessage.all(in: hex("c8 00 00 00 10 00 00 00 00 00 00 00 00 00 00 00"))
        }
    }
}
