/// A recorded greeting is redacted without a fault, whatever came: nothing is left of what says whose camera it is, and
/// every packet keeps its length and its kind.
func fuzzRedaction(_ input: inout FuzzInput) {
    var recording = Recording(greeting: Owner.greeting)
    while !input.isEmpty, recording.packets.count < 2000 { recording.add(&input) }
    let redacted = Redaction.redacted(recording.packets)
    precondition(redacted.count == recording.packets.count)
    for (now, before) in zip(redacted, recording.packets) {
        precondition(now.bytes.count == before.bytes.count, "a packet keeps its length")
        precondition(now.bytes.prefix(8) == before.bytes.prefix(8), "and its kind")
        precondition((now.link, now.toCamera) == (before.link, before.toCamera))
        for secret in Owner.long { precondition(!holds(now.bytes, secret), "it is left in a packet") }
    }
    for parts in recording.datasets {
        let payload = parts.flatMap { redacted[$0].bytes.dropFirst(12) }
        for secret in Owner.secrets { precondition(!holds(payload, secret), "it is left in a dataset") }
    }
    precondition(UnseenConduct.all(in: redacted).allSatisfy { !$0.sentence.isEmpty })
    precondition(
        UnseenConduct.all(in: redacted) == UnseenConduct.all(in: recording.packets), "what it is stays")
}

private func holds(_ bytes: [UInt8], _ secret: [UInt8]) -> Bool {
    guard bytes.count >= secret.count else { return false }
    return (0...bytes.count - secret.count).contains {
        bytes[$0] == secret[0] && bytes[$0..<$0 + secret.count].elementsEqual(secret)
    }
}

/// Whose camera it is, and how that is written.
private enum Owner {
    static let names = ["Annas laptop", "Annas R6"]
    static let serial = "3021004711"
    static let guids: [[UInt8]] = [
        (1...16).map { UInt8($0 * 13 & 0xFF) },
        // "Canon: eight zeros, 00 01, then the MAC."
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xA4, 0xB1, 0xC7, 0x12, 0x9E, 0x5D],
    ]

    static let long: [[UInt8]] =
        (names + [serial]).flatMap { [Array($0.utf8), wide($0), wide($0, isBig: true)] } + guids
    static let secrets: [[UInt8]] =
        long + [Array(guids[1].suffix(6)), little(3_021_004_711), little(3_021_004_711) + [0, 0, 0, 0]]
        + guids.map { $0.flatMap { digits($0) } }

    private static func digits(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    static func wide(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap {
            let bytes = [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            return isBig ? bytes.reversed() : bytes
        }
    }

    static func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Both sides say who they are, and the body what it is.
    static var greeting: [TappedPacket] {
        var info = DeviceInfo()
        (info.manufacturer, info.model, info.serialNumber) = ("Canon Inc.", "Canon EOS R6", serial)
        let names = names.map { wide($0) + [0, 0] }
        return [
            packet(1, guids[0] + names[0] + [0, 0, 1, 0], toCamera: true),
            packet(2, little(1) + guids[1] + names[1] + [0, 0, 1, 0]),
            packet(6, little(1) + [0x01, 0x10] + little(1), toCamera: true),
            packet(12, little(1) + info.encoded), packet(7, [0x01, 0x20] + little(1)),
        ]
    }

    static func packet(
        _ type: UInt32, _ body: [UInt8], link: Int = 1, toCamera: Bool = false
    ) -> TappedPacket {
        TappedPacket(
            link: link, toCamera: toCamera, microseconds: 0,
            bytes: little(UInt32(8 + body.count)) + little(type) + body)
    }
}

/// What is recorded, and where in it something was planted.
private struct Recording {
    private(set) var packets: [TappedPacket]
    /// The packets of each dataset.
    private(set) var datasets: [[Int]] = []

    init(greeting: [TappedPacket]) { packets = greeting }

    mutating func add(_ input: inout FuzzInput) {
        let kind = input.byte()
        let link = 1 + Int(kind >> 7)
        switch kind % 8 {
        // Anything, in packets of any kind.
        case 0:
            packets.append(
                Owner.packet(
                    UInt32(input.byte() % 18), input.take(Int(input.byte())), link: link,
                    toCamera: kind & 8 != 0))
        // Someone else says who they are, or says it again, or says more.
        case 1:
            let isOurs = kind & 8 != 0
            packets.append(
                Owner.packet(
                    isOurs ? 1 : 2, (isOurs ? [] : Owner.little(2)) + planted(&input), link: link,
                    toCamera: isOurs))
        default: addDataset(&input, kind, link)
        }
    }

    private static let operations: [UInt16] = [0x9116, 0x1008, 0x1015, 0x9209, 0x90C7, 0x941C, 0x952B]

    /// It may end early, or never; the next one begins all the same.
    private mutating func addDataset(_ input: inout FuzzInput, _ kind: UInt8, _ link: Int) {
        let operation = Self.operations[Int(input.byte()) % Self.operations.count]
        let code = [UInt8(truncatingIfNeeded: operation), UInt8(operation >> 8)]
        packets.append(
            Owner.packet(6, Owner.little(1) + code + Owner.little(2), link: link, toCamera: true))
        var payload = planted(&input)[...]
        var parts: [Int] = []
        while !payload.isEmpty, parts.count < 8 {
            let count = Int(input.byte())
            parts.append(packets.count)
            packets.append(Owner.packet(10, Owner.little(2) + payload.prefix(count), link: link))
            payload = payload.dropFirst(count)
        }
        if kind & 8 == 0 {
            parts.append(packets.count)
            packets.append(Owner.packet(12, Owner.little(2) + payload, link: link))
        }
        datasets.append(parts)
        if kind & 16 == 0 { packets.append(Owner.packet(7, [0x01, 0x20] + Owner.little(2), link: link)) }
    }

    /// Bytes, and among them what must not be left.
    private func planted(_ input: inout FuzzInput) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int(input.byte() % 6) {
            bytes += input.take(Int(input.byte() % 64))
            bytes += Owner.secrets[Int(input.byte()) % Owner.secrets.count]
        }
        return bytes + input.take(Int(input.byte() % 64))
    }
}
