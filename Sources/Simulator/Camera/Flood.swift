import PTP

/// Something that a camera says again and again, on one link, until the link ends or the time has come.
struct Flood: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// Data packets without payload.
        case data
        /// Events that mean nothing: a property has changed.
        case events
        /// "Are you there?"
        case probes
        /// ObjectAdded, of objects that there are not.
        case objects

        var channel: Channel { self == .data ? .command : .event }
    }

    let kind: Kind
    private let until: Duration?
    private var flow: FramePacer
    private var count: UInt32 = 0

    init(_ kind: Kind, perSecond: UInt64, since now: Duration, until: Duration?) {
        self.kind = kind
        self.until = until
        flow = FramePacer(perSecond: perSecond, since: now)
    }

    /// When there is more to say; nothing when it is over.
    func nextDue(at now: Duration) -> Duration? {
        until.map { now >= $0 } ?? false ? nil : flow.nextDue
    }

    /// No object of ours ever has such a handle.
    static let firstHandle: UInt32 = 0x7F00_0000

    /// What is to be said now.
    mutating func packets(at now: Duration, during transaction: TransactionID) -> [Packet] {
        guard nextDue(at: now) != nil else { return [] }
        return (0..<flow.take(at: now)).map { _ in
            defer { count &+= 1 }
            switch kind {
            case .data:
                return .data(PayloadHeader(transaction: transaction, length: 0))
            case .events:
                return .event(EventPacket(code: .devicePropChanged, parameters: [0x5001 + count % 16]))
            case .probes:
                return .probeRequest
            case .objects:
                let handle = Flood.firstHandle + count % 0x00FF_FFFF
                return .event(EventPacket(code: .objectAdded, parameters: [handle]))
            }
        }
    }
}

extension FaultRule {
    private var floodKind: Flood.Kind? { text("kind").flatMap(Flood.Kind.init) }

    var floodChannel: Channel? { text("channel").flatMap(Channel.init) ?? floodKind?.channel }

    /// Said with the rule, or meant by naming an operation or an object in it.
    var beginsWithOperation: Bool {
        text("from").map { $0 == "operation" } ?? (number("operation") != nil || number("object") != nil)
    }

    /// Instead of an operation's data comes none, without end: no flood beside the answer, but in its place.
    var isFloodInsteadOfData: Bool {
        beginsWithOperation && floodKind == .data && floodChannel == .command
    }

    func flood(at now: Duration) -> Flood? {
        floodKind.map { kind in
            Flood(
                kind, perSecond: number("rate") ?? 0, since: now, until: duration("for").map { now + $0 })
        }
    }
}
