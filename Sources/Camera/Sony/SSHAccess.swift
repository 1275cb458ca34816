import Link

/// How a body is reached that is reached through SSH alone: a Sony with Access Authentication switched on.
///
/// Its screen shows the user's name, the password and the fingerprint of its host key. The password stands in a file, so that
/// neither a command line nor a list of processes ever shows it.
public struct SSHAccess: Equatable, Sendable {
    public var user: String
    /// Its first line is the password.
    public var passwordFile: String
    /// As the screen shows it: `SHA256:` and 43 characters. Nothing is sent to a body whose key is another; without it the
    /// first contact says which one was met, and ends.
    public var fingerprint: String?
    /// SSH's own port on the body. That of PTP/IP is reached inside.
    public var port: UInt16 = 22
    /// Where the few lines lie that hand the password over: a folder that only this user may read.
    public var folder: String
    public var program = "/usr/bin/ssh"
    /// "The cipher is aes128-ctr"; other bodies' are not known.
    public var cipher = "aes128-ctr"

    /// Nothing for a user or a fingerprint that cannot be one.
    public init?(user: String, passwordFile: String, fingerprint: String?, folder: String) {
        guard Self.isName(user), fingerprint.map(Self.isFingerprint) ?? true else { return nil }
        (self.user, self.passwordFile, self.fingerprint, self.folder) = (
            user, passwordFile, fingerprint, folder
        )
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix("-")
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// What may stand in a line of a shell.
    static func isFingerprint(_ text: String) -> Bool {
        guard text.hasPrefix("SHA256:") else { return false }
        let digits = text.dropFirst(7)
        return digits.utf8.count == 43
            && digits.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == 0x2B || $0 == 0x2F
            }
    }

    /// OpenSSH asks this for the keys that it may trust, and goes on with the one that is pinned alone.
    private var keyCommand: String {
        let pinned = fingerprint ?? "none"
        return #"/bin/sh -c "echo host-key-met %f >&2; if [ '%f' = '\#(pinned)' ]; then echo '%H %t %K'; fi""#
    }

    /// What it writes among its errors when the way to the camera stands. Before that, what answers at its port is another.
    static let standsLine = "forward-stands"

    /// Everything that OpenSSH is told: no password, no settings of this user's, no other forwards.
    func arguments(host: String, from local: UInt16, to camera: UInt16) -> [String] {
        let options = [
            "ExitOnForwardFailure=yes", "StrictHostKeyChecking=yes", "UserKnownHostsFile=/dev/null",
            "GlobalKnownHostsFile=/dev/null", "KnownHostsCommand=\(keyCommand)", "UpdateHostKeys=no",
            "PubkeyAuthentication=no", "PreferredAuthentications=password,keyboard-interactive",
            "NumberOfPasswordPrompts=1", "ConnectTimeout=10", "ServerAliveInterval=5",
            "ServerAliveCountMax=3",
            "ForwardAgent=no", "ForwardX11=no", "User=\(user)",
            // OpenSSH runs it when it is let in and listens for us.
            "PermitLocalCommand=yes", "LocalCommand=echo \(Self.standsLine) >&2",
        ]
        return ["-F", "/dev/null", "-N", "-T", "-c", cipher, "-p", "\(port)"]
            + options.flatMap { ["-o", $0] }
            + ["-L", "127.0.0.1:\(local):localhost:\(camera)", "--", host]
    }

    /// What ssh runs to be given the password.
    static let handOver = "#!/bin/sh\nexec head -n 1 \"$TETHERLINE_SSH_PASSWORD_FILE\"\n"
    static let handOverName = "ssh-password"

    var environment: [String: String] {
        [
            "SSH_ASKPASS": "\(folder)/\(Self.handOverName)", "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0",
            "TETHERLINE_SSH_PASSWORD_FILE": passwordFile, "PATH": "/usr/bin:/bin", "HOME": folder,
        ]
    }
}

extension SSHAccess {
    /// Why ssh has ended, from what it wrote: what only a person can set right is told apart from what may pass.
    func failure(_ errors: String, of host: String) -> LinkError {
        let met = errors.split(separator: "\n").compactMap { line in
            line.hasPrefix("host-key-met SHA256:") ? String(line.dropFirst("host-key-met ".count)) : nil
        }.last
        if let met, met != fingerprint, Self.isFingerprint(met) {
            let reason =
                fingerprint == nil
                ? "its SSH key is \(met): compare that with the fingerprint on the camera's screen, and if it is the same, give it as ssh-host-key"
                : "its SSH key is \(met), and not the one that was given: it is another camera, or a stranger has its address"
            return .denied(peer: host, reason: reason)
        }
        if errors.contains("Permission denied") {
            return .denied(peer: host, reason: "it does not accept the user or the password")
        }
        let last = errors.split(separator: "\n").last {
            !$0.hasPrefix("host-key-met") && $0 != Self.standsLine
        }
        return .unreachable(peer: host, reason: "ssh has ended: \(last ?? "it gave no reason")")
    }
}
