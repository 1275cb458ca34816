import Basics
import Glibc
import HTTPClient
import Synchronization
import TestSupport
import Testing

/// A server of files with a folder that is seen from both sides.
struct FileRig: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case sftp, ftp, explicit, implicit

        var testDescription: String { rawValue }
        static let there = allCases.filter { $0 == .sftp ? SFTPDaemon.isThere : FTPDaemon.isThere }
    }

    let server: CurlFileServer
    let folder: TemporaryFolder
    let below: String
    private let keeps: [any Sendable]

    /// `top` stands before the folder's path.
    init(_ kind: Kind, top: String = "") async throws {
        folder = try TemporaryFolder()
        var limits = HTTPLimits()
        limits.noProgress = .seconds(5)
        guard kind != .sftp else {
            let daemon = try SFTPDaemon()
            var settings = FileServerSettings(
                user: try SystemUser.own().name,
                proof: .key(path: daemon.folder.file("key"), passphrase: nil))
            settings.knownHosts = daemon.folder.file("known")
            let place = try FilePlace("sftp://127.0.0.1:\(daemon.port)\(top)\(daemon.folder.file("data"))")
            server = try CurlFileServer(place, settings, limits: limits)
            (below, keeps) = (daemon.folder.file("data"), [daemon])
            return
        }
        let shop = try CertificateShop()
        let security: FTPDaemon.Security = kind == .ftp ? .none : kind == .explicit ? .explicit : .implicit
        let daemon = try await FTPDaemon(security, try shop.signed("good"))
        var settings = FileServerSettings(user: "anonymous", proof: .password("me@here"))
        settings.privateCA = shop.authority
        if kind == .ftp { settings.security = .none }
        let scheme = kind == .implicit ? "ftps" : "ftp"
        server = try CurlFileServer(
            try FilePlace("\(scheme)://localhost:\(daemon.port)\(top)/in"), settings, limits: limits)
        (below, keeps) = (daemon.folder.file("data/in"), [daemon, shop])
    }

    func stored(_ path: String) throws -> [UInt8] { try readFile("\(below)/\(path)") }

    func contents(_ path: String) async throws -> [UInt8] {
        let bytes = Shared<[UInt8]>([])
        try await server.read(path) { piece in
            let more = piece.withUnsafeBytes { Array($0) }
            bytes.change { $0 += more }
            return true
        }
        return bytes.value
    }
}

extension OnTheWire {
    /// Against OpenSSH's server and vsftpd.
    @Suite(
        .enabled(if: SFTPDaemon.isThere, "\(SFTPDaemon.reason)"),
        .enabled(if: FTPDaemon.isThere, "\(FTPDaemon.reason)"))
    struct FileServerTests {
        @Test("a folder that is not there is told from one that is empty", arguments: FileRig.Kind.there)
        func folder(kind: FileRig.Kind) async throws {
            let rig = try await FileRig(kind)
            #expect(try await rig.server.hasFolder(), "an empty one")
            #expect(rename(rig.below, "\(rig.below)-away") == 0)
            #expect(try await !rig.server.hasFolder())
            #expect(rename("\(rig.below)-away", rig.below) == 0)
            try rig.folder.write(noise(1000), to: "photo")
            try await rig.server.upload(
                FileSlice(path: rig.folder.file("photo"), count: 1000), to: "a.jpg", share: nil, onSent: nil)
            #expect(try await rig.server.hasFolder())
            #expect(try await rig.server.size(of: "a.jpg") == 1000, "names are still those of the folder")
        }

        @Test(
            "the top, and where the log-in leads, are written alike for every kind of server",
            arguments: [
                (FileRig.Kind.sftp, "/"), (.ftp, "/"), (.implicit, "/"), (.ftp, "/~"), (.explicit, "/~"),
            ])
        func alike(kind: FileRig.Kind, top: String) async throws {
            let rig = try await FileRig(kind, top: top)
            try rig.folder.write(noise(1000), to: "photo")
            try await rig.server.upload(
                FileSlice(path: rig.folder.file("photo"), count: 1000), to: "a.jpg", share: nil, onSent: nil)
            #expect(try rig.stored("a.jpg") == noise(1000))
        }

