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

    @Test(
        "which folder is meant is said: one slash is the top of SFTP, and where the log-in leads of FTP",
        arguments: [
            ("sftp://host/srv/in", "the folder /srv/in"), ("sftp://host/", "the topmost folder"),
            ("sftp://host/~/in", "in, in the folder where the log-in leads"),
            ("sftp://host//srv", "the folder /srv"),
            ("ftp://host/in", "in, in the folder where the log-in leads"),
            ("ftp://host//in", "the folder /in"), ("ftps://host", "the folder where the log-in leads"),
            ("ftp://host/~/a%20b/", "a b, in the folder where the log-in leads"),
        ])
    func folders(url: String, folder: String) throws {
        #expect(try FilePlace(url).folder == folder)
    }

    @Test("host and port are known, and ports have their usual values")
    func reads() throws {
        #expect(try FilePlace("sftp://Host/a").peer == "host:22")
        #expect(try FilePlace("ftp://[::1]:2121/a").peer == "[::1]:2121")
        #expect(try FilePlace("ftps://host").peer == "host:990")
    }
}
