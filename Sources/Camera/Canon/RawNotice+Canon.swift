import PTP

extension RawNotice {
    /// `ObjectAddedEx64 0x51911B01 0x00010001 …`, as it stands in the answer to GetEvent.
    init(_ record: CanonEventList.Record) {
        let code = UInt16(truncatingIfNeeded: record.type)
        let name = EventCode(rawValue: code).described(for: .canon)
        let shown = record.parameters.map { Hex.code($0) }
        let more = record.length > 8 + 4 * shown.count ? ["(\(record.length) bytes)"] : []
        var words = [name] + shown + more
        if let file = record.event.fileName { words.append(file) }
        self.init(
            text: words.joined(separator: " "), code: Hex.code(code), name: name,
            parameters: record.parameters.map { UInt64($0) })
    }

    /// There were more than a reader could take.
    static let lostRecords = RawNotice(
        text: "more came than could be shown", code: Hex.code(EventCode.unreportedStatus.rawValue),
        name: EventCode.unreportedStatus.described(for: .canon))
}

extension CanonEvent {
    fileprivate var fileName: String? {
        switch self {
        case .objectAdded(let object), .transferRequested(let object): object.name
        default: nil
        }
    }
}
