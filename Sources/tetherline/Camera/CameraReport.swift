import Arguments
import Basics
import Camera
import PacketCapture
import Posix

/// `camera info --report FILE`: what an owner of a body that is not known yet can send, without saying whose it is.
struct CameraReport {
    let path: String
    private let tap: GreetingTap

    init(path: String, tap: GreetingTap) {
        self.path = path
        self.tap = tap
    }

    private var recording: String { "\(path).pcap" }

    /// Writes the text and, beside it, the recording. Without facts the greeting came to nothing.
    func write(_ facts: BodyFacts?) throws {
        let redacted = Redaction.redacted(tap.packets)
        try Recorder.write(redacted, to: recording, onFailure: { printError("tetherline: \(Visible($0))") })
        try write(lines(facts, redacted).map { $0 + "\n" }.joined())
        printError("The report is in \(path), its recording in \(recording): read the first, and send both.")
    }

    private func lines(_ facts: BodyFacts?, _ packets: [TappedPacket]) -> [String] {
        var lines = ["Tetherline: a camera and how it greets", ""]
        if let facts {
            lines += Human.table(
                [
                    ["maker", facts.manufacturer], ["model", facts.model], ["version", facts.version],
                    ["dialect", facts.dialect ?? "unknown"],
                    ["cards", "\(facts.stores.count { !$0.isEmpty })"],
                    ["operations", facts.operations.joined(separator: " ")],
                ].map { $0.map { Visible($0).description } })
        }
        if facts == nil { lines.append("The connection ended before everything could be asked.") }
        lines += [
            "",
            "\(packets.count) packets are in the recording beside this file. 'camsim --replay' answers with them.",
            "Left out are the serial number, GUIDs, MAC address, names, networks, and dates: letters are x there, digits 0.",
            "", "Not yet seen on a body, and whether this one did it:",
        ]
        lines += UnseenConduct.all(in: packets).map { "  \($0.isMet ? "seen " : "not  ")  \($0.sentence)" }
        return lines
    }

    private func write(_ text: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw UsageError("--report names a file, not '\(path)'.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        let directory = try Directory(path: folder.isEmpty ? "/" : folder)
        try writeAtomically(Array(text.utf8), to: String(name), in: directory, mode: 0o600)
    }
}