        @Test(
            "a photo is put into folders that are missing, found, read back, named and removed",
            arguments: FileRig.Kind.there)
        func wholeLife(kind: FileRig.Kind) async throws {
            let rig = try await FileRig(kind)
            let bytes = noise(3_000_000)
            try rig.folder.write(bytes, to: "photo")
            let slice = FileSlice(path: rig.folder.file("photo"), offset: 10, count: 2_500_000)
            let temporary = "a b/ü/.part"
            let final = "a b/ü/it's \"1\" %41.jpg"

            #expect(try await rig.server.size(of: temporary) == nil)
            let sent = Shared<UInt64>(0)
            try await rig.server.upload(slice, to: temporary, share: nil) { more in sent.change { $0 += more }
            }
            #expect(sent.value == 2_500_000)
            #expect(try rig.stored(temporary) == Array(bytes[10..<2_500_010]))
            #expect(try await rig.server.size(of: temporary) == 2_500_000)
            #expect(try await rig.server.rename(temporary, to: final))
            #expect(try await rig.server.size(of: temporary) == nil)
            #expect(try await rig.contents(final) == Array(bytes[10..<2_500_010]))

            // A name that is taken stays whose it is.
            let small = FileSlice(path: rig.folder.file("photo"), count: 5)
            try await rig.server.upload(small, to: temporary, share: nil, onSent: nil)
            #expect(try await rig.server.rename(temporary, to: final) == false)
            #expect(try await rig.server.size(of: final) == 2_500_000)
            // What is put again under a name is what was put last.
            try await rig.server.upload(small, to: temporary, share: nil, onSent: nil)
            #expect(try rig.stored(temporary).count == 5)

            for name in [temporary, final] { try await rig.server.remove(name) }
            #expect(try await rig.server.size(of: final) == nil)
            try await rig.server.remove(final)
            await rig.server.shutDown()
        }

