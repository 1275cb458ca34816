import Basics
import HTTPServer
import Testing

/// Whom a proxy names.
@Suite struct ClientAddressTests {
    private static let proxies: Set<String> = ["127.0.0.1", "10.0.0.2", "2001:db8::2"]

    private func client(_ chain: String..., from connection: String = "127.0.0.1") -> ClientAddress {
        ClientAddress(
            connection: connection, headers: chain.map { HTTPHeader("X-Forwarded-For", $0) },
            trusted: Self.proxies)
    }

    @Test(
        "it is the last that is no proxy of ours, with or without a port",
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("203.0.113.9:50000", "203.0.113.9"),
            ("2001:db8::9", "2001:db8::9"), ("[2001:db8::9]", "2001:db8::9"),
            ("[2001:db8::9]:50000", "2001:db8::9"),
            ("[2001:0db8:1111:2222:3333:4444:5555:6666]:50000", "2001:0db8:1111:2222:3333:4444:5555:6666"),
            ("\"[2001:db8::9]:50000\"", "127.0.0.1"),
            ("198.51.100.1, 203.0.113.9 , 10.0.0.2", "203.0.113.9"),
            ("198.51.100.1,203.0.113.9:1,10.0.0.2:2, [2001:db8::2]:3", "203.0.113.9"),
            ("::ffff:203.0.113.9", "::ffff:203.0.113.9"),
        ])
    func named(chain: String, text: String) {
        #expect(client(chain).text == text)
        #expect(!client(chain).isThisMachine)
    }

    @Test(
        "what cannot be read names no client, and what stands before it is not believed",
        arguments: [
            "127.0.0.1, [2001:0db8:1111:2222:3333:4444:5555:6666]:50000x", "127.0.0.1, unknown",
            "127.0.0.1, _hidden", "127.0.0.1, \(String(repeating: "9", count: 60))", "127.0.0.1,",
            "127.0.0.1, ,", "127.0.0.1, 203.0.113.9 10.0.0.2", "127.0.0.1, 203.0.113.9:", "127.0.0.1, [",
            "203.0.113.9, 256.0.0.1", "unknown", "",
        ])
    func unreadable(chain: String) {
        #expect(client(chain).text == "127.0.0.1")
        #expect(!client(chain).isThisMachine)
    }

    @Test("this machine is what a proxy of ours says so of, or what came here directly")
    func thisMachine() {
        #expect(client("127.0.0.1:40000", from: "10.0.0.2").text == "127.0.0.1")
        #expect(client("203.0.113.9, 127.0.0.9").isThisMachine)
        #expect(client("203.0.113.9", "[::1]:40000").isThisMachine)
        #expect(ClientAddress(connection: "127.0.0.1").isThisMachine)
        #expect(!ClientAddress(connection: "192.0.2.1").isThisMachine)
        #expect(!client("127.0.0.1", from: "192.0.2.1").isThisMachine)
    }
}
