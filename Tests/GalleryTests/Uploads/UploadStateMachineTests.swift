import TestSupport
import Testing

@testable import Gallery

/// One photo's way, as a value.
@Suite struct UploadStateMachineTests {
    private static let failure = UploadStateMachine.Failure(.truncated, "it is cut")
    private static let dismissed = UploadStateMachine.Failure(
        .dismissed, "the host has dismissed it, and does not want it any more")
    private static let passing = UploadStateMachine.Failure(.timeout, "it took too long")

    static let table: [(UploadStateMachine.State, UploadStateMachine.Happening, UploadStateMachine.State)] = [
        (.pending, .landed(key: "a"), .processing(key: "a")), (.pending, .nothingCame, .expired),
        (.pending, .placeWanted, .pending), (.expired, .landed(key: "a"), .processing(key: "a")),
        (.expired, .placeWanted, .pending), (.expired, .nothingCame, .expired),
        (.processing(key: "a"), .processed(key: "a", photo: "p"), .completed(photo: "p", key: "a")),
        (.processing(key: "a"), .processed(key: "b", photo: "p"), .processing(key: "a")),
        (.processing(key: "a"), .landed(key: "b"), .processing(key: "a")),
        (.processing(key: "a"), .nothingCame, .processing(key: "a")),
        (.processing(key: "a"), .refused(key: "a", failure), .failed(failure, key: "a")),
        (.failed(failure, key: "a"), .landed(key: "a"), .failed(failure, key: "a")),
        (.failed(failure, key: "a"), .landed(key: "b"), .processing(key: "b")),
        (.failed(failure, key: "a"), .placeWanted, .pending),
        (.failed(passing, key: "a"), .retried, .processing(key: "a")),
        (.failed(failure, key: "a"), .dismissed, .failed(dismissed, key: nil)),
        (.failed(passing, key: "a"), .dismissed, .failed(dismissed, key: nil)),
        (.failed(dismissed, key: nil), .dismissed, .failed(dismissed, key: nil)),
        (.failed(dismissed, key: nil), .landed(key: "b"), .failed(dismissed, key: nil)),
        (.failed(dismissed, key: nil), .nothingCame, .failed(dismissed, key: nil)),
        (.completed(photo: "p", key: "a"), .landed(key: "b"), .completed(photo: "p", key: "a")),
        (.completed(photo: "p", key: "a"), .nothingCame, .completed(photo: "p", key: "a")),
        (
            .completed(photo: "p", key: "a"), .processed(key: "a", photo: "q"),
            .completed(photo: "p", key: "a")
        ),
    ]

    @Test("each happening leads from each state to where it should", arguments: table)
    func steps(
        from: UploadStateMachine.State, happening: UploadStateMachine.Happening, to: UploadStateMachine.State
    ) {
        var intent = UploadStateMachine(from)
        let answer = intent.handle(happening)
        #expect(intent.state == to)
        #expect(answer == (from == to && happening != .placeWanted ? .nothing : .moved))
    }

    @Test("what makes no sense is refused with a reason, and changes nothing")
    func conflicts() {
        let refused: [(UploadStateMachine.State, UploadStateMachine.Happening)] = [
            (.processing(key: "a"), .placeWanted), (.completed(photo: "p", key: "a"), .placeWanted),
            (.pending, .retried), (.expired, .retried), (.completed(photo: "p", key: "a"), .retried),
            (.failed(Self.failure, key: "a"), .retried), (.failed(Self.passing, key: nil), .retried),
            (.failed(Self.dismissed, key: nil), .retried), (.failed(Self.dismissed, key: nil), .placeWanted),
            (.pending, .dismissed), (.processing(key: "a"), .dismissed), (.expired, .dismissed),
            (.completed(photo: "p", key: "a"), .dismissed),
        ]
        for (state, happening) in refused {
            var intent = UploadStateMachine(state)
            guard case .conflict(let reason) = intent.handle(happening) else {
                Issue.record("\(state) \(happening)")
                continue
            }
            #expect(!reason.isEmpty && intent.state == state)
        }
    }

    @Test(
        "whatever happens in whatever order, a photo stays the photo that it is",
        arguments: Cases.seeds(full: 1000))
    func random(seed: UInt64) {
        var random = Seeded(seed)
        var intent = UploadStateMachine()
        var photo: String?
        for step in 0..<200 {
            let key = "\(Int.random(in: 0..<3, using: &random))"
            let happenings: [UploadStateMachine.Happening] = [
                .placeWanted, .landed(key: key), .nothingCame, .processed(key: key, photo: "p\(step)"),
                .refused(key: key, random.chance(50) ? Self.failure : Self.passing), .retried,
                .dismissed,
            ]
            let before = intent.state
            let answer = intent.handle(happenings[Int.random(in: 0..<happenings.count, using: &random)])
            if answer != .moved { #expect(intent.state == before) }
            guard case .completed(let now, _) = intent.state else {
                #expect(photo == nil, "seed \(seed): what was a photo is none any more")
                continue
            }
            #expect(photo == nil || photo == now)
            photo = now
        }
    }
}
