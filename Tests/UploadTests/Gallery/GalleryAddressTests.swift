import Basics
import TestSupport
import Testing
import Upload

@Suite struct GalleryAddressTests {
    @Test(
        "the command that logs in there allows a plain connection only where one was allowed, and is accepted",
        arguments: [
            ("https://gallery.example", "tetherline login https://gallery.example/"),
            ("http://192.168.1.5:8080", "tetherline login http://192.168.1.5:8080/ --plain-http"),
            ("http://127.0.0.1:8080", "tetherline login http://127.0.0.1:8080/"),
        ])
    func logIn(text: String, command: String) throws {
        let address = try GalleryAddress(text, allowsPlain: true)
        #expect(address.loginCommand == command)
        #expect("\(GalleryError.loggedOut(server: "\(address)"))" == "log in again: \(command)")
        let words = command.split(separator: " ").map(String.init)
        #expect(try GalleryAddress(words[2], allowsPlain: words.contains("--plain-http")) == address)
    }

    @Test(
        "a gallery has one spelling",
        arguments: [
            ("https://gallery.example", "https://gallery.example/", "gallery.example", 443),
            ("gallery.example", "https://gallery.example/", "gallery.example", 443),
            ("HTTPS://Gallery.Example:443/", "https://gallery.example/", "gallery.example", 443),
            ("https://gallery.example:8443/", "https://gallery.example:8443/", "gallery.example", 8443),
            ("gallery.example:8443", "https://gallery.example:8443/", "gallery.example", 8443),
            ("https://g.example/api/v1", "https://g.example/api/v1/", "g.example", 443),
            ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443/", "[2001:db8::1]", 8443),
            ("http://localhost:3000", "http://localhost:3000/", "localhost", 3000),
            ("localhost:3000", "http://localhost:3000/", "localhost", 3000),
            ("LOCALHOST", "http://localhost/", "localhost", 80),
            ("127.0.0.1:8080/host", "http://127.0.0.1:8080/host/", "127.0.0.1", 8080),
            ("[::1]:8080", "http://[::1]:8080/", "[::1]", 8080),
            ("127.0.0.1.evil.example", "https://127.0.0.1.evil.example/", "127.0.0.1.evil.example", 443),
            ("localhost.evil.example", "https://localhost.evil.example/", "localhost.evil.example", 443),
            ("http://127.0.0.1:80", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://[::1]:8080/x/", "http://[::1]:8080/x/", "[::1]", 8080),
        ] as [(String, String, String, UInt16)])
    func spelling(text: String, canonical: String, host: String, port: UInt16) throws {
        let address = try GalleryAddress(text)
        #expect("\(address)" == canonical && address.host == host && address.port == port)
        #expect(try GalleryAddress(canonical) == address)
    }

    @Test(
        "what is no gallery's address is refused with a sentence",
        arguments: [
            "", "ftp://gallery.example", "https://", "https:///x", "https://user@gallery.example",
            "https://gallery.example/?a=b", "https://gallery.example/#x", "https://gallery.example:0",
            "https://gallery.example:65536", "https://gallery.example:x", "https://gallery.example:",
            "https://a b.example", "https://[::1", "https://[xyz]", "https://g.example/../x",
            "https://g.example//x", "https://g.example/a b", "https://g.example\\@evil.example",
            "https://-g.example", "https://g.example\r\nX: y", String(repeating: "a", count: 2000),
        ])
    func refused(text: String) {
        do throws(GalleryAddress.Invalid) {
            _ = try GalleryAddress(text)
            Issue.record("'\(text)' was taken")
        } catch {
            #expect(error.description.count > 20 && !error.description.contains("\n"))
        }
    }

    @Test("a password goes over the network unencrypted only when the operator has said so")
    func plain() throws {
        for text in ["http://gallery.example", "http://192.168.1.5:8080", "http://127.0.0.1.evil.example"] {
            #expect(throws: GalleryAddress.Invalid.self) { try GalleryAddress(text) }
            #expect(try GalleryAddress(text, allowsPlain: true).isEncrypted == false)
        }
    }

    @Test("the same place by the other scheme has the command that logs in there")
    func otherScheme() throws {
        let commands = try ["192.168.1.10:8080", "gallery.example", "localhost:8080"].map {
            try GalleryAddress($0).otherScheme?.loginCommand
        }
        #expect(
            commands == [
                "tetherline login http://192.168.1.10:8080/ --plain-http",
                "tetherline login http://gallery.example/ --plain-http",
                "tetherline login https://localhost:8080/",
            ])
    }

    @Test("the ledger's URL is the server, and names the event where its id there is another one")
    func places() throws {
        let here = "5eed0000-0000-4000-8000-000000000001"
        let there = "5eed0000-0000-4000-8000-000000000002"
        let address = try GalleryAddress("gallery.example")
        let same = GalleryPlace(address, event: here, ledgerEvent: here)
        #expect(same.url == "https://gallery.example/")
        let other = GalleryPlace(address, event: there, ledgerEvent: here)
        #expect(other.url == "https://gallery.example/?event=\(there)")
        for place in [same, other] {
            #expect(try GalleryPlace(url: place.url, ledgerEvent: here) == place)
        }
        for bad in ["", "file:///x", "https://g.example/?event=", "https://g.example/?event=a/b"] {
            #expect(throws: GalleryAddress.Invalid.self) { try GalleryPlace(url: bad, ledgerEvent: here) }
        }
    }
}
