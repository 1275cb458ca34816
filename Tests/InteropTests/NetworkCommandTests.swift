import Basics
import TestSupport
import Testing

/// `tetherline network`, as typed.
@Suite struct NetworkCommandTests {
    @Test("each interface and the way to each destination, for people and for programs")
    func says() throws {
        let person = try Operator()
        let text = try person.run("network", "--destination", "http://user:secret@127.0.0.1:8000/a?b#c")
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.lines.contains { $0.hasPrefix("lo ") && $0.contains("it is the loopback") })
        let way = "127.0.0.1:8000 goes by lo. lo is this machine itself: 8 at a time"
        #expect(text.lines.last == way && !text.text.contains("secret"), "\(text.text)")
        let json = try person.run(
            "network", "--json", "--destination", "[::1]:9", "--destination", "localhost")
        let value = try JSON5.parse(json.output)
        let ways = value["destinations"]?.array ?? []
        #expect(ways.map { $0["host"]?.string } == ["::1", "localhost"])
        #expect(ways.map { $0["port"]?.integer } == [9, 443])
        #expect(ways.allSatisfy { $0["kind"]?.string == "loopback" && $0["limit"]?.integer == 8 })
        #expect(value["interfaces"]?.array?.contains { $0["interface"]?.string == "lo" } == true)
    }

    @Test("without a destination it is the internet; a name that DNS does not know is said to be unknown")
    func withoutDestination() throws {
        let person = try Operator()
        let text = try person.run("network")
        #expect(
            text.code == 0 && text.lines.last?.hasPrefix("The internet at large ") == true, "\(text.text)")
        let unknown = try person.run("network", "--destination", "https://gallery.invalid/")
        #expect(unknown.code == 0 && unknown.text.contains("gallery.invalid cannot be looked up now ("))
        let folder = try person.run("network", "--destination", "file:///media/desk")
        #expect(folder.code == 64 && folder.errors.contains("A folder needs no network"))
        #expect(try person.run("network", "--destination", "https:///x").code == 64)
    }

    @Test("the settings count, and their mistakes name the key")
    func settings() throws {
        let person = try Operator()
        try person.settings(
            "{network: {limits: {wired: 4, loopback: 5}, interfaces: {lo: {metered: true, limit: 2}}}}")
        func last(_ words: String...) throws -> String? {
            try person.run(["network", "--destination", "127.0.0.1"] + words).lines.last
        }
        #expect(
            try last()
                == "127.0.0.1:443 goes by lo. lo is metered by the settings, and uploads on metered networks are not "
                + "allowed: 0")
        try person.settings("{network: {allowMetered: true, interfaces: {lo: {metered: true, limit: 2}}}}")
        #expect(try last()?.hasSuffix("the settings say so of lo: 2 at a time") == true)
        try person.settings("{network: {interfaces: {lo: {kind: 'cellular'}}}}")
        #expect(try last()?.hasSuffix("lo is cellular: 2 at a time") == true)
        for (text, sentence) in [
            ("{network: {limts: {}}}", "did you mean 'network.limits'?"),
            ("{network: {limits: {wifi: 65}}}", "network.limits.wifi is a number from 0 to 64"),
            ("{network: {interfaces: {wlan0: {kind: 'wfi'}}}}", "Did you mean 'wifi'?"),
            (
                "{network: {interfaces: {wlan0: {meterd: true}}}}",
                "did you mean 'network.interfaces.wlan0.metered'?"
            ),
            ("{network: {ssids: {Phone: true}}}", "network.ssids.Phone is an object in braces"),
            ("{network: {allowMetered: 1}}", "network.allowMetered is true or false"),
        ] {
            try person.settings(text)
            let run = try person.run("network")
            #expect(run.code == 78 && run.errors.contains(sentence), "\(text): \(run.errors)")
        }
    }
}
