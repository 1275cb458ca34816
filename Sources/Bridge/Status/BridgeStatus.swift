public import Basics

/// How a bridge is, as one value: what every display shows is a rendering of it. Fields are added and never change
/// their meaning.
public struct BridgeStatus: Equatable, Sendable {
    public struct Event: Equatable, Sendable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// What a camera's connection is doing, as one word.
    public enum CameraPhase: String, Equatable, Sendable, CaseIterable {
        case connecting
        case waitingForOK
        /// It shows a code that a person has to compare.
        case confirmingCode
        case listing
        case fetching
        case idle
        /// What is left to fetch has cost connections.
        case suspect
        case busy
        /// The disk takes nothing.
        case held
        case asleep
        case lost
        case ended
        /// It announces itself, and is not connected to until the operator adds it.
        case new
    }

    public struct Camera: Equatable, Sendable {
        public var address: String
        /// "Canon EOS R5 042", once it has been met.
        public var name: String?
        /// What its connection is doing; nothing when no bridge runs.
        public var state: String?
        public var phase: CameraPhase?
        /// Why there is no connection, as one word; nothing while there is one.
        public var loss: String?

        public init(
            address: String, name: String? = nil, state: String? = nil, phase: CameraPhase? = nil
        ) {
            self.address = address
            self.name = name
            self.state = state
            self.phase = phase
        }
    }

    public struct Destination: Equatable, Sendable {
        /// Why nothing goes there.
        public struct Hold: Equatable, Sendable {
            /// What the operator has to do; nothing for what passes by itself.
            public var cause: HoldCause?
            public var reason: String

            public init(cause: HoldCause?, reason: String) {
                self.cause = cause
                self.reason = reason
            }
        }

        public var url: String
        public var kind: DestinationKind
        /// Without those that are completed.
        public var jobs: [JobGroup: Int]
        public var hold: Hold?
        /// The way there, in a sentence: interface, kind, uploads at a time. Nothing when no bridge runs.
        public var way: String?
        public var slots: Int?

        public init(
            url: String, kind: DestinationKind, jobs: [JobGroup: Int] = [:], hold: Hold? = nil,
            way: String? = nil, slots: Int? = nil
        ) {
            self.url = url
            self.kind = kind
            self.jobs = jobs
            self.hold = hold
            self.way = way
            self.slots = slots
        }
    }

    public struct Disk: Equatable, Sendable {
        public var free: UInt64
        public var total: UInt64

        public init(free: UInt64, total: UInt64) {
            self.free = free
            self.total = total
        }
    }

    /// A photo that a camera has shown and that is not here, and why.
    public struct Missing: Equatable, Sendable {
        public var camera: String
        /// Nothing for what could not be described.
        public var capture: CaptureID?
        public var path: String
        public var reason: String

        public init(camera: String, capture: CaptureID?, path: String, reason: String) {
            self.camera = camera
            self.capture = capture
            self.path = path
            self.reason = reason
        }
    }

    /// The ledger has all of them.
    public static let mostMissing = 100

    public var isRunning = false
    /// The operator's pause.
    public var isPaused = false
    public var event: Event?
    /// The event's latest window; nothing before its first run.
    public var window: EventWindow?
    /// Photos that were shot while no bridge ran for long, and of which the operator has said nothing yet.
    public var unattended = 0
    public var photos: [CaptureState: Int] = [:]
    public var jobs: [JobGroup: Int] = [:]
    public var bytes: [JobGroup: UInt64] = [:]
    public var cancelled = 0
    public var cameras: [Camera] = []
    public var destinations: [Destination] = []
    public var spool: Disk?
    /// What this run has given up or lost, the first ``mostMissing``; nothing when no bridge runs.
    public var missing: [Missing] = []
    /// What was assumed because it could not be asked.
    public var notes: [String] = []

    public init() {}
}

extension BridgeStatus {
    public var json: JSONValue {
        .object([
            (key: "running", value: .bool(isRunning)), (key: "paused", value: .bool(isPaused)),
            (
                key: "event",
                value: .optional(event) { ["id": .string($0.id), "name": .string($0.name)] }
            ),
            (key: "window", value: .optional(window) { $0.json }),
            (key: "unattended", value: .integer(Int64(unattended))),
            (
                key: "photos",
                value: .object(
                    CaptureState.allCases.map {
                        (key: $0.rawValue, value: .integer(Int64(photos[$0, default: 0])))
                    })
            ),
            (key: "jobs", value: Self.json(jobs, all: true)),
            (
                key: "bytes",
                value: .object(
                    JobGroup.allCases.map { (key: $0.rawValue, value: .unsigned(bytes[$0, default: 0])) })
            ),
            (key: "cancelled", value: .integer(Int64(cancelled))),
            (key: "cameras", value: .array(cameras.map(\.json))),
            (key: "destinations", value: .array(destinations.map(\.json))),
            (
                key: "spool",
                value: .optional(spool) { ["free": .unsigned($0.free), "total": .unsigned($0.total)] }
            ),
            (key: "missing", value: .array(missing.map(\.json))),
            (key: "notes", value: .array(notes.map { .string($0) })),
        ])
    }

    static func json(_ jobs: [JobGroup: Int], all: Bool) -> JSONValue {
        .object(
            JobGroup.allCases.filter { all || $0 != .completed }.map {
                (key: $0.rawValue, value: .integer(Int64(jobs[$0, default: 0])))
            })
    }
}

extension BridgeStatus.Camera {
    var json: JSONValue {
        [
            "address": .string(address), "name": .optional(name, JSONValue.string),
            "state": .optional(state, JSONValue.string), "phase": .optional(phase) { .string($0.rawValue) },
            "loss": .optional(loss, JSONValue.string),
        ]
    }
}

extension BridgeStatus.Missing {
    var json: JSONValue {
        [
            "camera": .string(camera), "capture": .optional(capture) { .integer($0.number) },
            "path": .string(path), "reason": .string(reason),
        ]
    }
}

extension BridgeStatus.Destination {
    var json: JSONValue {
        [
            "url": .string(url), "kind": .string(kind == .gallery ? "gallery" : "direct"),
            "jobs": BridgeStatus.json(jobs, all: false),
            "hold": .optional(hold) {
                [
                    "cause": .optional($0.cause) { .string($0.rawValue) }, "reason": .string($0.reason),
                ]
            },
            "way": .optional(way, JSONValue.string), "slots": .optional(slots) { .integer(Int64($0)) },
        ]
    }
}
