import Arguments
import Basics
import Bridge
import Posix
import Store
import Synchronization
import Transfer
import Upload

/// `tetherline redeliver`: sends again what is gone from a destination.
struct RedeliverCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("redeliver", "Sends again what is gone from a destination.")
        spec.discussion = [
            "The destination is asked for every photo that it has acknowledged, or for those that are named; what is gone is listed "
                + "and, when you agree, sent again under the name that it had. A photo is taken from the spool, else from the card, else "
                + "from another destination that has it, and only with the SHA-256 that the ledger knows. What a gallery's host has hidden "
                + "or deleted is left alone, and a destination whose files others take away (consumed=true) is refused.",
            "While a bridge runs in this home it does it; otherwise this command does, and delivers.",
            "Exit code: 0 nothing is gone, or all of it is sent again or on its way; 1 something could not be sent again, or you did not "
                + "agree; 66 there is no such event, destination or photo; 69 the destination cannot be asked; 75 the deliveries have "
                + "begun and wait for the destination: the next run goes on.",
        ]
        spec.positionals = [
            PositionalSpec("DESTINATION", .one, "Its URL, as 'tetherline status' shows it."),
            PositionalSpec(
                "PHOTO", .any,
                "Only these: names or paths as on the card, or the numbers of 'tetherline captures'."),
        ]
        spec.options =
            [
                OptionSpec("event", "EVENT", "Which event, by id or name. [the latest]"),
                .flag("yes", "Do not ask."),
                .flag(
                    "altered",
                    "Also photos whose bytes are others there now: they get another name beside what is there."
                ),
                OptionSpec(
                    "camera", "HOST[:PORT]", mayRepeat: true,
                    "Where no bridge runs: a camera whose card may have photos. [where the event's cameras were last]"
                ),
                .flag("json", "Print JSON, one value a line."),
            ] + ConnectionOptions.clientSpecs
        spec.examples = [
            "tetherline redeliver file:///media/usb/wedding",
            "tetherline redeliver file:///media/usb/wedding DSC_0042.JPG DSC_0043.JPG --yes",
        ]
        return spec
    }()

    private let home: Home
    private let url: String
    private let photos: [String]
    private let mayNotAsk: Bool
    private let takesAltered: Bool
    private let isJSON: Bool
    private let invocation: Invocation
    private let channel: RepairChannel

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        home = Home(invocation.value("home"))
        url = invocation.positionals[0]
        photos = Array(invocation.positionals.dropFirst())
        mayNotAsk = invocation.has("yes")
        takesAltered = invocation.has("altered")
        isJSON = invocation.has("json")
        channel = try RepairChannel(invocation, event: invocation.value("event"))
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        guard let session = try await channel.sessionWithoutBridge(on: reactor) else {
            return try await run(.bridge(channel, reactor))
        }
        return try await session.lend { try await run(.session($0, channel.mending(at: $0))) }
    }

    // MARK: Step by step

    private func run(_ place: RepairTarget) async throws -> ExitCode {
        var list = RedeliveryList()
        try await place.look(at: url, photos) { list.add($0) }
        if list.isConsumed { throw RepairService.Consumed(url: url) }
        let wanted = list.wanted(altered: takesAltered)
        show(list, wanted)
        if wanted.isEmpty { return list.isAnswered ? .success : .unavailable }
        guard try await agrees(wanted.count, on: place.reactor) else {
            printError("tetherline: nothing is sent again.")
            return .failure
        }
        var done = RedeliveryResult()
        for first in stride(from: 0, to: wanted.count, by: RepairService.mostAtOnce) {
            let some = wanted[first..<min(first + RepairService.mostAtOnce, wanted.count)]
            try await place.redeliver(Array(some), to: url) { line in
                done.add(line)
                if isJSON { printOutput(line.compact) }
            }
        }
        for failure in done.failures where !isJSON { printOutput(Visible(failure).description) }
        let ended = try await place.deliver(done.jobs, to: url)
        if !isJSON { printOutput(ended.sentence(done.jobs.count, url)) }
        guard done.failures.isEmpty else { return .failure }
        // What it was not asked about may be gone as well.
        return ended.exitCode == .success && !list.isAnswered ? .unavailable : ended.exitCode
    }

    private func show(_ list: RedeliveryList, _ wanted: [RedeliveryList.Entry]) {
        if isJSON {
            for line in list.lines { printOutput(line.compact) }
            return
        }
        for entry in wanted { printOutput(Visible(entry.row).description) }
        for sentence in list.sentences(altered: takesAltered) { printOutput(Visible(sentence).description) }
    }

    private func agrees(_ count: Int, on reactor: Reactor) async throws -> Bool {
        if mayNotAsk { return true }
        guard Terminal.isTerminal(0) else {
            throw UsageError(
                "\(count) photos would be sent again: say --yes, because there is no terminal to ask at.")
        }
        let answer = try await SecretLine.read(
            "Send \(count) photos again? [y/N] ", isHidden: false, on: reactor)
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// What a destination was found to have lost.
struct RedeliveryList {
    struct Entry {
        let job: JobID
        let word: String
        let path: String
        let reason: String?
        let isRemoved: Bool

        var row: String {
            let source =
                isRemoved ? "not in the spool: from a card, or another destination" : "from the spool"
            return "\(word)  \(path)  \(source)\(reason.map { "  (\($0))" } ?? "")"
        }

        /// As the ledger keeps it.
        var why: String { "it was \(word)\(reason.map { ": \($0)" } ?? "")" }
    }

    private(set) var lines: [JSONValue] = []
    private var entries: [Entry] = []
    private var sum: JSONValue = .null

    mutating func add(_ line: JSONValue) {
        if line["readBackOf"] != nil { sum = line }
        guard let word = line["readBack"]?.string, let job = line["job"]?.integer else {
            if line["readBackOf"] != nil { lines.append(line) }
            return
        }
        lines.append(line)
        entries.append(
            Entry(
                job: JobID(job), word: word, path: line["path"]?.string ?? "?",
                reason: line["reason"]?.string,
                isRemoved: line["spooled"]?.bool == false))
    }

    func wanted(altered: Bool) -> [Entry] {
        entries.filter { $0.word == "gone" || altered && $0.word == "altered" }
    }

    private func count(_ word: String) -> Int64 { sum[word]?.integer ?? 0 }

    var isConsumed: Bool { sum["consumed"]?.bool == true }
    var isAnswered: Bool { ReadBackFindings.isAnswered(sum) }

    func sentences(altered: Bool) -> [String] {
        var sentences = [
            "\(count("looked")) photos looked at: \(count("there")) there, \(count("gone")) gone"
        ]
        if count("altered") > 0, !altered {
            sentences.append(
                "\(count("altered")) have other bytes there by now and are left alone; --altered sends them again"
            )
        }
        if count("withdrawn") > 0 {
            sentences.append("\(count("withdrawn")) were withdrawn by the host and are not sent again")
        }
        for word in ["notCheckable", "unanswered"] where count(word) > 0 {
            let name = word == "unanswered" ? "could not be asked for" : "cannot be checked there"
            sentences.append("\(count(word)) \(name): \(sum["reason"]?.string ?? "")")
        }
        return sentences
    }
}

/// What could be begun again.
struct RedeliveryResult {
    private(set) var jobs: [JobID] = []
    private(set) var failures: [String] = []

    mutating func add(_ line: JSONValue) {
        if let job = line["redelivered"]?.integer { jobs.append(JobID(job)) }
        if line["notRedelivered"] != nil {
            failures.append("not sent again  \(line["path"]?.string ?? "?")  \(line["reason"]?.string ?? "")")
        }
    }
}
