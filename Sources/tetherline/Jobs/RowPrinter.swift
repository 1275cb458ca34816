import Arguments
import Basics
import Console
import Posix

/// Rows as a table, a screenful of them at a time: a million rows need no memory, and the first is seen at once. On a
/// terminal the columns have names, and the last one keeps to the terminal's width; what goes to another program has rows
/// alone, each on its line.
struct RowPrinter {
    /// Rows that are held to find how wide the columns are.
    private static let together = 500

    private let names: [String]
    private let width: Int?
    private let print: (String) -> Void
    private var rows: [[String]] = []
    private var hasBegun: Bool
    private(set) var count = 0

    init(
        _ names: [String], isTerminal: Bool = Terminal.isTerminal(1),
        print: @escaping (String) -> Void = { printOutput($0) }
    ) {
        self.names = names
        width = isTerminal ? Terminal.knownColumns(1) : nil
        self.print = print
        hasBegun = !isTerminal
    }

    /// A cell for each name; the last may be as long as it is.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == names.count, "a row has a cell for each column")
        count += 1
        rows.append(cells.map { Visible($0).description })
        if rows.count == Self.together { flush() }
    }

    /// What is held is shown.
    mutating func flush() {
        guard !rows.isEmpty else { return }
        if !hasBegun { rows.insert(names, at: 0) }
        hasBegun = true
        for line in TextTable.lines(rows, width: width) { print(line) }
        rows = []
    }
}

/// Which rows of a long table: so many, from the one behind a number on.
struct RowChoice {
    static func specs(_ number: String, _ source: String) -> [OptionSpec] {
        [
            OptionSpec("after", number, "Only what has a higher number in '\(source)' than this."),
            OptionSpec("limit", "N", "Not more than so many; what was left out is said."),
        ]
    }

    static let most = 1_000_000_000
    let after: Int64
    let limit: Int?

    init(_ invocation: Invocation) throws(UsageError) {
        after = Int64(try invocation.integer("after", in: 0...Int(Int32.max)) ?? 0)
        limit = try invocation.integer("limit", in: 1...Self.most)
    }

    /// One more is asked for than is shown, so that it is known whether there are more.
    var asked: Int? { limit.map { $0 + 1 } }

    func isBeyond(_ count: Int) -> Bool { limit.map { count >= $0 } ?? false }

    /// Not among the rows, which a program may read.
    func tellRest(after last: Int64?) {
        guard let last else { return }
        printError("tetherline: there are more; the next begin with --after \(last)")
    }
}
