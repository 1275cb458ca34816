import HTTPServer
import Testing

@Suite struct AddressTests {
    @Test(
        "an address is in a network that begins like it",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false),
            ("192.0.2.6/31", "192.0.2.7", true), ("192.0.2.4/31", "192.0.2.6", false),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "2001:db8::1", true),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("2001:db8::1", "2001:db8:0:0::1", true), ("10.0.0.0/8", "", false), ("10.0.0.0/8", "ten", false),
        ])
    func contains(network: String, address: String, isInside: Bool) throws {
        #expect(try AddressNetwork(network).contains(address) == isInside)
    }

    @Test(
        "what is no network is refused, with a sentence that says why",
        arguments: [
            ("", "no numeric address"), ("localhost", "no numeric address"), ("10.0.0", "no numeric address"),
            ("10.0.0.0/", "from 0 to 32"), ("10.0.0.0/33", "from 0 to 32"), ("10.0.0.0/-1", "from 0 to 32"),
            ("10.0.0.0/08", "from 0 to 32"), ("10.0.0.0/+8", "from 0 to 32"), ("::/129", "from 0 to 128"),
            ("10.0.0.0/8/8", "no numeric address"), ("10.0.0.1/8", "network 10.0.0.0/8"),
            ("2001:db8::1/64", "network 2001:db8::/64"), ("10.0.0.0/8 ", "from 0 to 32"),
        ])
    func refused(text: String, reason: String) {
        let refusal = #expect(throws: AddressNetwork.Unreadable.self) { try AddressNetwork(text) }
        #expect(refusal?.description.contains(reason) == true, "\(String(describing: refusal))")
    }

    @Test("of IPv6 all of a /64 is one client, of IPv4 each address is, however it is written")
    func groups() {
        #expect(AddressGroup("2001:db8::1") == AddressGroup("2001:db8::ffff:1"))
        #expect(AddressGroup("2001:db8::1") != AddressGroup("2001:db8:0:1::1"))
        #expect(AddressGroup("192.0.2.1") != AddressGroup("192.0.2.2"))
        #expect(AddressGroup("192.0.2.1") == AddressGroup("::ffff:192.0.2.1"))
        #expect(AddressGroup("0.0.0.0") != AddressGroup("::"))
        #expect(AddressGroup("a socket") == AddressGroup(""))
    }

    @Test("only clients that have something are remembered, and each has its own limit")
    func counts() {
        let counts = ClientCounts(most: 2)
        let (one, other) = (AddressGroup("192.0.2.1"), AddressGroup("192.0.2.2"))
        #expect(counts.take(for: one) && counts.take(for: one) && !counts.take(for: one))
        #expect(counts.take(for: other) && !counts.hasRoom(for: one))
        counts.giveBack(one)
        #expect(counts.take(for: one) && !counts.take(for: one))
        for client in [one, one, other] { counts.giveBack(client) }
        #expect(counts.clients == 0)
    }
}
