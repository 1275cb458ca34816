import Basics
import HTTPClient
import Testing

@Suite struct FilePlaceTests {
    @Test(
        "what names no folder of a server of files is refused",
        arguments: [
            "http://host/a", "sftp://", "sftp://user:secret@host/a", "ftp://host/a?b",
            "ftp://host/a%0d%0aDELE",
            "ftp://host/a%FF", "host/a", "",
        ])
    func refuses(url: String) {
        #expect(throws: HTTPFailure.self) { try FilePlace(url) }
    }

    @Test("host and port are known, and ports have their usual values")
    func reads() throws {
        #expect(try FilePlace("sftp://Host/a").peer == "host:22")
        #expect(try FilePlace("ftp://[::1]:2121/a").peer == "[::1]:2121")
        #expect(try FilePlace("ftps://host").peer == "host:990")
    }
}