        @Test("what is not there is missing, and an empty file is a file", arguments: FileRig.Kind.there)
        func edges(kind: FileRig.Kind) async throws {
            let rig = try await FileRig(kind)
            do throws(FileServerFailure) {
                try await rig.server.read("none") { _ in true }
                Issue.record("there is nothing to read")
            } catch {
                guard case .missing = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            try rig.folder.write([], to: "empty")
            let slice = FileSlice(path: rig.folder.file("empty"), count: 0)
            try await rig.server.upload(slice, to: "empty", share: nil, onSent: nil)
            #expect(try await rig.server.size(of: "empty") == 0)
            #expect(try await rig.contents("empty").isEmpty)
            do throws(FileServerFailure) {
                let gone = FileSlice(path: rig.folder.file("gone"), count: 3)
                try await rig.server.upload(gone, to: "x", share: nil, onSent: nil)
                Issue.record("there is nothing to send")
            } catch {
                guard case .body(let cause) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(cause.meaning == .missing)
            }
            for path in ["../x", "a//b", "/a", "", "a/./b", "a\r\nDELE b"] {
                do throws(FileServerFailure) {
                    _ = try await rig.server.size(of: path)
                    Issue.record("'\(path)' was taken")
                } catch {
                    guard case .invalid = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
            await rig.server.shutDown()
        }

        private func trouble(
            _ place: String, _ settings: FileServerSettings
        ) async throws -> FileServerFailure? {
            let server = try CurlFileServer(try FilePlace(place), settings)
            var failure: FileServerFailure?
            do throws(FileServerFailure) {
                _ = try await server.size(of: "x")
            } catch {
                failure = error
            }
            await server.shutDown()
            return failure
        }

        @Test(
            "an SSH server whose key is not known, or is another, is refused with what to do; a strange key is not let in"
        )
        func hostKeys() async throws {
            let daemon = try SFTPDaemon()
            let place = "sftp://127.0.0.1:\(daemon.port)/tmp"
            var settings = FileServerSettings(
                user: try SystemUser.own().name,
                proof: .key(path: daemon.folder.file("key"), passphrase: nil))
            settings.knownHosts = daemon.folder.file("none")
            guard case .distrusted(let unknown)? = try await trouble(place, settings) else {
                Issue.record("an unknown key was taken")
                return
            }
            #expect(unknown.contains("ssh-keyscan -p \(daemon.port) 127.0.0.1"), "\(unknown)")
            settings.knownHosts = daemon.folder.file("known")
            try daemon.writeKnownHosts("other")
            guard case .distrusted(let changed)? = try await trouble(place, settings) else {
                Issue.record("another key was taken")
                return
            }
            #expect(changed.contains("another key"), "\(changed)")
            try daemon.writeKnownHosts("host")
            #expect(try await trouble(place, settings) == nil)
            settings.proof = .key(path: daemon.folder.file("stranger"), passphrase: nil)
            guard case .logInRefused? = try await trouble(place, settings) else {
                Issue.record("a stranger was let in")
                return
            }
        }

        @Test(
            "a full disk of an SFTP server is called that",
            .enabled(if: SmallDisk.canMount, "mounting takes root"))
        func fullDisk() async throws {
            let rig = try await FileRig(.sftp)
            let disk = try SmallDisk(at: rig.below, megabytes: 1)
            try rig.folder.write(noise(3_000_000), to: "photo")
            var failure: FileServerFailure?
            do throws(FileServerFailure) {
                try await rig.server.upload(
                    FileSlice(path: rig.folder.file("photo"), count: 3_000_000), to: "a.jpg", share: nil,
                    onSent: nil)
            } catch {
                failure = error
            }
            guard case .noRoom(let text)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(text.contains("is full: ") && text.contains("'a.jpg' has 3.0 MB"), "\(text)")
            withExtendedLifetime(disk) {}
        }

        @Test("FTP that must be secure is refused where it is not, and so is an unknown certificate")
        func insecureFTP() async throws {
            let open = try await FTPDaemon(.none, nil)
            var settings = FileServerSettings(user: "anonymous", proof: .password("secret"))
            guard case .distrusted(let text)? = try await trouble("ftp://localhost:\(open.port)/in", settings)
            else {
                Issue.record("a password was sent openly")
                return
            }
            #expect(text.contains("TLS") && !text.contains("secret"))
            let shop = try CertificateShop()
            let secure = try await FTPDaemon(.explicit, try shop.signed("good"))
            guard case .distrusted? = try await trouble("ftp://localhost:\(secure.port)/in", settings) else {
                Issue.record("an unknown authority was believed")
                return
            }
            settings.security = .none
            settings.proof = .password("secret")
            settings.user = "nobody-here"
            guard case .logInRefused? = try await trouble("ftp://localhost:\(open.port)/in", settings) else {
                Issue.record("a stranger was let in")
                return
            }
        }

        @Test(
            "an upload that is taken back ends soon, and the other uploads do not notice",
            arguments: FileRig.Kind.there)
        func cancels(kind: FileRig.Kind) async throws {
            let rig = try await FileRig(kind)
            try rig.folder.write(noise(4_000_000), to: "photo")
            let slice = FileSlice(path: rig.folder.file("photo"), count: 4_000_000)
            let server = rig.server
            server.setRate(bytesPerSecond: 50_000, forPath: "slow")
            let task = Task { () async -> FileServerFailure? in
                do throws(FileServerFailure) {
                    try await server.upload(slice, to: "slow", share: "slow", onSent: nil)
                    return nil
                } catch {
                    return error
                }
            }
            try await server.upload(slice, to: "fast", share: nil, onSent: nil)
            #expect(try rig.stored("fast").count == 4_000_000)
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(try await server.size(of: "fast") == 4_000_000)
            await server.shutDown()
        }
    }
}
