/// How one Nikon differs from others, as the ledger keeps it and as an operator may say it.
struct NikonTraits: Equatable, Sendable {
    /// A computer works with it in the mode that leaves the controls to the photographer. It is told so unless the operator
    /// says no.
    var entersApplicationMode = true
    /// It is asked for its events, where it lists an operation for that; `pushed` where its list of events is not to be
    /// relied on.
    var asksForEvents = true
    /// In picture-transfer mode its photos are taken job by job, with an operation whose layout is not certain.
    var takesJobs = false

    var words: [String: String] {
        var words: [String: String] = [:]
        if !entersApplicationMode { words["application-mode"] = "no" }
        if !asksForEvents { words["events"] = "pushed" }
        if takesJobs { words["transfer-jobs"] = "yes" }
        return words
    }

    mutating func apply(_ word: String, _ value: String) {
        switch word {
        case "application-mode": entersApplicationMode = value != "no"
        case "events": asksForEvents = value != "pushed"
        case "transfer-jobs": takesJobs = value == "yes"
        default: break
        }
    }

    static let vocabulary: [String: [String]] = [
        "application-mode": ["yes", "no"], "events": ["asked", "pushed"], "transfer-jobs": ["yes", "no"],
    ]
}
