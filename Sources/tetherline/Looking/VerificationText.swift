import Arguments
import Bridge
import Store
import Transfer

/// A verification as JSON and back: what is shown, what is asked of a running bridge, and what a manifest holds.
enum VerificationText {
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

    /// The last line: how many frames there are of each verdict.
    static func sum(_ result: VerificationResult) -> JSONValue {
        let words = ["delivered", "onItsWay", "filtered", "missing", "older"]
        return .object(
            (result.event?.members ?? [])
                + words.map { (key: $0, value: .integer(Int64(result.count($0)))) })
    }

    /// The same for people; nothing for none.
    static func sentence(_ doubts: JSONValue?) -> String? {
        Set((doubts?.array ?? []).compactMap { $0.string.flatMap { PhotoDoubt(rawValue: $0) } }).sentence
    }

    /// One value a line: each frame, then what could not be looked at, then the end.
    static func lines(_ verification: Verification, _ event: BridgeEvent) -> [JSONValue] {
        verification.frames.map(frame)
            + verification.notVerifiable.map { camera, reason in
                ["notVerifiable": .string("\(camera)"), "reason": .string(reason)]
            }
            + verification.notReachable.map { address, reason in
                ["notReachable": .string(address), "reason": .string(reason)]
            } + [["event": .string(event.id), "name": .string(event.name)]]
    }
}

/// What came out, from this process or from the bridge that runs.
struct VerificationResult {
    var frames: [JSONValue] = []
    var notVerifiable: [JSONValue] = []
    var notReachable: [JSONValue] = []
    /// The last line: everything has come.
    var event: JSONValue?

    mutating func add(_ line: JSONValue) throws(NothingThere) {
        if let reason = line["error"]?.string { throw NothingThere(description: reason) }
        if line["verdict"] != nil {
            frames.append(line)
        } else if line["notVerifiable"] != nil {
            notVerifiable.append(line)
        } else if line["notReachable"] != nil {
            notReachable.append(line)
        } else {
            event = line
        }
    }

    /// Kept although something speaks against them.
    var doubtful: [JSONValue] { frames.filter { $0["doubts"]?.array?.isEmpty == false } }

    func count(_ verdict: String) -> Int { frames.count { $0["verdict"]?.string == verdict } }

    /// What has to be known first comes first.
    var exitCode: ExitCode {
        if count("missing") > 0 { return .failure }
        if !notReachable.isEmpty { return .unavailable }
        if !notVerifiable.isEmpty { return .notVerifiable }
        return count("onItsWay") > 0 ? .tryAgain : .success
    }
}
