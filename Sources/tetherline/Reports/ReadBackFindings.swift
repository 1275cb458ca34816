import Basics

/// What a read-back has found, as it changes what is said of frames.
struct ReadBackFindings {
    /// By destination and receipt: what is not simply there.
    private var found: [String: (word: String, reason: String?)] = [:]
    /// One for each destination.
    private(set) var sums: [JSONValue] = []

    mutating func add(_ line: JSONValue) {
        if line["readBackOf"] != nil { sums.append(line) }
        guard let word = line["readBack"]?.string, let url = line["destination"]?.string,
            let receipt = line["receipt"]
        else { return }
        found[Self.key(url, receipt)] = (word, line["reason"]?.string)
    }

    private static func key(_ url: String, _ receipt: JSONValue) -> String { "\(url)\n\(receipt.compact)" }

    /// A frame whose bytes are not where a receipt says is missing; one that a host does not want to show is not.
    func applied(to frame: JSONValue) -> JSONValue {
        var reasons: [String] = []
        var withdrawn: [String] = []
        for entry in frame["receipts"]?.array ?? [] {
            guard let url = entry["destination"]?.string, let receipt = entry["receipt"],
                let finding = found[Self.key(url, receipt)]
            else { continue }
            switch finding.word {
            case "gone": reasons.append("it is gone from \(url)")
            case "altered": reasons.append("\(url): \(finding.reason ?? "altered")")
            case "withdrawn": withdrawn.append("\(url): \(finding.reason ?? "withdrawn")")
            default: continue
            }
        }
        let verdict = frame["verdict"]?.string
        if !reasons.isEmpty, verdict != "older" {
            return frame.with("missing", reasons.joined(separator: "; "))
        }
        guard verdict == "delivered", !withdrawn.isEmpty else { return frame }
        return frame.with("withdrawn", withdrawn.joined(separator: "; "))
    }

    /// False where a destination gave no answer, or not for all that it was to be asked about.
    var isAnswered: Bool { sums.allSatisfy(Self.isAnswered) }

    static func isAnswered(_ sum: JSONValue) -> Bool {
        sum["unanswered"]?.integer == 0 && sum["looked"] == sum["chosen"]
    }

    /// For people, one for each destination.
    var sentences: [String] {
        sums.map { sum in
            func count(_ word: String) -> Int64 { sum[word]?.integer ?? 0 }
            let url = sum["readBackOf"]?.string ?? "?"
            let names = [
                ("there", "there"), ("gone", "gone"), ("altered", "altered"),
                ("withdrawn", "withdrawn by the host"), ("notCheckable", "not checkable"),
                ("unanswered", "not answered"),
            ]
            let counts = names.filter { $0.0 == "there" || count($0.0) > 0 }.map { "\(count($0.0)) \($0.1)" }
            let looked =
                count("looked") == count("delivered") ? "" : ", \(count("looked")) of them looked at"
            let reason = sum["reason"]?.string.map { ": \($0)" } ?? ""
            let advice =
                count("gone") > 0 ? "; 'tetherline redeliver \(url)' sends again what is gone" : ""
            return
                "\(url): \(count("delivered")) delivered\(looked): \(counts.joined(separator: ", "))\(reason)\(advice)"
        }
    }
}

extension JSONValue {
    fileprivate func with(_ verdict: String, _ reason: String) -> JSONValue {
        .object(
            (members ?? []).map { member in
                switch member.key {
                case "verdict": (key: member.key, value: .string(verdict))
                case "reason": (key: member.key, value: .string(reason))
                default: member
                }
            })
    }
}
