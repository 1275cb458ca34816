import PTP

/// Takes out of a recorded greeting whatever says whose camera it is and what was photographed, and leaves every length and
/// every number as it was.
///
/// Identifiers go to zero. Of text, letters become `x`, digits `0`, and a date another date, whatever dataset they stand in:
/// what an unknown body calls its settings is not known. What stays is what a body says of its kind in DeviceInfo.
public struct Redaction: Sendable {
    private let secrets: [[UInt8]]

    /// With what these packets themselves give away: GUIDs, names, serial number.
    public static func redacted(_ packets: [TappedPacket]) -> [TappedPacket] {
        var names: [String] = []
        var serials: [String] = []
        var identifiers: [[UInt8]] = []
        // By link: what has come of the answer to GetDeviceInfo.
        var device: [Int: [UInt8]] = [:]
        for packet in packets where packet.bytes.count >= 12 {
            switch packet.type {
            case .initCommandRequest, .initCommandAck:
                let start = packet.type == .initCommandAck ? 12 : 8
                identifiers.append(Array(packet.bytes.dropFirst(start).prefix(16)))
                names.append(name(packet.bytes.dropFirst(start + 16)))
            case .operationRequest where packet.bytes.count >= 14:
                let isDeviceInfo =
                    little(packet.bytes, at: 10) >> 16 == UInt32(OperationCode.getDeviceInfo.rawValue)
                device[packet.link] = isDeviceInfo ? [] : nil
            case .data, .endData: device[packet.link]? += packet.bytes[12...]
            case .operationResponse:
                guard let info = device.removeValue(forKey: packet.link) else { continue }
                serialNumber(in: info).map { serials.append($0) }
            default: break
            }
        }
        return Redaction(texts: first(serials) + first(names), identifiers: first(identifiers)).applied(
            to: packets)
    }

    /// Two sides, and more than a greeting has of each. The text of others goes as all text does.
    private static let mostOfEach = 64

    /// Each once: looking for one takes its time.
    private static func first<Value: Hashable>(_ values: [Value]) -> [Value] {
        var known: Set<Value> = []
        return Array(values.filter { known.insert($0).inserted }.prefix(mostOfEach))
    }

    /// Nothing where it is no DeviceInfo: the text in it goes all the same.
    private static func serialNumber(in payload: [UInt8]) -> String? {
        do throws(Malformed) {
            return try DeviceInfo(decoding: payload[...]).serialNumber
        } catch {
            return nil
        }
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = bytes
        while rest.count >= 2, let low = rest.popFirst(), let high = rest.popFirst(), low != 0 || high != 0 {
            units.append(UInt16(low) | UInt16(high) << 8)
        }
        return String(decoding: units, as: UTF16.self)
    }

