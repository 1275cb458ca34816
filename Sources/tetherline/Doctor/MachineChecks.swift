import Arguments
import Basics
import Bridge
import Posix
import Store

/// How much the spool still takes, and how fast.
struct DiskCheck: HealthCheck {
    let name = "disk"
    let limit = Duration.seconds(20)

    /// A small part of what a disk keeps in mind, and synced, so that the disk itself is measured.
    private static let tried = 16 << 20
    /// Two cameras over good Wi-Fi bring as much.
    private static let slow = 10_000_000.0
    /// Where the ledger knows none: a JPEG and its RAW.
    private static let usualPhoto: UInt64 = 40_000_000
    private static let few: UInt64 = 500

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        guard let folder = try Self.existing(subject.home) else {
            return [.notChecked("no folder of the path \(subject.home.path) is there.")]
        }
        let (free, total) = try folder.space()
        let settings = try Settings.read(from: subject.home)
        let reserve = settings.reserve.size(on: DiskSpace(free: free, total: total))
        let usable = free > reserve ? free - reserve : 0
        let photos =
            try Self.photosLeft(BridgeStatus.Disk(free: free, total: total, reserve: reserve), subject)
            ?? usable / Self.usualPhoto
        let left = "\(Human.bytes(free)) free where the spool is, \(Human.bytes(reserve)) of them kept free"
        let cure =
            "Make room there, let the spool let go of what is delivered (spool: { keep: … }), or use a home on another disk with "
            + "--home."
        if usable < Self.tried {
            return [.failed("\(left): no photo fits any more.", cure: cure, .inputOutput)]
        }
        var findings: [Finding] = []
        if photos < Self.few {
            findings.append(.warning("\(left): about \(photos) photos fit.", cure: cure))
        }
        do throws(SystemError) {
            let speed = try Self.speed(in: folder)
            if speed < Self.slow {
                findings.append(
                    .warning(
                        "the disk of the spool takes \(Human.bytes(UInt64(speed))) a second, less than two cameras bring.",
                        cure: "A home on a faster disk: memory cards and network drives are slow."))
            } else if findings.isEmpty {
                findings.append(
                    .ok("\(left): about \(photos) photos fit, at \(Human.bytes(UInt64(speed))) a second."))
            }
        } catch {
            findings.append(
                .failed(
                    "nothing can be written to \(folder.path): \(error.reason)",
                    cure: "Look at the disk and at who may write there, or name another home with --home.",
                    error.exitCode))
        }
        return findings
    }

    /// By what the photos of the event have been so far; nothing before the first.
    private static func photosLeft(_ disk: BridgeStatus.Disk, _ subject: CheckedHome) throws -> UInt64? {
        guard let reader = try subject.reader(), let event = try reader.currentEvent() else { return nil }
        let counts = try reader.counts(of: event.id)
        var status = BridgeStatus()
        status.photos = counts.captures
        status.stagedBytes = counts.stagedBytes
        status.note(disk)
        return status.spool?.photosLeft
    }

    /// The spool, or what is there of its path.
    private static func existing(_ home: Home) throws(SystemError) -> Directory? {
        guard var path = Directory.absolute(home.spool) else { return nil }
        while !path.isEmpty {
            do throws(SystemError) {
                return try Directory(path: path)
            } catch {
                guard error.kind == .missing else { throw error }
            }
            path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        }
        return try Directory(path: "/")
    }

    /// Bytes a second, to the disk and not only to memory.
    private static func speed(in folder: Directory) throws(SystemError) -> Double {
        let file = try TemporaryFile(in: folder.path)
        let bytes = [UInt8](repeating: 0x5A, count: 1 << 20)
        let begun = MonotonicClock.now
        for _ in 0..<(tried / bytes.count) { _ = try file.append(bytes[...]) }
        try file.sync()
        return Double(tried) / max(0.001, (MonotonicClock.now - begun) / .seconds(1))
    }
}

/// How many connections and files this user may have open.
struct OpenFilesCheck: HealthCheck {
    let name = "open files"
    private static let few: UInt64 = 512

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let most = try Program.opensManyFiles()
        guard most < Self.few else { return [.ok("a program may have \(most) files and connections open.")] }
        return [
            .warning(
                "a program of yours may have only \(most) files and connections open.",
                cure:
                    "'ulimit -Hn' shows the limit; /etc/security/limits.conf, or LimitNOFILE= of a service, raises it."
            )
        ]
    }
}

/// Whether this machine's clock is kept right by the network.
struct ClockCheck: HealthCheck {
    let name = "clock"

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let time = SystemWallTime().wallNow.onTheWall
        switch WallClock.isSynchronised {
        case true?: return [.ok("this machine's clock is synchronised; it is \(time).")]
        case false?:
            return [
                .warning(
                    "this machine's clock is not synchronised; it says \(time). Galleries and buckets refuse a clock that is wrong.",
                    cure:
                        "Compare it with a phone; 'timedatectl set-ntp true' synchronises it where there is an internet."
                )
            ]
        case nil:
            return [
                .notChecked(
                    "the kernel does not say whether the clock is synchronised; it says \(time).",
                    cure: "Compare it with a phone.")
            ]
        }
    }
}

/// What may keep packets out. The rules themselves are root's to read.
struct FirewallCheck: HealthCheck {
    let name = "firewall"

    /// What shows to every user that such a program runs, and what lets announcements in with it.
    private static let signs: [(name: String, path: String, holds: String?, cure: String)] = [
        (
            "ufw", "/etc/ufw/ufw.conf", "ENABLED=yes",
            "'sudo ufw allow proto udp to any port 1900,5353' lets announcements in."
        ),
        (
            "firewalld", "/sys/fs/cgroup/system.slice/firewalld.service", nil,
            "'sudo firewall-cmd --add-service=mdns --add-service=ssdp' lets announcements in."
        ),
        (
            "nftables", "/sys/fs/cgroup/system.slice/nftables.service", nil,
            "'sudo nft list ruleset' shows its rules."
        ),
    ]
    private static let longest = 64 << 10

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let notRead =
            "only root may read the rules: 'sudo nft list ruleset' and 'sudo iptables -S' show them."
        var findings: [Finding] = []
        for sign in Self.signs where try Self.isThere(sign.path, holding: sign.holds) {
            findings.append(
                .notChecked(
                    "\(sign.name) is switched on here. Its rules were not read: \(notRead) A camera's events come over a connection that we make and are let "
                        + "through by rules that keep state; its announcements (UDP 1900 and 5353) may not be.",
                    cure: sign.cure))
        }
        if !findings.isEmpty { return findings }
        return [
            .notChecked(
                "no sign of ufw, firewalld or an nftables service was found; whether there are other rules was not checked: \(notRead)"
            )
        ]
    }

    private static func isThere(_ path: String, holding text: String?) throws -> Bool {
        do throws(SystemError) {
            guard let text else {
                _ = try ReadableFile(path: path)
                return true
            }
            let bytes = try ReadableFile.contents(of: path, limit: longest)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { $0 == text }
        } catch {
            if [.missing, .notAllowed].contains(error.kind) { return false }
            throw error
        }
    }
}
