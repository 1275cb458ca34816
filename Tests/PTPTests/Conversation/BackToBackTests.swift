import PTP
import TestSupport
import Testing

@Suite struct BackToBackTests {
    @Test("through any pipe a run ends in success or in a named ending, never stuck, never out of step")
    func everySeed() throws {
        var succeeded = 0
        var endings: Set<String> = []
        for seed in Cases.seeds(full: 10_000) {
            var run = BackToBack(seed: seed)
            let stuck = run.run()
            try #require(stuck == nil, "seed \(seed), \(run.fault): \(stuck ?? "")")
            let ending = try #require(run.ending)
            check(run, ending, seed)
            endings.insert(name(of: ending))
            if ending == .closed { succeeded += 1 }
        }
        // The seeds must reach what they are for.
        #expect(succeeded > 0)
        #expect(
            endings.isSuperset(of: ["closed", "cancelled", "linkLost", "silent", "notConfirmed", "stalled"]))
    }

    private func name(of ending: Ending) -> String {
        switch ending {
        case .closed: "closed"
        case .cancelled: "cancelled"
        default: Mirror(reflecting: ending).children.first?.label ?? ""
        }
    }

    private func check(_ run: BackToBack, _ ending: Ending, _ seed: UInt64) {
        let context: Comment = "seed \(seed), \(run.fault), \(ending)"
        switch ending {
        case .foreign, .malformed, .misbehaved:
            Issue.record("honest ends fell out of step: \(context)")
        case .closed:
            #expect(run.outcomes.count == run.steps.count, context)
        case .cancelled, .unreachable, .nothingListens, .notAdmitted, .linkLost, .refused, .notConfirmed,
            .sessionRefused,
            .silent, .hung, .stalled,
            .tooSlow:
            #expect(run.fault != .none, context)
        }
        for outcome in run.outcomes { check(outcome, run, context) }
        // Notices arrive in order, each once.
        #expect(run.notices == Array(run.sentNotices.prefix(run.notices.count)), context)
    }

    private func check(_ outcome: BackToBack.Outcome, _ run: BackToBack, _ context: Comment) {
        guard let reply = outcome.reply else {
            switch outcome.failure {
            case .cancelled?: #expect(outcome.wasCancelled, context)
            case .tooMuchData?, .dataCutShort?: Issue.record("honest data is as long as it says: \(context)")
            case .timedOut?, .connectionEnded?: #expect(run.fault != .none, context)
            case nil: #expect(run.ending != .closed || run.fault != .none, context)
            }
            return
        }
        #expect(reply.code == .ok, context)
        switch outcome.call.data {
        case .none:
            #expect(reply.parameters == [17], context)
        case .outgoing(let bytes):
            #expect(reply.parameters == [UInt32(bytes.count)], context)
        case .incoming, .piece:
            #expect(reply.data == Body.bytes(outcome.call.operation, outcome.call.parameters), context)
        case .streamed:
            #expect(outcome.bytes == Body.bytes(outcome.call.operation, outcome.call.parameters), context)
            #expect(reply.received == UInt64(outcome.bytes.count), context)
        }
    }
}
