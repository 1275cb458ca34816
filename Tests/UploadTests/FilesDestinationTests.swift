import Bridge
import TestSupport
import Testing
import Upload

@Suite(.enabled(if: SFTPDaemon.isThere, "sshd is not installed; tools/setup does it"))
struct SFTPConformanceTests {
    @Test("an SFTP server is a destination like any other", arguments: DestinationConformance.claims)
    func server(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try FilesPlace(sftp: $0).place() })
    }
}

@Suite(.enabled(if: FTPDaemon.isThere, "vsftpd is not installed, or this is not root; tools/setup does it"))
struct FTPDestinationTests {
    @Test("an FTP server takes a photo once, and another photo of its name beside it")
    func server() async throws {
        let spool = try TestSpool()
        let place = try await FilesPlace(ftp: spool)
        let bytes = photoBytes(1)
        let job = try spool.job(1, "A.JPG", bytes)
        #expect(await place.destination.deliver(job).receipt?.key == "A.JPG")
        #expect(await place.destination.deliver(job).receipt?.key == "A.JPG", "it is there already")
        #expect(
            await place.destination.deliver(try spool.job(2, "A.JPG", photoBytes(2))).receipt?.key
                == "A-2.JPG")
        #expect(try place.place().arrived() == ["A.JPG": bytes, "A-2.JPG": photoBytes(2)])
        #expect(place.place().unfinished().isEmpty)
    }
}

@Suite struct FilesAddressTests {
    @Test("a password is taken and not shown")
    func password() throws {
        let address = try FilesAddress("ftp://ann:s%3Acret@host.example:2121/in?tls=none&name={event}/{name}")
        #expect(address.url == "ftp://ann@host.example:2121/in?tls=none&name={event}/{name}")
        let login = try address.login([:])
        #expect(login.user == "ann" && login.password == "s:cret")
        #expect(address.serverURL == "ftp://host.example:2121/in" && address.allowsPlain)
        #expect(address.host == "host.example" && address.port == 2121)
    }

    @Test("without a password a key is used, and FTP says what is missing")
    func missing() throws {
        let sftp = try FilesAddress("sftp://ann@host.example/~/photos?key=/k&known-hosts=/h")
        #expect(try sftp.login([:]).user == "ann")
        #expect(try sftp.login([:]).password == nil)
        #expect(try sftp.login(["TETHERLINE_SFTP_PASSWORD": "x"]).password == "x")
        #expect(sftp.keyFile == "/k" && sftp.knownHosts == "/h" && sftp.port == 22)
        let ftp = try FilesAddress("ftps://ann@host.example/in")
        #expect(ftp.port == 990 && !ftp.allowsPlain)
        let error = #expect(throws: AddressProblem.self) { try ftp.login([:]) }
        #expect(error?.description.contains("TETHERLINE_FTP_PASSWORD") == true)
    }

    @Test(
        "what cannot be meant is said",
        arguments: [
            "sftp://ann@host/a?tls=none", "sftp://ann@host/a?key=relative", "ftp://ann@host/../x",
            "ftps://ann@host/a?tls=none", "sftp:///a", "scp://ann@host/a", "ftp://ann@host/a?name={nonsense}",
        ])
    func mistakes(url: String) {
        #expect(throws: AddressProblem.self) { try FilesAddress(url) }
    }
}