    init(texts: [String], identifiers: [[UInt8]] = []) {
        var secrets: [[UInt8]] = []
        // A shorter one stands in too many numbers; as text it goes all the same.
        for text in texts where text.utf16.count >= 4 {
            let units = Array(text.utf16)
            secrets.append(Array(text.utf8))
            secrets.append(
                units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
            secrets.append(
                units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] })
            if let number = UInt64(text), number >= Self.leastNumber {
                secrets.append(Self.bytes(of: number, count: 8))
                if number <= UInt32.max { secrets.append(Self.bytes(of: number, count: 4)) }
            }
        }
        for identifier in identifiers where Set(identifier).count > 1 {
            secrets.append(identifier)
            // "Canon: eight zeros, 00 01, then the MAC."
            if identifier.count == 16 { secrets.append(Array(identifier.suffix(6))) }
        }
        self.secrets = secrets.filter { $0.count > 1 && Set($0) != [0] }
    }

    /// A smaller number stands everywhere.
    private static let leastNumber: UInt64 = 100_000

    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    func applied(to packets: [TappedPacket]) -> [TappedPacket] {
        var packets = packets
        var operations: [Int: UInt16] = [:]
        var open: [Int: [Int]] = [:]
        for index in packets.indices {
            let packet = packets[index]
            switch packet.type {
            case .initCommandRequest: packets[index].bytes = Self.introduction(packet.bytes, guidAt: 8)
            case .initCommandAck: packets[index].bytes = Self.introduction(packet.bytes, guidAt: 12)
            case .operationRequest:
                // One that was given up has no response either.
                if let begun = open.removeValue(forKey: packet.link) {
                    clean(&packets, begun, operations[packet.link])
                }
                blankCall(&packets[index].bytes, behind: 18)
                if packet.bytes.count >= 14 {
                    operations[packet.link] = UInt16(packet.bytes[12]) | UInt16(packet.bytes[13]) << 8
                }
                open[packet.link] = []
            case .data: open[packet.link, default: []].append(index)
            case .endData:
                clean(
                    &packets, (open.removeValue(forKey: packet.link) ?? []) + [index], operations[packet.link]
                )
            case .operationResponse:
                // An aborted one has no end.
                if let begun = open.removeValue(forKey: packet.link) {
                    clean(&packets, begun, operations[packet.link])
                }
                blankCall(&packets[index].bytes, behind: 14)
            case nil: Self.blank(&packets[index].bytes, behind: PacketType.headerLength)
            case .event: blankCall(&packets[index].bytes, behind: 14)
            case .initEventRequest, .initEventAck, .initFail, .startData, .cancel, .probeRequest,
                .probeResponse:
                blankCall(&packets[index].bytes, behind: 12)
            }
        }
        for (link, begun) in open { clean(&packets, begun, operations[link]) }
        return packets
    }

    /// Operation, event or response, with five parameters. No other packet without a dataset is as long.
    private static let longestCall = 38
    /// "Version 1.0" stands behind the name.
    private static let version = 4

    /// A packet without a dataset: what is longer than any is, and what a body puts among its numbers that says whose
    /// it is. What the packet is, and which call it belongs to, stands in front of that.
    private func blankCall(_ bytes: inout [UInt8], behind known: Int) {
        Self.blank(&bytes, behind: Self.longestCall)
        let plain = withoutSecrets(bytes)
        for index in bytes.indices.dropFirst(known) { bytes[index] = plain[index] }
    }

    /// What stands where nothing is known to stand.
    private static func blank(_ bytes: inout [UInt8], behind known: Int) {
        for index in bytes.indices.dropFirst(known) { bytes[index] = 0 }
    }

    /// GUID and name.
    private static func introduction(_ bytes: [UInt8], guidAt start: Int) -> [UInt8] {
        var bytes = bytes
        for index in bytes.indices.dropFirst(start).prefix(16) { bytes[index] = 0 }
        var index = start + 16
        while index + 1 < bytes.count, bytes[index] != 0 || bytes[index + 1] != 0 {
            (bytes[index], bytes[index + 1]) = (UInt8(ascii: "x"), 0)
            index += 2
        }
        blank(&bytes, behind: index + 2 + version)
        return bytes
    }

    /// The payload of these packets is one dataset.
    private func clean(_ packets: inout [TappedPacket], _ parts: [Int], _ operation: UInt16?) {
        let header = 12
        let parts = parts.filter { packets[$0].bytes.count > header }
        guard !parts.isEmpty else { return }
        var payload = cleaned(parts.flatMap { packets[$0].bytes[header...] }, operation)[...]
        for part in parts {
            let count = packets[part].bytes.count - header
            packets[part].bytes.replaceSubrange(header..., with: payload.prefix(count))
            payload = payload.dropFirst(count)
        }
    }

    func cleaned(_ payload: [UInt8], _ operation: UInt16?) -> [UInt8] {
        var payload = payload
        // Many a body is called what its model is called, and that may stay here.
        if operation == OperationCode.getDeviceInfo.rawValue, blankSerialNumber(&payload) { return payload }
        payload = withoutSecrets(payload)
        if operation == OperationCode.Canon.getEvent.rawValue {
            CanonRecords.blank(&payload)
        } else {
            Texts.blank(&payload, 0..<payload.count)
        }
        return payload
    }

    /// It is the last field, behind what the body says of its kind. False where it cannot be found.
    private func blankSerialNumber(_ payload: inout [UInt8]) -> Bool {
        let info: DeviceInfo
        do throws(Malformed) {
            info = try DeviceInfo(decoding: payload[...])
        } catch {
            return false
        }
        var plain = info
        plain.serialNumber = String(repeating: "0", count: info.serialNumber.utf16.count)
        let known = info.encoded
        guard payload.starts(with: known) else { return false }
        payload.replaceSubrange(..<known.count, with: plain.encoded)
        Texts.blank(&payload, known.count..<payload.count)
        return true
    }

    private func withoutSecrets(_ payload: [UInt8]) -> [UInt8] {
        var payload = payload
        for secret in secrets where payload.count >= secret.count {
            var start = 0
            while start + secret.count <= payload.count {
                if payload[start] == secret[0], payload[start..<start + secret.count].elementsEqual(secret) {
                    for index in start..<start + secret.count where payload[index] != 0 {
                        payload[index] = UInt8(ascii: "0")
                    }
                    start += secret.count
                } else {
                    start += 1
                }
            }
        }
        return payload
    }
}
