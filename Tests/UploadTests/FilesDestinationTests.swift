import Basics
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
struct FTPConformanceTests {
    @Test("an FTP server is a destination like any other", arguments: DestinationConformance.claims)
    func server(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try await FilesPlace(ftp: $0).place() })
    }

    @Test("so is one that is spoken to in TLS only", arguments: DestinationConformance.claims)
    func secureServer(claim: DestinationConformance.Claim) async throws {
        try await claim.check(
            DestinationConformance { try await FilesPlace(ftp: $0, isSecure: true).place() })
    }
}

@Suite(.enabled(if: Tool.isThere(RcloneFTPDaemon.program), "rclone is not installed; tools/setup does it"))
struct LaxFTPTests {
    /// What is being written there can be neither removed nor renamed, and is written on with for a while after its
    /// connection has gone. The next try puts it anew under the same name.
    static let claims = DestinationConformance.claims.filter { !$0.testDescription.contains("on its way") }

    @Test(
        "so is one that says of a missing file that it cannot be had just now", arguments: claims)
    func server(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try await FilesPlace(lax: $0).place() })
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
