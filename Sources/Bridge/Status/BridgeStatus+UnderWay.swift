public import Basics

extension BridgeStatus {
    /// One photo whose bytes are moving at this moment: from a camera, or to a destination.
    public struct Moving: Equatable, Sendable {
        public enum Way: Equatable, Sendable {
            /// The camera's place.
            case from(String)
            /// The destination's address.
            case to(String)
        }

        public var way: Way
        public var capture: CaptureID
        public var name: String
        /// Nothing where the camera has not said it.
        public var size: UInt64?
        /// Bytes that are there by now: never more than all.
        public var done: UInt64

        public init(_ way: Way, capture: CaptureID, name: String, size: UInt64?, done: UInt64) {
            self.way = way
            self.capture = capture
            self.name = name
            self.size = size
            self.done = size.map { min($0, done) } ?? done
        }
    }

    /// What moves at this moment, and how much has.
    public struct UnderWay: Equatable, Sendable {
        public var photos: [Moving]
        /// Bytes that have left for destinations since the bridge began.
        public var sent: UInt64

        public init(photos: [Moving] = [], sent: UInt64 = 0) {
            self.photos = photos
            self.sent = sent
        }
    }

    /// A photo that did not get where it was to go, as long as it has not come there since.
    public struct Failure: Equatable, Sendable {
        public var trouble: Trouble
        /// The camera's place, or the destination's address.
        public var place: String
        public var capture: CaptureID?
        /// The delivery, where it is one's.
        public var job: JobID?

        public init(_ trouble: Trouble, place: String, capture: CaptureID?, job: JobID? = nil) {
            self.trouble = trouble
            self.place = place
            self.capture = capture
            self.job = job
        }
    }

    /// The ledger and the journal have all of them.
    public static let mostFailures = 20
}

extension BridgeStatus.Moving {
    /// As a status in JSON has it; nothing where that is no such thing.
    public init?(_ json: JSONValue) {
        let way: Way
        switch (json["from"]?.string, json["to"]?.string) {
        case (let place?, nil): way = .from(place)
        case (nil, let url?): way = .to(url)
        default: return nil
        }
        guard let capture = json["capture"]?.integer, let name = json["name"]?.string,
            let done = json["done"]?.integer.flatMap({ UInt64(exactly: $0) })
        else { return nil }
        self.init(
            way, capture: CaptureID(capture), name: name,
            size: json["bytes"]?.integer.flatMap { UInt64(exactly: $0) }, done: done)
    }

    /// `3.1 MB of 8.4 MB, 37 %`: never rounded up to what is not there.
    var progress: String {
        guard let size, size > 0 else { return Human.bytes(done) }
        return "\(Human.bytes(done)) of \(Human.bytes(size)), \(Int(Double(done) / Double(size) * 100)) %"
    }

    var json: JSONValue {
        let (from, to): (String?, String?)
        switch way {
        case .from(let place): (from, to) = (place, nil)
        case .to(let url): (from, to) = (nil, url)
        }
        return [
            "name": .string(name), "capture": .integer(capture.number),
            "from": .optional(from, JSONValue.string), "to": .optional(to, JSONValue.string),
            "bytes": .optional(size, JSONValue.unsigned), "done": .unsigned(done),
        ]
    }
}

extension BridgeStatus.Failure {
    var json: JSONValue {
        [
            "at": BridgeStatus.time(trouble.at), "photo": .optional(trouble.photo, JSONValue.string),
            "capture": .optional(capture) { .integer($0.number) },
            "job": .optional(job) { .integer($0.number) }, "place": .string(place),
            "reason": .string(trouble.reason), "advice": .string(trouble.advice),
            "kind": .string(trouble.kind.rawValue), "needsOperator": .bool(trouble.needsOperator),
        ]
    }
}
