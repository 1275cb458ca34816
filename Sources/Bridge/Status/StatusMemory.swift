import Basics

/// What only a running bridge knows and is asked about afterwards: why destinations and cameras stood still. The ledger
/// keeps it, as JSON, for each event.
public struct StatusMemory: Equatable, Sendable {
    public struct Destination: Equatable, Sendable {
        public var hold: BridgeStatus.Destination.Hold?
        public var lastError: BridgeStatus.Trouble?

        public init(hold: BridgeStatus.Destination.Hold? = nil, lastError: BridgeStatus.Trouble? = nil) {
            self.hold = hold
            self.lastError = lastError
        }
    }

    /// Cameras and destinations of each that are remembered: an event has a few.
    static let most = 200

    /// By address.
    public var destinations: [String: Destination] = [:]
    /// By place.
    public var cameras: [String: BridgeStatus.Trouble] = [:]
    /// Why the disk took no photos.
    public var diskHold: String?

    public init() {}

    /// Under which name the ledger keeps that of an event.
    public static func key(of event: String) -> String { "status.\(event)" }

    public var noted: String {
        let places = destinations.sorted { $0.key < $1.key }.prefix(Self.most)
        let bodies = cameras.sorted { $0.key < $1.key }.prefix(Self.most)
        return JSONValue.object([
            (
                key: "destinations",
                value: .array(
                    places.map { url, known in
                        [
                            "url": .string(url), "hold": .optional(known.hold) { $0.json(for: url) },
                            "lastError": .optional(known.lastError) { $0.json },
                        ]
                    })
            ),
            (
                key: "cameras",
                value: .array(
                    bodies.map { ["address": .string($0.key), "lastError": $0.value.json] })
            ),
            (key: "diskHold", value: .optional(diskHold, JSONValue.string)),
        ]).compact
    }

    /// What cannot be read any more was not important: it is as if nothing had been said.
    public init(noted: String) {
        guard let value = Self.parsed(noted) else { return }
        for entry in value["destinations"]?.array ?? [] {
            guard let url = entry["url"]?.string else { continue }
            var known = Destination(lastError: Self.trouble(entry["lastError"]))
            if let hold = entry["hold"], let reason = hold["reason"]?.string {
                known.hold = BridgeStatus.Destination.Hold(
                    cause: hold["cause"]?.string.flatMap { HoldCause(rawValue: $0) }, reason: reason,
                    since: Self.moment(hold["since"]))
            }
            destinations[url] = known
        }
        for entry in value["cameras"]?.array ?? [] {
            guard let address = entry["address"]?.string, let trouble = Self.trouble(entry["lastError"])
            else { continue }
            cameras[address] = trouble
        }
        diskHold = value["diskHold"]?.string
    }

    private static func parsed(_ text: String) -> JSONValue? {
        do throws(JSON5Error) { return try JSON5.parse(text) } catch { return nil }
    }

    private static func moment(_ value: JSONValue?) -> Timestamp? {
        value?.string.flatMap { Timestamp(rfc3339: $0) }
    }

    private static func trouble(_ value: JSONValue?) -> BridgeStatus.Trouble? {
        guard let value, let reason = value["reason"]?.string else { return nil }
        let photo = value["photo"]?.string
        let advice = value["advice"]?.string ?? ""
        return BridgeStatus.Trouble(
            at: moment(value["at"]), photo: photo,
            kind: value["kind"]?.string.flatMap { BridgeStatus.Trouble.Kind(rawValue: $0) }
                ?? kind(advice, isPhoto: photo != nil),
            reason: reason, advice: advice,
            needsOperator: value["needsOperator"]?.bool ?? !advice.hasPrefix("nothing:"))
    }

    /// Notes once had no kind; these are the sentences that they told it by.
    private static func kind(_ advice: String, isPhoto: Bool) -> BridgeStatus.Trouble.Kind {
        switch advice {
        case "mend the cause, then 'tetherline retry --failed' begins it again.": .failure
        case "make room on the disk of the spool; it goes on by itself then.": .disk
        case "nothing: it is over.": .over
        default: isPhoto ? .photo : .connection
        }
    }
}
