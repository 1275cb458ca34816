import Arguments
import Basics
import PTP
import PacketCapture
import Posix
import Simulator

/// What camsim was asked to be.
struct CamsimOptions {
    let listen: IPEndpoint
    let portFile: String?
    let record: String?
    let manifest: String?
    let leavesOutPhotos: Bool
    private let model: CameraModel
    private let invocation: Invocation

    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "camsim", "A Wi-Fi camera in software: speaks PTP/IP, holds photos, presses its own shutter.")
        spec.discussion = [
            "Without --card it holds photos that it makes up: valid JPEGs with EXIF, each with its number on it. "
                + "It runs until Ctrl-C or SIGTERM."
        ]
        spec.options = [
            OptionSpec(
                "listen", "ADDRESS:PORT", "Where to listen; port 0 picks a free one. [127.0.0.1:15740]"),
            OptionSpec(
                "model", "MODEL", "Whose dialect to speak; '--list-models' says which there are. [generic]",
                .oneOf(CameraModel.all.map(\.name))),
            .flag("list-models", "Say which models there are and what each is like, and end."),
            OptionSpec("name", "NAME", "The name that clients see. [camsim]"),
            OptionSpec("serial", "SERIAL", "The serial number. [0001]"),
            OptionSpec("guid", "GUID", "The camera's GUID, 32 hexadecimal digits. [drawn from the seed]"),
            OptionSpec(
                "card", "DIR",
                "Serve this folder, which holds a DCIM folder, as it is; nothing in it is ever written."),
            OptionSpec("photos", "N", "How many photos the card holds. [10]"),
            OptionSpec("photo-size", "BYTES", "How large each is: 500000, 8MiB, 5GiB. [4MiB]"),
            OptionSpec("slots", "N", "Card slots, 1 or 2; two are filled in turn. [1]"),
            OptionSpec("first", "N", "The number of the first photo; 9999 is followed by 0001. [1]"),
            OptionSpec("shoot", "N", "Take so many photos once a client has opened a session. [0]"),
            OptionSpec(
                "every", "TIME", "The time between them: 500ms, 2s; a bare number is milliseconds. [1s]"),
            OptionSpec(
                "burst", "N@TIME",
                "In the middle of those of --shoot, so many more, this far apart: 30@100ms."),
            .flag("raw-jpeg", "Write a RAW file beside every JPEG."),
            OptionSpec(
                "packets", "MODE",
                "How data is cut: one-end, data-then-empty-end, data-then-end, or BYTES a packet. [data-then-empty-end]",
                .words(["one-end", "data-then-empty-end", "data-then-end"])),
            OptionSpec("rate", "BYTES", "Send data no faster than so many bytes a second."),
            OptionSpec(
                "faults", "FILE", "What goes wrong, one switch a line; '--faults help' lists the switches."),
            OptionSpec("seed", "N", "What pictures, noise and chances are drawn from. [1]"),
            OptionSpec(
                "record", "FILE", "Record every conversation into this pcap file, for Wireshark and --replay."
            ),
            .flag("without-photos", "Leave the bytes of photos out of the recording."),
            OptionSpec(
                "replay", "FILE",
                "Be the camera of a recorded conversation: ours, or tcpdump's. FILE#2 is the second one in a file."
            ),
            OptionSpec(
                "manifest", "FILE", "At its end, write down each photo's SHA-256 and name, as sha256sum does."
            ),
            OptionSpec("port-file", "PATH", "Write the port to this file when ready to accept."),
        ]
        spec.exclusive = [
            ["replay", "model"], ["replay", "card"], ["replay", "photos"], ["replay", "shoot"],
            ["replay", "manifest"],
            ["card", "photos"],
            ["card", "photo-size"], ["card", "first"], ["card", "slots"],
        ]
        spec.examples = [
            "camsim",
            "camsim --listen 0.0.0.0:15740 --photos 50 --photo-size 8MiB --shoot 20 --every 2s",
            "camsim --card /media/card --port-file port --listen 127.0.0.1:0",
        ]
        spec.describeItself()
        return spec
    }()

    init(_ invocation: Invocation) throws(UsageError) {
        self.invocation = invocation
        let text = invocation.value("listen") ?? "127.0.0.1:15740"
        do throws(HostPort.Unreadable) {
            let target = try HostPort(text, defaultPort: 15740)
            guard let endpoint = IPEndpoint(numeric: target.host, port: target.port) else {
                throw HostPort.Unreadable(
                    text: text, reason: "an address of this machine is wanted, in numbers")
            }
            listen = endpoint
        } catch {
            throw UsageError("--listen: \(error)")
        }
        portFile = invocation.value("port-file")
        record = invocation.value("record")
        manifest = invocation.value("manifest")
        leavesOutPhotos = invocation.has("without-photos")
        if leavesOutPhotos, record == nil { throw UsageError("--without-photos is about --record FILE.") }
        let name = try invocation.choice("model", of: CameraModel.all.map(\.name))
        model = name.flatMap(CameraModel.named) ?? .generic
    }

    /// A line for each model.
    static var models: String {
        let longest = CameraModel.all.map(\.name.count).max() ?? 0
        return CameraModel.all.map { model in
            model.name + String(repeating: " ", count: longest - model.name.count + 2) + model.summary
        }.joined(separator: "\n")
    }

    func camera(on reactor: Reactor) throws -> SimulatedCamera {
        if let replay = invocation.value("replay") {
            return SimulatedCamera(
                replaying: try recording(replay), settings: try settings(), executor: reactor, time: reactor)
        }
        let card = try makeCard()
        return SimulatedCamera(
            model: model, card: card, settings: try settings(), executor: reactor, time: reactor)
    }

    /// `FILE`, or `FILE#2` for the second conversation in it.
    private func recording(_ text: String) throws -> Recording {
        let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
        let number = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
        let contents = try PcapFile.conversations(in: parts[0])
        if let damage = contents.damage { printError("camsim: the end of \(parts[0]) is damaged: \(damage)") }
        guard contents.conversations.indices.contains(number - 1) else {
            let count = contents.conversations.count
            let skipped =
                contents.skippedText.isEmpty ? "" : " Frames that were of no use: \(contents.skippedText)."
            throw UsageError(
                "\(parts[0]) holds \(count) conversations with a camera, and no number \(number).\(skipped)")
        }
        return Recording(contents.conversations[number - 1])
    }

    private var seed: UInt64 {
        get throws { UInt64(try invocation.integer("seed", in: 0...Int.max) ?? 1) }
    }

    private func settings() throws -> SimulatedCamera.Settings {
        var settings = SimulatedCamera.Settings()
        settings.seed = try seed
        settings.name = invocation.value("name") ?? "camsim"
        settings.guid = try guid()
        if let mode = invocation.value("packets") {
            guard let packets = Packetisation(mode) else {
                throw UsageError(
                    "--packets is one-end, data-then-empty-end, data-then-end or a number of bytes from 1 to 1073741824, not '\(mode)'."
                )
            }
            settings.packets = packets
        }
        settings.rate = try invocation.size("rate", in: 1...1 << 40)
        settings.shots = try invocation.integer("shoot", in: 0...Self.mostShots) ?? 0
        if let every = invocation.value("every") {
            guard let interval = Self.interval(every) else {
                throw UsageError("--every is a time such as 500ms or 2s, not '\(every)'.")
            }
            settings.interval = interval
        }
        settings.burst = try burst(beside: settings.shots)
        settings.script = try script()
        settings.remembersPhotos = manifest != nil
        settings.onLog = { printOutput("camsim: \(Visible($0))") }
        return settings
    }

    private static let mostShots = 1_000_000

    private static func interval(_ text: String) -> Duration? {
        Values.duration(Int(text) == nil ? text : text + "ms")
    }

    private func burst(beside shots: Int) throws(UsageError) -> ShootingPace.Burst? {
        guard let text = invocation.value("burst") else { return nil }
        guard shots > 0 else {
            throw UsageError("--burst goes with --shoot N, and comes in the middle of them.")
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = Int(parts[0]), (1...Self.mostShots).contains(count),
            let interval = Self.interval(parts[1])
        else { throw UsageError("--burst is a number and a time such as 30@100ms, not '\(text)'.") }
        return ShootingPace.Burst(shots: count, interval: interval)
    }

    private func guid() throws -> GUID {
        guard let text = invocation.value("guid") else {
            var random = Mixer(try seed)
            return GUID(random: &random)
        }
        guard let guid = GUID(text: text) else {
            throw UsageError("--guid is 32 hexadecimal digits, not '\(text)'.")
        }
        return guid
    }

    /// A script longer than this is a mistake.
    private static let longestScript = 1 << 20

    private func script() throws -> FaultScript {
        guard let path = invocation.value("faults") else { return .none }
        let text = try ReadableFile.contents(of: path, limit: Self.longestScript)
        return try FaultScript(String(decoding: text, as: UTF8.self))
    }

    private func makeCard() throws -> VirtualCard {
        var settings = VirtualCard.Settings()
        model.dress(&settings)
        settings.seed = try seed
        settings.serial = invocation.value("serial") ?? "0001"
        settings.hasRawToo = invocation.has("raw-jpeg")
        settings.slots = try invocation.integer("slots", in: 1...2) ?? 1
        settings.photoSize =
            try invocation.size("photo-size", in: GeneratedPhoto.smallestJPEG...(1 << 50))
            ?? settings.photoSize
        settings.firstNumber = try invocation.integer("first", in: 1...9999) ?? 1
        let script = try script()
        settings.apply(script)
        let photos = try invocation.integer("photos", in: 0...100_000) ?? 10
        let needed = settings.photoSize.multipliedReportingOverflow(by: 4 * UInt64(photos + 1))
        settings.capacity = max(settings.capacity, needed.overflow ? .max / 2 : needed.partialValue)
        let now = WallClock.now.seconds
        settings.startsAt = now + WallClock.localOffset(at: now) - Int64(photos) * settings.secondsBetween
        if let folder = invocation.value("card") { return try VirtualCard(settings, folder: folder) }
        return try VirtualCard(settings, photos: photos)
    }
}
