import Arguments
import Basics
import Bridge
import Store
import Transfer

/// A verification as JSON: what is shown, what is asked of a running bridge, and what a manifest holds.
enum VerificationJSON {
    static func receipt(_ receipt: (url: String, receipt: String)) -> JSONValue {
        ["destination": .string(receipt.url), "receipt": receiptValue(receipt.receipt)]
    }

    static func receiptValue(_ receipt: String) -> JSONValue {
        do throws(JSON5Error) {
            return try JSON5.parse(receipt)
        } catch {
            // The ledger checks that it is JSON; a text says as much.
            return .string(receipt)
        }
    }

    static func frame(_ frame: Verification.Frame) -> JSONValue {
        [
            "camera": .optional(frame.camera) { .string("\($0)") }, "path": .string(frame.path),
            "size": .unsigned(frame.size), "date": .string(frame.captureDate),
            "onCard": .bool(frame.isOnCard),
            "verdict": .string(frame.verdict.word), "reason": .optional(frame.verdict.reason) { .string($0) },
            "sha256": .optional(frame.sha256) { .string($0) },
            "doubts": doubts(frame.doubts),
            "receipts": .array(frame.receipts.map(receipt)),
        ]
    }

    static func doubts(_ doubts: Set<PhotoDoubt>) -> JSONValue {
        .array(doubts.sorted().map { .string($0.rawValue) })
    }

    /// The same for people; nothing for none.
    static func sentence(_ doubts: JSONValue?) -> String? {
        Set((doubts?.array ?? []).compactMap { $0.string.flatMap { PhotoDoubt(rawValue: $0) } }).sentence
    }

    /// What could not be looked at, then the end.
    static func end(_ verification: Verification, _ event: BridgeEvent) -> [JSONValue] {
        var lines = verification.notVerifiable.map { camera, reason -> JSONValue in
            ["notVerifiable": .string("\(camera)"), "reason": .string(reason)]
        }
        lines += verification.notReachable.map { ["notReachable": .string($0), "reason": .string($1)] }
        if !verification.hasAskedCameras {
            lines.append(["notReachable": .null, "reason": .string(Self.noCamera)])
        }
        return lines + [["event": .string(event.id), "name": .string(event.name)]]
    }

    private static let noCamera = "no run of this event was given a camera; say which with --camera HOST."
}

extension Verification {
    /// Every frame of what is being looked at, a line for each.
    mutating func tell(_ line: (JSONValue) async throws -> Void) async throws {
        while let frames = try next() {
            for frame in frames { try await line(VerificationJSON.frame(frame)) }
        }
    }

    /// What is in the ledger alone, what could not be looked at, and the end.
    mutating func tellRest(of event: BridgeEvent, _ line: (JSONValue) async throws -> Void) async throws {
        try lookAtRest()
        try await tell(line)
        for value in VerificationJSON.end(self, event) { try await line(value) }
    }
}
