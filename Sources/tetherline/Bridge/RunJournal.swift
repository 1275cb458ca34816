import Basics
import Bridge
import Console
import Posix
import Store

/// Writes into the journal what a run meets: see ``OutageLog``. A ledger that cannot be written, because its disk is full,
/// gets it when it can be.
struct RunJournal {
    let ledger: Ledger
    let wall: any WallTime
    let news: NewsSubscription

    /// Changes that wait for the ledger.
    private static let most = 1000

    /// Until the bridge ends, and what it has told is written.
    func run() async {
        var log = OutageLog()
        var rows: [Int: Int64] = [:]
        var waiting: [OutageLog.Change] = []
        while let batch = await news.nextBatch() {
            for news in batch { waiting += log.apply(news, at: wall.wallNow) }
            waiting.removeFirst(await write(waiting, &rows))
            if waiting.count > Self.most { waiting.removeFirst(waiting.count - Self.most) }
        }
    }

    /// How many of them are written.
    private func write(_ changes: [OutageLog.Change], _ rows: inout [Int: Int64]) async -> Int {
        for (index, change) in changes.enumerated() {
            do {
                switch change {
                case .begin(let line, let entry, let moment):
                    rows[line] = try await ledger.beginLine(entry, at: moment)
                case .renew(let line, let text):
                    if let row = rows[line] { try await ledger.renew(line: row, text) }
                }
            } catch {
                // The uploader says that the ledger cannot be written; here it is tried with the next news.
                return index
            }
        }
        return changes.count
    }
}
