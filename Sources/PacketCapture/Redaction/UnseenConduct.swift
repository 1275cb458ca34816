import PTP

/// What no body has been seen to do yet, and whether this one did.
///
/// The articles about Canon, Nikon and Sony say what is assumed until then.
public struct UnseenConduct: Equatable, Sendable {
    public let sentence: String
    public let isMet: Bool

    /// What concerns a body of this make, in a fixed order; of an unknown make, only what concerns all.
    public static func all(in packets: [TappedPacket]) -> [UnseenConduct] {
        let seen = SeenConduct(packets)
        return items.filter { $0.vendor == nil || $0.vendor == seen.vendor }
            .map { UnseenConduct(sentence: $0.sentence, isMet: $0.isMet(seen)) }
    }

    private struct Item: Sendable {
        let vendor: Vendor?
        let sentence: String
        let isMet: @Sendable (SeenConduct) -> Bool

        init(_ vendor: Vendor?, _ sentence: String, _ isMet: @escaping @Sendable (SeenConduct) -> Bool) {
            (self.vendor, self.sentence, self.isMet) = (vendor, sentence, isMet)
        }
    }

    private static let items: [Item] = [
        Item(nil, "Init Fail with a reason above 3") { $0.refusals.contains { $0 > 3 } },
        Item(nil, "an Event before Init Event Ack") { $0.hasEarlyEvent },
        Item(nil, "a Probe on the command connection (known of Sonys only)") {
            $0.probesOnCommands && $0.vendor != .sony
        },
        Item(.canon, "record 0xC1A9, a photo for the host with a 64-bit size") {
            $0.records.contains(0xC1A9)
        },
        Item(.canon, "record 0xC1B6, a photo with a long name") { $0.records.contains(0xC1B6) },
        Item(.canon, "record 0xC1B7, a photo with a long name that has changed") {
            $0.records.contains(0xC1B7)
        },
        Item(.canon, "record 0xC1B8, a photo with a long name for the host") { $0.records.contains(0xC1B8) },
        Item(.canon, "GetPartialObject64 (0x9172), whose offset has 32 or 64 bits") { $0.lists(0x9172) },
        Item(.canon, "GetObjectInfo64 (0x9170)") { $0.lists(0x9170) },
        Item(.canon, "two cards, of which handles may tell") { $0.cards > 1 },
        Item(.nikon, "a pairing code in GetPairingInfo (0x952B)") { $0.gave(0x952B) },
        Item(.nikon, "GetPairingInfo beside objects in one DeviceInfo") {
            $0.lists(0x952B) && $0.lists(0x1008)
        },
        Item(.nikon, "AdvancedTransfer (0x9010) that was answered") { $0.wasAnswered(0x9010) },
        Item(.nikon, "GetEventEx (0x941C) with its count") { $0.gave(0x941C) },
        Item(.nikon, "operations 0x9361 and 0x9440 to 0x9442") {
            [0x9361, 0x9440, 0x9441, 0x9442].contains(where: $0.lists)
        },
        Item(.sony, "0x9202 that answers 2.00, with its datasets") { $0.sonyVersions.contains(0x00C8) },
        Item(.sony, "SDIO_SetContentsTransferMode (0x9212)") { $0.lists(0x9212) },
        Item(.sony, "the newer list of contents (0x923C)") { $0.lists(0x923C) },
        Item(.sony, "data packets larger than 64 KiB") { $0.largestData > 65_536 },
    ]
}

/// What a recorded greeting holds, as far as the list asks.
private struct SeenConduct {
    var vendor: Vendor?
    var operations: Set<UInt16> = []
    var refusals: Set<UInt32> = []
    var records: Set<UInt32> = []
    var sonyVersions: Set<UInt16> = []
    var cards = 0
    var hasEarlyEvent = false
    var probesOnCommands = false
    var largestData = 0
    private var withData: Set<UInt16> = []
    private var answered: Set<UInt16> = []

    func lists(_ operation: UInt16) -> Bool { operations.contains(operation) }
    func gave(_ operation: UInt16) -> Bool { withData.contains(operation) }
    func wasAnswered(_ operation: UInt16) -> Bool { answered.contains(operation) }

    init(_ packets: [TappedPacket]) {
        var asked: [Int: UInt16] = [:]
        var payload: [UInt8] = []
        var isEventLinkUp = false
        for packet in packets where packet.bytes.count >= 8 {
            let bytes = packet.bytes
            switch (packet.type, packet.toCamera) {
            case (.operationRequest, true) where bytes.count >= 14:
                asked[packet.link] = UInt16(truncatingIfNeeded: little(bytes, at: 10) >> 16)
                payload = []
            case (.initFail, false) where bytes.count >= 12: refusals.insert(little(bytes, at: 8))
            case (.initEventAck, false): isEventLinkUp = true
            case (.event, false): if !isEventLinkUp { hasEarlyEvent = true }
            case (.probeRequest, false): if packet.link == 1 { probesOnCommands = true }
            case (.data, false), (.endData, false):
                largestData = max(largestData, bytes.count - 12)
                payload += bytes.dropFirst(12)
            case (.operationResponse, false) where bytes.count >= 10:
                guard let operation = asked[packet.link] else { continue }
                if little(bytes, at: 6) >> 16 == UInt32(ResponseCode.ok.rawValue) {
                    answered.insert(operation)
                    if !payload.isEmpty { withData.insert(operation) }
                    read(payload, operation)
                }
                payload = []
            default: break
            }
        }
    }

    private mutating func read(_ payload: [UInt8], _ operation: UInt16) {
        switch OperationCode(rawValue: operation) {
        case .getDeviceInfo:
            do throws(Malformed) {
                let info = try DeviceInfo(decoding: payload[...])
                vendor = info.vendor
                operations.formUnion(info.operations.map(\.rawValue))
            } catch {
                // It says nothing that the list could go by.
                vendor = nil
            }
        case .getStorageIDs where payload.count >= 4:
            let places = stride(from: 4, through: payload.count - 4, by: 4)
            // "The low half is 0: the slot is there, and no medium in it."
            cards = max(cards, places.count { little(payload, at: $0) & 0xFFFF != 0 })
        case OperationCode.Canon.getEvent:
            records.formUnion(CanonEventList(decoding: payload[...]).records.map(\.type))
        case OperationCode(rawValue: 0x9202) where payload.count >= 2:
            sonyVersions.insert(UInt16(payload[0]) | UInt16(payload[1]) << 8)
        default: break
        }
    }
}
