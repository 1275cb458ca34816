import Arguments
import Basics
import Posix
import Synchronization

/// What comes out of a verification, from this process or from the bridge that runs: shown line by line, counted, and kept
/// only where a manifest is to be made of it.
final class VerificationReport: Sendable {
    struct Sum: Sendable {
        var counts: [String: Int] = [:]
        var notVerifiable: [JSONValue] = []
        var notReachable: [JSONValue] = []
        /// The last line.
        var event: JSONValue?
        /// The frames of a manifest, with commas between them.
        var frames: [UInt8] = []
        /// What the destinations were found to have, where they were asked.
        var findings: ReadBackFindings?

        func count(_ verdict: String) -> Int { counts[verdict, default: 0] }

        /// What has to be known first comes first.
        var exitCode: ExitCode {
            if count("missing") > 0 { return .failure }
            if !notReachable.isEmpty || findings?.isAnswered == false { return .unavailable }
            if !notVerifiable.isEmpty { return .notVerifiable }
            return count("onItsWay") > 0 ? .tryAgain : .success
        }

        /// The last line of JSON: how many frames there are of each verdict.
        var line: JSONValue {
            let words =
                ["delivered", "onItsWay", "filtered", "missing", "older"]
                + (findings == nil ? [] : ["withdrawn"])
            return .object(
                (event?.members ?? []) + words.map { (key: $0, value: .integer(Int64(count($0)))) })
        }
    }

    private let isJSON: Bool
    private let keepsFrames: Bool
    private let findings: ReadBackFindings?
    private let state: Mutex<Sum>

    init(isJSON: Bool, keepsFrames: Bool, readBack findings: ReadBackFindings?) {
        self.findings = findings
        state = Mutex(Sum(findings: findings))
        self.isJSON = isJSON
        self.keepsFrames = keepsFrames
    }

    var sum: Sum { state.withLock { $0 } }

    // MARK: Lines

    func add(_ line: JSONValue) {
        if line["verdict"] != nil {
            let frame = findings?.applied(to: line) ?? line
            add(frame: frame, frame["verdict"]?.string ?? "")
        } else if line["notVerifiable"] != nil {
            state.withLock { $0.notVerifiable.append(line) }
            let camera = line["notVerifiable"]?.string ?? ""
            complain(line, "\(camera) is not verifiable")
        } else if line["notReachable"] != nil {
            state.withLock { $0.notReachable.append(line) }
            let address = line["notReachable"]?.string
            complain(line, address.map { "\($0) cannot be looked at" } ?? "no camera was looked at")
        } else {
            state.withLock { $0.event = line }
        }
    }

    private func add(frame: JSONValue, _ verdict: String) {
        state.withLock { state in
            state.counts[verdict, default: 0] += 1
            guard keepsFrames else { return }
            if !state.frames.isEmpty { state.frames.append(UInt8(ascii: ",")) }
            state.frames += Array(frame.compact.utf8)
        }
        if isJSON {
            printOutput(frame.compact)
            return
        }
        if !["delivered", "older"].contains(verdict) { show(frame, verdict, frame["reason"]?.string) }
        if let doubts = VerificationJSON.sentence(frame["doubts"]) { show(frame, "doubtful", doubts) }
    }

    private func show(_ frame: JSONValue, _ verdict: String, _ why: String?) {
        let what = "\(frame["camera"]?.string ?? "-")  \(frame["path"]?.string ?? "")"
        printOutput(Visible("\(Self.spoken(verdict))  \(what)  \(why ?? "")").description)
    }

    /// A verdict as people read it.
    private static func spoken(_ verdict: String) -> String { verdict == "onItsWay" ? "on the way" : verdict }

    private func complain(_ line: JSONValue, _ sentence: String) {
        if isJSON { printOutput(line.compact) }
        printError("tetherline: \(Visible("\(sentence): \(line["reason"]?.string ?? "")"))")
    }

    /// Everything has come.
    func end() {
        let sum = sum
        if !isJSON {
            let name = Visible(sum.event?["name"]?.string ?? "")
            printOutput("\(name): \(Self.counts { sum.count($0) })")
        } else if sum.count("older") > 0 {
            printOutput(sum.line.compact)
        }
        if isJSON {
            for line in sum.findings?.sums ?? [] { printOutput(line.compact) }
        } else {
            for sentence in sum.findings?.sentences ?? [] { printOutput(Visible(sentence).description) }
        }
    }

    /// What was shot before the event began is counted, and is none of its frames.
    static func counts(_ count: (String) -> Int) -> String {
        let words = ["delivered", "onItsWay", "filtered", "missing"]
        let frames = words.map(count).reduce(0, +)
        let older = count("older")
        let withdrawn = count("withdrawn")
        return
            "\(frames + withdrawn) frames: \(words.map { "\(count($0)) \(spoken($0))" }.joined(separator: ", "))"
            + (withdrawn > 0 ? ", \(withdrawn) withdrawn by the host" : "")
            + (older > 0 ? "; \(older) older than the event" : "")
    }
}
