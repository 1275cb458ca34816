import Bridge
import TestSupport
import Testing

@Suite struct TransferStormTests {
    @Test(
        "whatever cameras, disks and ledgers do in whatever order, no rule is broken and every good photo arrives"
    )
    func storms() {
        var staged = 0
        var connections = 0
        for seed in Cases.seeds(full: 20_000) {
            var storm = TransferStorm(seed: seed)
            storm.rage()
            storm.heal()
            #expect(storm.failures.isEmpty, "seed \(seed): \(storm.failures)")
            if !storm.failures.isEmpty { return }
            staged += storm.rows.values.count { $0.state == .staged }
            connections += storm.connections
        }
        // The storm did something.
        #expect(Cases.areChosen || (staged > 5000 && connections > 5000))
    }
}

extension TransferStorm {
    /// Things happen by chance.
    mutating func rage() {
        for _ in 0..<Int.random(in: 20...200, using: &random) where failures.isEmpty { happen() }
    }

    private mutating func happen() {
        if isLeaving, random.chance(50) { return disconnect() }
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6: doCamera()
        case 6..<9: finishOne()
        case 9..<13: write()
        case 13: if !isConnected { connect() }
        case 14:
            shoot()
            if isConnected, let last = things.last { tell(.noticed(.added(last.reference))) }
        case 15: if isConnected { tell(.noticed(.mayHaveMore)) }
        case 16: if isConnected, random.chance(30) { tell(.noticed(.cardsChanged)) }
        case 17: if random.chance(40) { disconnect() }
        case 18: isDiskFull = random.chance(30)
        case 19: isLedgerStuck = random.chance(30)
        case 20: removeOne()
        case 21: failByChance()
        case 22: if isConnected, random.chance(30) { tell(.deletionWanted) } else { tell(.surveyWanted) }
        default: pass(.milliseconds(Int64.random(in: 1...30_000, using: &random)))
        }
    }

    private mutating func removeOne() {
        guard let index = things.indices.filter({ things[$0].isOnCard }).randomElement(using: &random),
            random.chance(30)
        else { return }
        things[index].isOnCard = false
        if isConnected { tell(.noticed(.removed(things[index].reference))) }
    }

    private mutating func failByChance() {
        guard let errand = camera.first, errand.isErrand else { return }
        camera.removeFirst()
        let troubles: [FailureImpact] = [
            .notNow, .unanswered, .startOver,
            .connectionOver(.lost("noise"), mayBeItsDoing: random.chance(50)),
            .connectionOver(.flood("x"), mayBeItsDoing: false),
        ]
        fail(errand, troubles.randomElement(using: &random) ?? .notNow, nil)
    }

    mutating func pass(_ time: Duration) {
        let end = now + time
        while let next = machine.nextDeadline, next <= end, failures.isEmpty {
            now = max(now, next)
            tell(.timePassed)
        }
        now = end
    }

    /// From here on only the photos themselves misbehave; in the end every good one is here, and the others are
    /// where they belong.
    mutating func heal() {
        (isDiskFull, isLedgerStuck, isHealed) = (false, false, true)
        let connectionsBefore = connections
        goOn()
        let spent = connections - connectionsBefore
        // Bad luck may have looked like a bad photo: that is asked for again after a while.
        pass(.seconds(3700))
        goOn()
        checkEnd(spent)
    }

    /// Until there is nothing to do.
    private mutating func goOn() {
        var steps = 0
        while failures.isEmpty {
            steps += 1
            if steps > 20_000 {
                failures.append(
                    "it does not come to an end: \(machine.phase), \(machine.errand.map { "\($0)" } ?? "no errand")"
                )
                return
            }
            if isLeaving {
                disconnect()
            } else if !isConnected {
                pass(.seconds(1))
                connect()
            } else if !camera.isEmpty {
                doCamera()
            } else if !finishing.isEmpty {
                finishOne()
            } else if !ledger.isEmpty {
                write()
            } else if machine.idleSince != nil {
                break
            } else if let next = machine.nextDeadline {
                now = max(now, next)
                tell(.timePassed)
            } else {
                failures.append("nothing is to be done and nothing is waited for: \(machine.phase)")
            }
        }
    }

    private mutating func checkEnd(_ spent: Int) {
        for thing in things where thing.isOnCard {
            // What lies in memory has a row for each connection that met it.
            let key = thing.offer.key ?? "\(thing.offer.identity.name) "
            let found = Set(rows.values.filter { $0.key?.hasPrefix(key) ?? false }.map(\.state))
            let states: [CaptureState] = found.contains(.staged) ? [.staged] : Array(found)
            switch thing.nature {
            case .healthy, .lies, .foreign, .late, .doesNotFit, .sizeless:
                expect(states == [.staged], "\(thing.offer.identity.name), \(thing.nature), is \(states)")
            case .refused(let times):
                expect(
                    times > 50 ? states == [.abandoned] || states == [.staged] : states == [.staged],
                    "\(thing.nature) is \(states)")
            case .killsFetch, .silences: expect(states == [.abandoned], "\(thing.nature) is \(states)")
            case .killsDescription:
                expect(states.isEmpty || states == [.lost], "\(thing.nature) is \(states)")
            case .empty: expect(states == [.filtered], "\(thing.nature) is \(states)")
            case .gone: expect(states == [.lost], "\(thing.nature) is \(states)")
            }
        }
        // Each of those that end connections costs three at most, five where nothing else is there to arrive; where
        // a body gives everything new names each time, and places shift besides, it takes longer to know which it
        // is. A few more are made by hand.
        let poisoned = things.count {
            if case .killsFetch = $0.nature {
                true
            } else {
                [.killsDescription, .silences].contains($0.nature)
            }
        }
        expect(
            spent <= (renames ? 10 : 5) * poisoned + 3,
            "\(spent) connections for \(poisoned) photos that end them")
    }
}
