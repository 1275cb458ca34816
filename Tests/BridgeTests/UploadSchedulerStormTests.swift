import Basics
import Bridge
import TestSupport
import Testing

@Suite struct UploadSchedulerStormTests {
    @Test("whatever happens in whatever order, every job ends, once, and within the slots")
    func storm() {
        var crashes = 0
        var completed = 0
        var ahead = 0
        for seed in Cases.seeds(full: 10_000) {
            var storm = UploadStorm(seed: seed)
            for _ in 0..<150 where storm.failures.isEmpty {
                if storm.random.chance(1) {
                    storm.crash()
                    crashes += 1
                }
                step(&storm)
            }
            finish(&storm)
            completed += storm.completions.count
            ahead += storm.ahead
            #expect(storm.failures.isEmpty, "seed \(seed): \(storm.failures.prefix(3))")
            if !storm.failures.isEmpty { return }
        }
        #expect(Cases.areChosen || (crashes > 0 && completed > 1000 && ahead > 1000))
    }

    private func step(_ storm: inout UploadStorm) {
        switch Int.random(in: 0..<100, using: &storm.random) {
        case 0..<20: storm.stagePhoto()
        case 20..<40: storm.answerClaim()
        case 40..<45:
            let destination = UploadStorm.destinations[Int.random(in: 0..<3, using: &storm.random)]
            storm.set(destination, slots: Int.random(in: 0...4, using: &storm.random))
        case 45..<75:
            let running = storm.underWay.keys.sorted()
            guard let job = running.randomElement(using: &storm.random) else { return }
            if storm.slow.contains(job) && !storm.random.chance(5) { return }
            storm.end(job, outcome(for: job, in: &storm))
        case 75..<90: storm.passTime(.milliseconds(Int64.random(in: 0...90_000, using: &storm.random)))
        case 90..<92: storm.answerSentClaim()
        case 92..<94:
            if storm.random.chance(20) { return storm.failQuestion() }
            storm.answerQuestion { _, random in processing(&random) }
        case 94:
            switch Int.random(in: 0..<10, using: &storm.random) {
            case 0..<3: storm.cancelAnyJob()
            case 3..<5: storm.pause(!storm.isPaused)
            case 5: storm.tell(.tryAgain(UploadStorm.gallery))
            default: break
            }
        case 95..<96: storm.passTime(.seconds(-365 * 86_400))
        case 96..<97: storm.passTime(.seconds(365 * 86_400))
        case 97..<98: storm.passTime(.seconds(-Int64.random(in: 0...400, using: &storm.random)))
        case 98: if storm.random.chance(30) { storm.tell(.drain) }
        default: storm.tell(.lookAgain)
        }
    }

    private func outcome(for job: JobID, in storm: inout UploadStorm) -> DeliveryOutcome {
        guard storm.underWay[job] == UploadStorm.gallery else { return outcome(&storm.random) }
        let isPresigning = storm.presigning.contains(job)
        switch Int.random(in: 0..<20, using: &storm.random) {
        case 0..<8 where isPresigning: return .presigned(.fresh(job.number, at: storm.now))
        case 0..<8: return .sent(isCertain: storm.random.chance(70))
        case 8 where isPresigning: return .intentForgotten
        case 9 where isPresigning: return storm.rows[job]?.intent == nil ? .cancelled : .goesOn
        case 8..<10: return .placeRefused("the clocks differ")
        case 10: return .held(.credits, "no credits")
        case 11: return .held(.loggedOut, "log in")
        case 12 where isPresigning: return .eventExpired("it is over")
        default:
            let other = outcome(&storm.random)
            return other == .good ? .cancelled : other
        }
    }

    private func processing(_ random: inout Seeded) -> ProcessingState? {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: .completed(Receipt(.photo("photo"), size: 1, sha256: ""))
        case 4: .pending
        case 5..<7: .processing
        case 7: .unknown
        case 8: .expired
        case 9: .failedRetryable("again")
        case 10: random.chance(50) ? .failedPermanent("no photo") : .held(.credits, "no credits")
        default: nil
        }
    }

    private func outcome(_ random: inout Seeded) -> DeliveryOutcome {
        let after: Duration? =
            random.chance(30) ? .seconds(Int64.random(in: 0...1000, using: &random)) : nil
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return .good
        case 4..<6: return .retryable("later", after: after)
        case 6..<9: return .destinationFailed("down", after: after)
        default: return random.chance(50) ? .permanent("never") : .cancelled
        }
    }

    private func well(_ job: JobID, _ storm: UploadStorm) -> DeliveryOutcome {
        guard storm.underWay[job] == UploadStorm.gallery else { return .good }
        return storm.presigning.contains(job)
            ? .presigned(.fresh(job.number, at: storm.now)) : .sent(isCertain: true)
    }

    /// Everything gets well but one destination, and the photos that are bad; and there is time. Any other
    /// that then still waits would wait for ever.
    private func finish(_ storm: inout UploadStorm) {
        if storm.isDraining { storm.crash() }
        let stalled = DestinationID(Int64.random(in: 1...6, using: &storm.random))
        // It has no way to it, or it answers to nothing.
        let hasNoWay = storm.random.chance(50) && !storm.sharesPath
        for destination in UploadStorm.destinations {
            let isCut = hasNoWay && destination == stalled
            storm.set(destination, slots: isCut ? 0 : Int.random(in: 1...3, using: &storm.random))
        }
        if storm.isPaused { storm.pause(false) }
        for _ in 0..<20_000 {
            guard storm.failures.isEmpty, !waiting(storm, stalled).isEmpty else { break }
            if !storm.answers.isEmpty {
                storm.answerClaim()
            } else if let job = storm.underWay.keys.min() {
                let fails = storm.underWay[job] == stalled
                storm.end(job, fails ? .destinationFailed("down") : well(job, storm))
            } else if !storm.sentAnswers.isEmpty {
                storm.answerSentClaim()
            } else if storm.question != nil {
                storm.answerQuestion { _, _ in .completed(Receipt(.photo("photo"), size: 1, sha256: "")) }
            } else if let moment = storm.scheduler.nextMoment(after: storm.now) {
                storm.passTime(moment - storm.now)
                storm.expect(
                    !storm.underWay.isEmpty || storm.question != nil, "a moment came and nothing began")
            } else {
                break
            }
        }
        let stuck = waiting(storm, stalled)
        storm.expect(stuck.isEmpty, "\(stuck.map { "\($0.id) \($0.state)" }) wait for ever")
        let settled: Set<JobState> = [.completed, .failedPermanent]
        let isAnswered = storm.answers.isEmpty && storm.sentAnswers.isEmpty
        if isAnswered, storm.rows.values.allSatisfy({ settled.contains($0.state) }) {
            storm.expect(storm.scheduler.isIdle, "not idle at the end")
        }
        let doubled = storm.completions.filter { $0.value != 1 }
        storm.expect(doubled.isEmpty, "completed twice: \(doubled.keys)")
    }

    private func waiting(_ storm: UploadStorm, _ stalled: DestinationID) -> [Job] {
        storm.rows.values.filter {
            $0.state != .completed && $0.state != .failedPermanent && $0.destination != stalled
                && !storm.bad.contains($0.id)
        }
    }
}
