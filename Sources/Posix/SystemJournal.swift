import Glibc

/// One entry for systemd's journal: a message, and what it is about as fields that `journalctl` can select by.
package struct SystemJournalEntry: Sendable {
    /// As syslog(3) counts them.
    package enum Priority: Int, Sendable {
        case warning = 4
        case information = 6
    }

    package let message: String
    package let priority: Priority
    /// By names that the journal allows.
    private(set) var fields: [(name: String, value: String)] = []

    /// Bytes; more than any sentence or address has.
    private static let longestValue = 4000
    private static let mostFields = 32
    private static let longestName = 64

    package init(_ message: String, priority: Priority) {
        self.message = Self.short(message)
        self.priority = priority
    }

    /// `isFinal` of `TETHERLINE` becomes `TETHERLINE_IS_FINAL`. A name that would be none to the journal is left out.
    package mutating func add(_ name: String, _ value: String, of program: String) {
        var upper = ""
        for letter in name.unicodeScalars {
            guard letter.isASCII, letter.properties.isAlphabetic || ("0"..."9").contains(letter) else {
                return
            }
            if ("A"..."Z").contains(letter) { upper += "_" }
            upper += letter.properties.uppercaseMapping
        }
        guard !upper.isEmpty, upper.utf8.count <= Self.longestName, fields.count < Self.mostFields else {
            return
        }
        fields.append(("\(program)_\(upper)", Self.short(value)))
    }

    private static func short(_ text: String) -> String {
        String(decoding: text.utf8.prefix(longestValue), as: UTF8.self)
    }

    /// As the journal's own protocol has them: `NAME=value`, or where the value has a line's end, its length in eight
    /// bytes, the smallest first.
    package func bytes(for identifier: String) -> [UInt8] {
        let all =
            [
                ("MESSAGE", message), ("PRIORITY", "\(priority.rawValue)"),
                ("SYSLOG_IDENTIFIER", identifier),
            ] + fields.map { ($0.name, $0.value) }
        return all.reduce(into: []) { bytes, field in
            let (name, value) = (Array(field.0.utf8), Array(field.1.utf8))
            if value.contains(UInt8(ascii: "\n")) {
                bytes += name + [UInt8(ascii: "\n")]
                bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.count >> ($0 * 8)) }
                bytes += value + [UInt8(ascii: "\n")]
            } else {
                bytes += name + [UInt8(ascii: "=")] + value + [UInt8(ascii: "\n")]
            }
        }
    }
}

/// systemd's journal, where that is what reads this program's standard error.
package final class SystemJournal: Sendable {
    /// Where it listens, on every machine.
    package static let path = "/run/systemd/journal/socket"

    private let descriptor: OwnedDescriptor
    private let identifier: String
    private let path: String

    /// Nothing where standard error leads elsewhere: a terminal, a file, another program.
    package init?(
        _ identifier: String, environment: (String) -> String?, path: String = SystemJournal.path,
        standing descriptor: Int32 = 2
    ) throws(SystemError) {
        guard let stream = environment("JOURNAL_STREAM") else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, stream == "\(facts.st_dev):\(facts.st_ino)" else { return nil }
        (self.identifier, self.path) = (identifier, path)
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        self.descriptor = OwnedDescriptor(owning: try check("socket", on: path) { socket(AF_UNIX, kind, 0) })
    }

    /// False when it does not take the entry. Waits while it is behind, so it is called from a thread that may.
    func enter(_ entry: SystemJournalEntry) -> Bool {
        let bytes = entry.bytes(for: identifier)
        do throws(SystemError) {
            var address = try Socket.localAddress(path)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(
                        descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0,
                        socklen_t(MemoryLayout<sockaddr_un>.size)) == bytes.count
                }
            }
        } catch {
            return false
        }
    }
}
