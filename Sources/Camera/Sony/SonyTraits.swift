import PTP

/// How one Sony differs from others, as the ledger keeps it and as an operator may say it.
struct SonyTraits: Equatable, Sendable {
    /// The rules that its datasets follow, where it is not to be asked for them by the newest first.
    var version: SonyVersion?

    var words: [String: String] {
        version.map { ["sdio-version": $0 == .two ? "2" : "3"] } ?? [:]
    }

    mutating func apply(_ word: String, _ value: String) {
        guard word == "sdio-version" else { return }
        version = value == "2" ? .two : value == "3" ? .three : version
    }

    static let vocabulary: [String: [String]] = ["sdio-version": ["2", "3"]]
}
