import Bridge
import Testing
import Transfer

/// Which body is taken where one was looked for, and its address is new.
@Suite struct ExpectedBodyTests {
    private static let other = TwinBench.Card(seed: 2, startsAt: 1_790_000_100)

    @Test("the body that was looked for is taken at its new address, and nothing of it twice")
    func moved() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        var moved = try bench.twin("1", at: "b")
        moved.expected = .body(TwinBench.base)
        let told = try await bench.run(moved) { $0.surveys("b") > 0 }
        #expect(told.isMet("b") && told.fetched("b") == 0)
        #expect(try await bench.bodies() == [TwinBench.base])
    }

    @Test(
        "one that bears its serial number and is another is refused there, and taken where the operator has added it"
    )
    func another() async throws {
        let bench = try await TwinBench()
        try await bench.run(bench.twin("1", at: "a")) { $0.staged == 4 }
        // Its GUID is known for its own when two connections have shown it.
        try await bench.run(bench.twin("1", at: "a")) { $0.surveys("a") > 0 }
        var other = try bench.twin("2", Self.other, at: "b")
        other.expected = .body(TwinBench.base)
        let told = try await bench.run(other) { !$0.refusals("b").isEmpty }
        #expect(told.refusals("b").first?.hasPrefix("another camera answers at b") == true)
        #expect(told.fetched("b") == 0 && !told.isMet("b"))
        #expect(try await bench.bodies() == [TwinBench.base])
        var added = try bench.twin("2", Self.other, at: "b")
        added.expected = .added
        try await bench.run(added) { $0.staged == 4 }
        #expect(try await bench.bodies().count == 2)
    }
}
