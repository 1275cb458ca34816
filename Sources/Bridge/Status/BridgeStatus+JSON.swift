public import Basics

/// The status for programs: fields are added and never change their meaning. `tetherline status --schema` prints what
/// is promised of them.
extension BridgeStatus {
    public var json: JSONValue {
        .object([
            (key: "at", value: Self.time(at)), (key: "running", value: .bool(isRunning)),
            (key: "live", value: .bool(isLive)), (key: "paused", value: .bool(isPaused)),
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
            (key: "jobs", value: Self.json(jobs)),
            (
                key: "bytes",
                value: .object(
                    JobGroup.allCases.map { (key: $0.rawValue, value: .unsigned(bytes[$0, default: 0])) })
            ),
            (key: "cancelled", value: .integer(Int64(cancelled))),
            (key: "oldest", value: .optional(oldest) { $0.json }),
            (key: "cameras", value: .array(cameras.map(\.json))),
            (key: "destinations", value: .array(destinations.map(\.json))),
            (key: "spool", value: .optional(spool) { $0.json }),
            (key: "missing", value: .array(missing.map(\.json))),
            (key: "underWay", value: .array(underWay.photos.map(\.json))),
            (key: "sentBytes", value: .unsigned(underWay.sent)),
            (key: "failures", value: .array(failures.map(\.json))),
            (key: "notes", value: .array(notes.map { .string($0) })),
            (key: "alerts", value: .array(alerts.map(\.json))),
        ])
    }

    static func time(_ moment: Timestamp?) -> JSONValue {
        .optional(moment) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) }
    }

    /// Seconds with three digits behind the point.
    static func seconds(_ span: Duration) -> JSONValue { .double(Double(span.wholeMilliseconds) / 1000) }

    static func json(_ jobs: [JobGroup: Int]) -> JSONValue {
        .object(
            JobGroup.allCases.map { (key: $0.rawValue, value: .integer(Int64(jobs[$0, default: 0]))) })
    }
}

extension BridgeStatus.Camera {
    var json: JSONValue {
        [
            "address": .string(address), "name": .optional(name, JSONValue.string),
            "state": .optional(state, JSONValue.string), "phase": .optional(phase) { .string($0.rawValue) },
            "loss": .optional(loss, JSONValue.string), "since": BridgeStatus.time(since),
            "lastPhoto": BridgeStatus.time(lastPhoto),
            "clockAheadSeconds": .optional(clockAhead) { .integer($0.components.seconds) },
            "toFetch": .integer(Int64(toFetch)), "jobs": BridgeStatus.json(jobs),
            "lastError": .optional(lastError) { $0.json },
        ]
    }
}

extension BridgeStatus.Trouble {
    var json: JSONValue {
        [
            "at": BridgeStatus.time(at), "photo": .optional(photo, JSONValue.string),
            "reason": .string(reason), "advice": .string(advice), "kind": .string(kind.rawValue),
            "needsOperator": .bool(needsOperator),
        ]
    }
}

extension BridgeStatus.Waiting {
    var json: JSONValue {
        [
            "capture": .integer(capture.number), "name": .string(name), "since": BridgeStatus.time(since),
        ]
    }
}

extension BridgeStatus.Confirmation {
    var json: JSONValue {
        [
            "photos": .integer(Int64(photos)), "medianSeconds": BridgeStatus.seconds(median),
            "p95Seconds": BridgeStatus.seconds(p95), "promised": .integer(Int64(promised)),
            "inTime": .integer(Int64(inTime)),
            "inTimeShare": promised == 0
                ? .null : .double((Double(inTime) / Double(promised) * 1000).rounded() / 1000),
        ]
    }
}

extension BridgeStatus.Disk {
    var json: JSONValue {
        [
            "free": .unsigned(free), "total": .unsigned(total),
            "reserve": .optional(reserve, JSONValue.unsigned),
            "photosLeft": .optional(photosLeft, JSONValue.unsigned),
            "hold": .optional(hold, JSONValue.string), "advice": .optional(advice, JSONValue.string),
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

extension BridgeStatus.Destination.Hold {
    func json(for url: String) -> JSONValue {
        [
            "cause": .optional(cause) { .string($0.rawValue) }, "reason": .string(reason),
            "since": BridgeStatus.time(since), "advice": .string(BridgeStatus.advice(for: self, at: url)),
        ]
    }
}

extension BridgeStatus.Destination {
    var json: JSONValue {
        [
            "url": .string(url), "kind": .string(kind == .gallery ? "gallery" : "direct"),
            "jobs": BridgeStatus.json(jobs), "hold": .optional(hold) { $0.json(for: url) },
            "way": .optional(way, JSONValue.string), "slots": .optional(slots) { .integer(Int64($0)) },
            "rate": .optional(rate) {
                [
                    "photosPerMinute": .double($0.photosPerMinute),
                    "bytesPerMinute": .unsigned($0.bytesPerMinute),
                ]
            },
            "drainedInSeconds": .optional(untilDrained, BridgeStatus.seconds),
            "oldest": .optional(oldest) { $0.json },
            "shutterToConfirmed": .optional(confirmation) { $0.json },
            "edits": .optional(edits) { $0.json },
            "lastError": .optional(lastError) { $0.json },
        ]
    }
}
