import Bridge
import TestSupport
import Testing

@Suite struct UploadSchedulerStormTests {
    @Test("whatever happens in whatever order, every job ends, once, and within the slots")
    func storm() {
        var crashes = 0
        var completed = 0
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
            #expect(storm.failures.isEmpty, "seed \(seed): \(storm.failures.prefix(3))")
            if !storm.failures.isEmpty { return }
        }
        #expect(crashes > 0 && completed > 1000)
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
            storm.end(job, outcome(&storm.random))
        case 75..<95: storm.passTime(.milliseconds(Int64.random(in: 0...90_000, using: &storm.random)))
        case 95..<96: storm.passTime(.seconds(-365 * 86_400))
        case 96..<97: storm.passTime(.seconds(365 * 86_400))
        case 97..<98: storm.passTime(.seconds(-Int64.random(in: 0...400, using: &storm.random)))
        case 98: if storm.random.chance(30) { storm.tell(.drain) }
        default: storm.tell(.lookAgain)
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

    /// Everything gets well, and there is time. What then still waits would wait for ever.
    private func finish(_ storm: inout UploadStorm) {
        if storm.isDraining { storm.crash() }
        for destination in UploadStorm.destinations {
            storm.set(destination, slots: Int.random(in: 1...3, using: &storm.random))
        }
        for _ in 0..<10_000 {
            guard storm.failures.isEmpty else { return }
            if !storm.answers.isEmpty {
                storm.answerClaim()
            } else if let job = storm.underWay.keys.min() {
                storm.end(job, .good)
            } else if let moment = storm.scheduler.nextMoment(after: storm.now) {
                storm.passTime(moment - storm.now)
                storm.expect(!storm.underWay.isEmpty, "a moment came and nothing began")
            } else {
                break
            }
        }
        let ends: Set<JobState> = [.completed, .failedPermanent]
        let stuck = storm.rows.values.filter { !ends.contains($0.state) }
        storm.expect(stuck.isEmpty, "\(stuck.map { "\($0.id) \($0.state)" }) wait for ever")
        storm.expect(storm.scheduler.isIdle, "not idle at the end")
        let doubled = storm.completions.filter { $0.value != 1 }
        storm.expect(doubled.isEmpty, "completed twice: \(doubled.keys)")
    }
}
