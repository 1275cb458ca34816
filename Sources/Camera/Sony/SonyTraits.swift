import PTP

/// How one Sony differs from others, as the ledger keeps it and as an operator may say it.
struct SonyTraits: Equatable, Sendable {
    /// The rules that its datasets follow, where it is not to be asked for them by the newest first.
    var version: SonyVersion?
    /// When it made the lists of its cards that were read last, by slot: only under the same list a photo is gone on with.
    var listTimes: [UInt32: UInt64] = [:]

    var words: [String: String] {
        var words = version.map { ["sdio-version": $0 == .two ? "2" : "3"] } ?? [:]
        for (slot, time) in listTimes { words["\(Self.listTime)\(slot)"] = String(time) }
        return words
    }

    mutating func apply(_ word: String, _ value: String) {
        if word == "sdio-version" {
            version = value == "2" ? .two : value == "3" ? .three : version
        } else if word.hasPrefix(Self.listTime), let slot = UInt32(word.dropFirst(Self.listTime.count)) {
            listTimes[slot] = UInt64(value) ?? listTimes[slot]
        }
    }

    private static let listTime = "list-time-"

    static let vocabulary: [String: [String]] = ["sdio-version": ["2", "3"]]
}
