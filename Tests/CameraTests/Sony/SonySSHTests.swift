import Bridge
import Glibc
import Link
import Posix
import Simulator
import TestSupport
import Testing

@testable import Camera

/// A Sony that is reached through SSH alone: OpenSSH's own server stands before a simulated one.
@Suite(.enabled(if: SSHDoor.isThere, "\(SSHDoor.reason)"))
struct SonySSHTests {
    /// What a camera behind the server is met with.
    private func met<Result: Sendable>(
        _ door: SSHDoor, fingerprint: String?, password: String = SSHDoor.password, _ log: Shared<[String]>,
        _ use: @Sendable (any CameraDriver, SimulatedCamera) async throws -> Result
    ) async throws -> Result {
        let reactor = try Reactor(name: "ssh")
        defer { reactor.shutDown() }
        var (settings, card) = (SimulatedCamera.Settings(), VirtualCard.Settings())
        settings.onLog = { line in log.change { $0.append(line) } }
        card.photoSize = 300_000
        let model = try #require(CameraModel.named("sony-a7m4"))
        model.dress(&card)
        let camera = SimulatedCamera(
            model: model, card: try VirtualCard(card, photos: 0), settings: settings, executor: reactor,
            time: reactor)
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let serving = Task(executorPreference: reactor) { await camera.run { try await listener.accept() } }
        defer {
            listener.close()
            serving.cancel()
        }
        let identity = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
        var ours = GenericSettings(identity: identity)
        try door.folder.write(Array((password + "\n").utf8), to: "password")
        var access = try #require(
            SSHAccess(
                user: "root", passwordFile: door.folder.file("password"), fingerprint: fingerprint,
                folder: door.folder.file("ours")))
        access.port = door.port
        ours.ssh = access
        let connector = GenericConnector(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), settings: ours,
            reactor: reactor)
        return try await connector.met(knowing: nil) { try await use($0, camera) }
    }

    @Test("photos come through SSH, byte for byte, and no list of processes shows the password")
    func through() async throws {
        let door = try SSHDoor()
        let log = Shared<[String]>([])
        try await met(door, fingerprint: door.fingerprint, log) { driver, camera in
            let processes = try #require(Tool("ps")).run(["-eww", "-o", "args"]).text
            #expect(processes.contains("localhost:") && !processes.contains(SSHDoor.password))
            await camera.shoot()
            for await change in driver.changes {
                guard case .added(let reference) = change else { continue }
                let offer = try #require(try await driver.describe(reference, withRating: false))
                let (sink, workers) = (ArraySink(), PhotoWorkers.start())
                defer { workers.shutDown() }
                _ = try await driver.fetch(offer, from: 0, into: FetchOptions(into: sink, workers: workers))
                #expect(try await camera.photos().map { try $0.bytes() } == [sink.bytes])
                break
            }
        }
        #expect(log.value.contains("the session is closed"), "it is said goodbye to before ssh ends")
    }

    /// It says that it stands only after another has answered at its port: so ends a process that was being started while
    /// the port was looked for.
    @Test("what answers at the port before ssh says that it listens is not the camera")
    func early() async throws {
        let folder = try TemporaryFolder()
        let program = #"""
            #!/usr/bin/env python3
            import socket, struct, sys, time
            port = int(sys.argv[sys.argv.index("-L") + 1].split(":")[1])
            def listening():
                door = socket.socket()
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                door.bind(("127.0.0.1", port))
                door.listen()
                return door
            other = listening()
            other.settimeout(0.4)
            try:
                early, _ = other.accept()
                early.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                early.close()
            except TimeoutError:
                pass
            other.close()
            camera = listening()
            print("forward-stands", file=sys.stderr, flush=True)
            camera.settimeout(20)
            ours, _ = camera.accept()
            ours.sendall(b"camera")
            time.sleep(20)

            """#
        try folder.writeProgram(program, to: "ssh")
        var access = try #require(
            SSHAccess(user: "root", passwordFile: "p", fingerprint: nil, folder: folder.file("ours")))
        access.program = folder.file("ssh")
        let reactor = try Reactor(name: "ssh")
        defer { reactor.shutDown() }
        let forward = SSHForward(
            to: HostPort(host: "192.0.2.1", port: 15740), access, options: TCPLink.Options(), reactor: reactor
        )
        let link = try await forward.connect()
        let buffer = Buffer(capacity: 64)
        let count = try await link.receive(into: buffer)
        #expect(buffer.bytes(0..<count) == Array("camera".utf8))
        link.close(.reset)
        await forward.close()
    }

    @Test("a body whose key was not given is named by it, and told nothing")
    func firstContact() async throws {
        let door = try SSHDoor()
        let log = Shared<[String]>([])
        let unknown = await ConformanceCheck.failure {
            try await met(door, fingerprint: nil, log) { _, _ in }
        }
        #expect(unknown?.sentence.contains(door.fingerprint) == true, "\(unknown.debugDescription)")
        ConformanceCheck.expectSentences(unknown)
        let other = "SHA256:" + String(repeating: "A", count: 43)
        let wrong = await ConformanceCheck.failure {
            try await met(door, fingerprint: other, log) { _, _ in }
        }
        #expect(wrong?.sentence.contains("not the one that was given") == true, "\(wrong.debugDescription)")
        // Trying again every second would change nothing.
        for failure in [unknown, wrong] {
            #expect(failure?.loss.word == "needsPerson" && failure?.outcome == .notPermitted)
            #expect(failure?.advice.contains("ssh-host-key") == true)
        }
        #expect(log.value.isEmpty)
    }

    @Test("a password that is wrong is said to be")
    func wrongPassword() async throws {
        let door = try SSHDoor()
        let log = Shared<[String]>([])
        let failure = await ConformanceCheck.failure {
            try await met(door, fingerprint: door.fingerprint, password: "another", log) { _, _ in }
        }
        #expect(failure?.sentence.contains("the user or the password") == true, "\(failure.debugDescription)")
        #expect(failure?.loss.word == "needsPerson" && failure?.advice.contains("ssh-password-file") == true)
        #expect(log.value.isEmpty)
    }

    @Test("what cannot be a name or a fingerprint never comes near a shell")
    func unusable() {
        let good = "SHA256:" + String(repeating: "a", count: 43)
        for (user, fingerprint) in [
            ("", good), ("-oProxyCommand=x", good), ("a b", good), ("root", "SHA256:short"),
            ("root", "SHA256:" + String(repeating: "'", count: 43)), ("root", "MD5:00"),
        ] {
            #expect(
                SSHAccess(user: user, passwordFile: "p", fingerprint: fingerprint, folder: "f") == nil)
        }
        #expect(SSHAccess(user: "root", passwordFile: "p", fingerprint: good, folder: "f") != nil)
    }
}

/// sshd with a password for one user, which this machine does not know outside of it.
final class SSHDoor: Sendable {
    static let password = "correct horse-battery"
    static let isThere =
        geteuid() == 0
        && ["/usr/sbin/sshd", "ssh", "ssh-keygen", "openssl", "unshare", "ps"].allSatisfy { Tool.isThere($0) }
    static let reason = "sshd, ssh and openssl are wanted, and root for a password of its own"

    let folder: TemporaryFolder
    let port: UInt16
    let fingerprint: String
    private let daemon: Daemon

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.next()
        let keygen = try #require(Tool("ssh-keygen"))
        _ = try keygen.run(["-q", "-t", "ed25519", "-N", "", "-f", folder.file("host")])
        let shown = try keygen.run(["-l", "-f", folder.file("host.pub")]).text
        fingerprint = try #require(
            shown.split(separator: " ").first { $0.hasPrefix("SHA256:") }.map(String.init))
        let hash = try #require(Tool("openssl")).run(["passwd", "-6", Self.password]).text
            .filter { $0 != "\n" }
        try folder.write("root:\(hash):19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n", to: "shadow")
        mkdir("/run/sshd", 0o755)
        try folder.write(
            """
            ListenAddress 127.0.0.1
            Port \(port)
            HostKey \(folder.file("host"))
            StrictModes no
            PidFile none
            UsePAM no
            PermitRootLogin yes
            PasswordAuthentication yes
            Ciphers aes128-ctr

            """, to: "config")
        // In a view of the files of its own, in which its user has that password.
        daemon = try Daemon(
            try #require(Tool("unshare")).path,
            [
                "-m", "/bin/sh", "-c",
                #"mount --bind "$0" /etc/shadow && exec /usr/sbin/sshd -D -e -f "$1""#, folder.file("shadow"),
                folder.file("config"),
            ])
        try daemon.wait(for: "Server listening")
    }
}
