import Bridge
import Camera
import Simulator
import Store
import TestSupport
import Testing
import Transfer

/// Which body is which, over connections that end at bad moments.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TwinTests {
    private static let second = TwinBench.base.told(
        apartByWireID: "00000000-0000-0000-0000-000000000002")
    /// No photo of it is on a usual card.
    private static let other = TwinBench.Card(seed: 2, startsAt: 1_790_000_100)

    @Test(
        "a body that was told apart keeps its own photos, although the connection ended before one of them was noted",
        arguments: [false, true])
    func interruptedAdoption(isNewRun: Bool) async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        // Both have shown their GUIDs once and have no photo in common: one body, as far as can be known.
        try await bench.run(bench.twin("2", Self.other, at: "b")) { $0.staged == 4 }
        #expect(try await bench.bodies() == [TwinBench.base])
        // Behind the comparison and inside the survey.
        let broken = "cut after=0 operation=0x1008 skip=\(Self.questionsOfComparison + 2)"
        let told: [CameraNews]
        if isNewRun {
            try await bench.run(bench.twin("1", at: "a"), bench.twin("2", Self.other, at: "b", broken)) {
                $0.losses("b") >= 1
            }
            told = try await bench.run(bench.twin("1", at: "a"), bench.twin("2", Self.other, at: "b")) {
                $0.surveys("a") > 0 && $0.surveys("b") > 0
            }
        } else {
            told = try await bench.run(
                bench.twin("1", at: "a"), bench.twin("2", Self.other, at: "b", broken + " times=1")
            ) { $0.surveys("a") > 0 && $0.surveys("b") > 0 }
            #expect(told.losses("b") == 1)
        }
        #expect(try await bench.bodies() == [TwinBench.base, Self.second])
        #expect(told.fetched("a") + told.fetched("b") == 0)
        #expect(try await bench.counts() == [.staged: 8])
    }

    /// Two folders and four photos are described to be compared.
    private static let questionsOfComparison = 6

    // MARK: One body

    @Test(
        "photos that were rated on the body do not make it another one",
        arguments: [[65542], [65542, 65541]])
    func rated(_ handles: [Int]) async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        // Of the same looks, and with another content.
        let rated = handles.map { "foreign-beginning object=\($0)" }.joined(separator: "\n")
        let told = try await bench.run(bench.twin("2", at: "a", rated)) { $0.surveys("a") > 0 }
        #expect(try await bench.bodies() == [TwinBench.base])
        #expect(told.fetched("a") == 0)
        #expect(try await bench.counts() == [.staged: 4])
    }

    @Test("photos that all look the same and are others are another body's, and come")
    func others() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        try await bench.run(bench.twin("2", TwinBench.Card(seed: 2), at: "a")) { $0.staged == 4 }
        #expect(try await bench.bodies() == [TwinBench.base, Self.second])
        #expect(try await bench.counts() == [.staged: 8])
    }

    @Test("what a body shows while it is compared is learned of it, and not of the one that it was taken for")
    func learned() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        var before = try #require(try await bench.ledger.body(TwinBench.base))
        before.traits["cancel"] = "no"
        try await bench.ledger.learn(before)
        let refusing = try bench.twin(
            "2", TwinBench.Card(seed: 2), at: "a", "refuse code=0x2005 operation=0x1009")
        try await bench.run(refusing) { $0.staged == 4 }
        #expect(try await bench.ledger.body(TwinBench.base) == before)
        let second = try #require(try await bench.ledger.body(Self.second))
        #expect(second.traits == ["wholes": "refused"] && before.traits["wholes"] == nil, "\(second)")
    }

    @Test("a body that has another GUID of its own since a reset stays the body that it is")
    func reset() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        var body = try #require(try await bench.ledger.body(TwinBench.base))
        body.traits["cancel"] = "no"
        try await bench.ledger.learn(body)
        for guid in ["1", "2", "2", "1"] {
            let told = try await bench.run(bench.twin(guid, at: "a")) { $0.surveys("a") > 0 }
            #expect(told.fetched("a") == 0, "\(guid)")
            #expect(try await bench.ledger.body(TwinBench.base)?.traits == body.traits, "\(guid)")
        }
        #expect(try await bench.bodies() == [TwinBench.base])
        #expect(try await bench.counts() == [.staged: 4])
    }

    @Test("a connection that is lost while photos are compared does not make a body another one")
    func lostComparison() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        try await bench.run(bench.twin("1", at: "a")) { $0.surveys("a") > 0 }
        let cuts = Shared(0)
        let reset = try bench.twin("2", at: "a", "cut after=0 operation=0x1009 times=1", cuts: cuts)
        let told = try await bench.run(reset) { $0.surveys("a") > 0 }
        #expect(cuts.value == 1 && told.fetched("a") == 0)
        #expect(try await bench.bodies() == [TwinBench.base])
    }

    @Test(
        "a body whose GUID tells nothing fetches no photo to be known at its place, and does elsewhere",
        arguments: [["0", "0", "0"], ["1", "2", "3", "4"]])
    func unprovenAtItsPlace(_ guids: [String]) async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin(guids[0], at: "a")) { $0.staged == 4 }
        for guid in guids.dropFirst().dropLast(2) {
            try await bench.run(bench.twin(guid, at: "a")) { $0.surveys("a") > 0 }
        }
        // Whatever is fetched ends the connection.
        let fragile = "cut after=0 operation=0x1009\ncut after=0 operation=0x101B"
        for (place, guid) in zip(["a", "b"], guids.suffix(2)) {
            let cuts = Shared(0)
            let twin = try bench.twin(guid, at: place, fragile, cuts: cuts)
            try await bench.run(twin) { $0.surveys(place) > 0 }
            #expect((cuts.value > 0) == (place == "b"), "\(place)")
        }
        #expect(try await bench.bodies() == [TwinBench.base])
        #expect(try await bench.counts() == [.staged: 4])
    }

    @Test("one body at two places at once is taken at one, and the operator is told what to do")
    func twoPlaces() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        try await bench.run(bench.twin("1", at: "a")) { $0.surveys("a") > 0 }
        // What is fetched to compare is fetched once for several tries; then the card may be another one.
        let second = "cut after=0 operation=0x1009 skip=2 times=1"
        let told = try await bench.run(bench.twin("1", at: "a"), bench.twin("1", at: "b", second)) { told in
            told.contains { $0.isBreak(at: "b") }
        }
        let before = told.prefix { !$0.isBreak(at: "b") }
        let sentences = Array(before).refusals("b")
        #expect(sentences.count == 5)
        let sentence = try #require(sentences.first)
        #expect(sentence.contains("answers at b and at a") && sentence.contains("Leave one"), "\(sentence)")
        #expect(try await bench.bodies() == [TwinBench.base])
        #expect(told.fetched("a") + told.fetched("b") == 0 && !told.isMet("b"))
    }

    @Test(
        "a body that gets another card while another one of its name is looked at is not kept waiting for it")
    func cardMeanwhile() async throws {
        let bench = try await TwinBench()
        // With nothing of it to compare with, the other one is taken for another body at once.
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        let (stalls, hasNewCard) = (Shared(0), Shared(false))
        let first = try bench.twin("1", at: "a")
        let second = try bench.twin(
            "2", Self.other, at: "b", "stall after=0 operation=0x1007", cuts: stalls)
        let told = try await bench.run(first, second) { told in
            guard told.surveys("a") > 0, stalls.value > 0 else { return false }
            let isFirstLook = hasNewCard.change { hasIt in
                defer { hasIt = true }
                return !hasIt
            }
            if isFirstLook {
                Task(executorPreference: bench.reactor) {
                    await first.camera.pullCard()
                    await first.camera.insertCard()
                }
            }
            return told.surveys("a") > 1
        }
        #expect(!told.isMet("b"))
    }
}

extension CameraNews {
    /// The connection was lost, and not ended by the program.
    fileprivate func isBreak(at other: String) -> Bool {
        guard place == other, case .connection(.waiting(_, because: .lost)) = event else { return false }
        return true
    }
}

extension [CameraNews] {
    /// What the operator is told who has to do something about the connections.
    func refusals(_ place: String) -> [String] {
        compactMap { told in
            guard told.place == place,
                case .connection(.waiting(_, because: .needsPerson(let sentence))) = told.event
            else { return nil }
            return sentence
        }
    }

    /// Connections to a body that was met.
    func losses(_ place: String) -> Int {
        let here = filter { $0.place == place }
        return here.indices.count { index in
            guard case .connection(.waiting) = here[index].event else { return false }
            return here[..<index].contains { if case .met = $0.event { true } else { false } }
        }
    }
}
