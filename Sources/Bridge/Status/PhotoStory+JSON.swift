public import Basics

extension PhotoStory {
    /// For programs: fields are added and never change their meaning.
    public var json: JSONValue {
        .object([
            (key: "id", value: .integer(history.id.number)),
            (key: "event", value: ["id": .string(history.event.id), "name": .string(history.event.name)]),
            (key: "path", value: .string(history.path)),
            (key: "state", value: .string(history.state.rawValue)),
            (key: "standing", value: .string(standing.rawValue)),
            (key: "sentence", value: .string(sentence)),
            (key: "cures", value: .array(cures.map { .string($0) })),
            (key: "reason", value: .optional(history.reason, JSONValue.string)),
            (
                key: "camera",
                value: .optional(history.camera) { camera in
                    [
                        "manufacturer": .string(camera.manufacturer), "model": .string(camera.model),
                        "body": .string(camera.body), "address": .optional(history.address, JSONValue.string),
                    ]
                }
            ),
            (key: "size", value: .unsigned(history.stagedSize ?? history.size)),
            (key: "receivedBytes", value: .optional(arriving) { .unsigned($0.done) }),
            (key: "date", value: .string(history.captureDate)),
            (key: "inMemory", value: .bool(history.isInMemory)),
            (key: "file", value: .optional(history.file, JSONValue.string)),
            (key: "sha256", value: .optional(history.sha256, JSONValue.string)),
            (key: "doubts", value: .array(history.doubts.sorted().map { .string($0.rawValue) })),
            (
                key: "cost",
                value: [
                    "connections": .integer(Int64(history.cost.connections)),
                    "bytes": .unsigned(history.cost.bytes),
                    "milliseconds": .integer(history.cost.time.wholeMilliseconds),
                ]
            ),
            (key: "related", value: .array(history.relatives.map(\.json))),
            (key: "stages", value: .array(stages.map(\.json))),
            (key: "deliveries", value: .array(zip(deliveries, history.deliveries).map(Self.json))),
        ])
    }

    private static func json(_ told: Delivery, _ row: PhotoHistory.Delivery) -> JSONValue {
        .object([
            (key: "job", value: .integer(row.job.number)), (key: "destination", value: .string(row.url)),
            (key: "state", value: .string(row.state.rawValue)),
            (key: "cancelled", value: .bool(row.isCancelled)),
            (key: "sentence", value: .string(told.sentence)),
            (key: "cure", value: .optional(told.cure, JSONValue.string)),
            (key: "sentBytes", value: .optional(told.moving) { .unsigned($0.done) }),
            (key: "attempts", value: .integer(Int64(row.attempts))),
            (key: "problem", value: .optional(row.problem, JSONValue.string)),
            (key: "receipt", value: .optional(row.receipt, parsed)),
            (key: "createdAt", value: time(row.createdAt)), (key: "due", value: time(row.due)),
            (key: "deadline", value: .optional(row.deadline, time)),
            (key: "completedAt", value: .optional(row.completedAt, time)),
            (key: "removedAt", value: .optional(row.removedAt, time)),
            (key: "replacedBy", value: .optional(row.replacedBy, JSONValue.string)),
            (
                key: "earlier",
                value: .array(
                    row.earlier.map { earlier in
                        [
                            "receipt": parsed(earlier.receipt), "completedAt": time(earlier.completedAt),
                            "reason": .string(earlier.reason), "repeatedAt": time(earlier.repeatedAt),
                        ]
                    })
            ),
        ])
    }

    fileprivate static func time(_ moment: Timestamp) -> JSONValue {
        .string(CivilTime.rfc3339(milliseconds: moment.milliseconds))
    }

    /// The ledger checks that it is JSON; a text says as much.
    private static func parsed(_ receipt: String) -> JSONValue {
        Receipt(noted: receipt)?.json ?? .string(receipt)
    }
}

extension PhotoHistory.Relative {
    fileprivate var json: JSONValue {
        [
            "relation": .string(relation.rawValue), "id": .integer(id.number), "path": .string(path),
            "state": .string(state.rawValue),
        ]
    }
}

extension PhotoStory.Stage {
    fileprivate var json: JSONValue {
        [
            "stage": .string(word.rawValue), "at": PhotoStory.time(at),
            "tookMilliseconds": .optional(took) { .integer($0.wholeMilliseconds) }, "text": .string(text),
        ]
    }
}
