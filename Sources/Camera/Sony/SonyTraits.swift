import PTP

/// How one Sony differs from others, as the ledger keeps it and as an operator may say it.
struct SonyTraits: Equatable, Sendable {
    /// The rules that its datasets follow, where it is not to be asked for them by the newest first.
    var version: SonyVersion?
    var beginnings = SonyBeginnings()

    var words: [String: String] {
        let words = version.map { ["sdio-version": $0 == .two ? "2" : "3"] } ?? [:]
        return words.merging(beginnings.words) { own, _ in own }
    }

    mutating func apply(_ word: String, _ value: String) {
        if word == "sdio-version" {
            version = value == "2" ? .two : value == "3" ? .three : version
        } else {
            beginnings.apply(word, value)
        }
    }

    static let vocabulary: [String: [String]] = ["sdio-version": ["2", "3"]]
}
