/// The transfer's driver decides nothing: `TransferMachine` does. It has one switch over what the machine says, and every
/// other line that chooses is named here with the reason why it is no decision about a photo.
struct DriverRule {
    struct Choice: Sendable {
        let line: String
        /// How often it stands there.
        var count = 1
        let why: String
    }

    static let files = "Sources/Transfer/CameraTransfer"

    static let allowed: [Choice] = [
        Choice(line: "switch action {", count: 2, why: "the one switch of each of the two machines"),
        Choice(
            line: "guard let camera else { return }", count: 3,
            why: "actions for the camera are carried out only where there is one"),
        Choice(
            line: "if counted.value > most { described.add(1) }",
            why: "a count for those who wait for progress; nothing is done or left because of it"),
        Choice(
            line: "guard now?.identity == offer.identity else {",
            why: "what is deleted is compared in the same breath, and the machine is told that it differs"),
        Choice(
            line: "guard let file = fetched.removeValue(forKey: order.capture) else {",
            why: "a precondition: the machine finishes what was fetched"),
        Choice(
            line: "if photo.isInMemory { try await shelf.discard(photo.id) }",
            why: "the ledger says what is missing, and a partial file of what was in memory is of no use"),
        Choice(
            line: "guard isConnected else {",
            why: "those who ask while there is no connection are answered at once"),
        Choice(
            line: "guard isConnected else { return continuation.resume() }",
            why: "those who ask while there is no connection are answered at once"),
        Choice(
            line: "guard isConnected else { return continuation.resume(returning: .failure(notConnected)) }",
            why: "those who ask while there is no connection are answered at once"),
        Choice(
            line: "guard !self.surveysWanted.isEmpty else { return .done(.surveyForOthers) }",
            why:
                "a list without a caller is not asked for; the machine is told that the errand is done"
        ),
        Choice(
            line: "guard let failure = error as? CameraFailure, failure.isEndOfConnection else { continue }",
            why:
                "what an error means; the next who borrows the camera has it only while there is a connection"
        ),
        Choice(
            line: "guard session.settings.machine.deletesFromCard else { return }",
            why: "no caller waits for deletions where there are none"),
        Choice(line: "while !Task.isCancelled {", why: "until the end"),
        Choice(
            line: "if next.isEmpty, let until = life.nextDeadline {",
            why: "where the machine of the connection has nothing to do it is woken at its deadline"),
        Choice(
            line: "for case .report(let state) in happened(happening) { tell(.connection(state)) }",
            why: "what is noted of a connection can only be reported"),
        Choice(line: "guard !Task.isCancelled else { return [] }", why: "at the end nothing follows"),
        Choice(
            line: "guard let question = step.question else { return }",
            why: "only those steps of a connection are told at which the camera waits for a person"),
        Choice(
            line: "switch error {", why: "what an error means; what follows from that is the machine's"),
        Choice(
            line:
                "case let failure as CameraFailure: failure.trouble == .cancelled ? known : known ?? failure.loss",
            why: "what an error means; what follows from that is the machine's"),
        Choice(line: "default: .lost(\"\\(error)\")", why: "what an error means; of errors there is no list"),
        Choice(
            line: "while loss == nil, !Task.isCancelled { await leaving.waitUnlessCancelled() }",
            why: "until the machine says that the connection is to be left"),
        Choice(
            line: "guard let line = lines[line] else { return }", why: "a line of work that was never opened"),
        Choice(
            line: "while let action = await line.next() { await carryOut(action, camera) }",
            why: "until the line of work is closed and empty"),
        Choice(
            line: "if machine.phase == .working { lostSince = nil }",
            why: "a moment for those who look; nothing is done or left because of it"),
    ]

    /// Words with which code chooses.
    private static let words: Set<Substring> = [
        "if", "guard", "switch", "while", "repeat", "where", "default",
    ]

    static func chooses(_ line: String) -> Bool {
        let parts = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return parts.contains(where: words.contains) || line.contains("for case") || line.contains(" ? ")
            || line.drop { $0 == " " }.hasPrefix("? ") || line.contains("&&") || line.contains("||")
    }

    /// What is wrong with these files, taken together.
    static func breaches(of texts: [(path: String, text: SwiftText)], allowed: [Choice] = allowed) -> [String]
    {
        var left: [String: Int] = [:]
        for choice in allowed { left[SwiftText(choice.line).lines[0], default: 0] += choice.count }
        var breaches: [String] = []
        for (path, text) in texts {
            for (index, line) in text.lines.enumerated() where chooses(line) {
                let chosen = String(line[...].trimmed)
                if let count = left[chosen], count > 0 {
                    left[chosen] = count - 1
                } else {
                    breaches.append("\(path):\(index + 1) decides: \(chosen)")
                }
            }
        }
        // A list that names what is not there any more hides the next one.
        let stale = left.filter { $0.value > 0 }.keys.sorted().map { "nothing says any more: \($0)" }
        return breaches + stale
    }

    /// Places at which the machine is told something, or made.
    static func places(of call: String, in texts: [(path: String, text: SwiftText)]) -> [String] {
        texts.flatMap { path, text in
            text.lines.enumerated().filter { $0.element.contains(call) }.map { "\(path):\($0.offset + 1)" }
        }
    }
}
