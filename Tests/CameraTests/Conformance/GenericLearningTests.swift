import Bridge
import Camera
import Simulator
import TestSupport
import Testing

/// What the plain driver learns of a body, and what it does with what it knows.
@Suite struct GenericLearningTests {
    private func stand(_ script: String) throws -> GenericStand { GenericStand(try Rig(script)) }

    /// Fetches photos from their middles, in this order, and whole where that is refused. Gives what is known then, and
    /// what was told of it.
    private func learned(
        _ stand: GenericStand, knowing known: KnownBody? = nil, saying words: [String: String] = [:],
        fetching photos: [Int] = [0]
    ) async throws -> (body: KnownBody, told: [KnownBody], canResume: Bool) {
        try await stand.connector { $0.traits = words }.met(knowing: known) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            let canResume = await driver.canResume(offers[0])
            for offer in photos.map({ offers[$0] }) {
                let expected = try await stand.photos()[offer.identity.name] ?? []
                var sink = ArraySink(canResume ? Array(expected.prefix(100_000)) : [])
                do throws(CameraFailure) {
                    _ = try await driver.fetch(
                        offer, from: UInt64(sink.bytes.count),
                        into: FetchOptions(into: sink, workers: stand.workers))
                } catch {
                    #expect(error.trouble == .startOver, "\(error)")
                    sink = ArraySink()
                    _ = try await driver.fetch(
                        offer, from: 0, into: FetchOptions(into: sink, workers: stand.workers))
                }
                #expect(sink.bytes == expected)
            }
            let changes = driver.changes
            await stand.switchOff()
            var told: [KnownBody] = []
            for await change in changes { if case .learned(let body) = change { told.append(body) } }
            return (await driver.body, told, canResume)
        }
    }

    @Test("parts that are advertised and not supported: the photo comes whole, and it is known from then on")
    func partsNotSupported() async throws {
        let stand = try stand("refuse-parts code=0x2005")
        let first = try await learned(stand)
        #expect(first.canResume && first.body.traits["parts"] == "refused")
        #expect(first.told == [first.body])
        await stand.rig.camera.powerOn()
        let second = try await learned(stand, knowing: first.body)
        #expect(!second.canResume && second.told.isEmpty && second.body.traits == first.body.traits)
    }

    @Test(
        "another refusal may be about that photo alone; a second photo's tells",
        arguments: ["0x2002", "0x201D", "0xA001"])
    func partsRefused(code: String) async throws {
        for same in [[0], [0, 0, 0, 0]] {
            let once = try await learned(try stand("refuse-parts code=\(code)"), fetching: same)
            #expect(once.body.traits["parts"] == nil && once.told.isEmpty)
        }
        let twice = try await learned(try stand("refuse-parts code=\(code)"), fetching: [0, 1])
        #expect(twice.body.traits["parts"] == "refused" && twice.told.count == 1)
    }

    @Test(
        "photos that were never refused tell nothing of those that were, and no part of a wrong length does")
    func partsOfOthers() async throws {
        let one = try stand("refuse-parts code=0x2002 object=0x00010003")
        #expect(try await learned(one, fetching: [0, 1, 2, 0]).body.traits["parts"] == nil)
        let long = try stand("part-length by=+5000")
        #expect(try await learned(long, fetching: [0, 1, 2]).body.traits["parts"] == nil)
    }

    @Test("a session number that the camera wants is asked for with the first packet of the next connection")
    func session() async throws {
        let stand = try stand("session-id wanted=7")
        let first = try await learned(stand)
        #expect(first.body.traits["session"] == "7")
        await stand.rig.camera.powerOn()
        let second = try await learned(stand, knowing: first.body)
        #expect(second.body.traits["session"] == "7")
    }

    @Test("every word of the vocabulary is kept as it was learned, unless it is usual")
    func vocabulary() async throws {
        let usual = ["listed", "as-needed"]
        let stand = try stand("")
        let plain = try await stand.connector().met(knowing: nil) { await $0.body }
        for (word, values) in GenericConnector.vocabulary.sorted(by: { $0.key < $1.key }) {
            var kept: Set<String?> = []
            for value in values {
                var known = plain
                known.traits = [word: value]
                let traits = try await stand.connector().met(knowing: known) { await $0.body.traits }
                #expect(traits[word] == nil || traits[word] == value)
                if usual.contains(value) { #expect(traits[word] == nil) }
                kept.insert(traits[word])
                // What was kept is the same for the next connection.
                known.traits = traits
                let again = try await stand.connector().met(knowing: known) { await $0.body.traits }
                #expect(again == traits, "\(word)=\(value)")
                // What an operator says is not learned by that.
                let said = try await stand.connector { $0.traits = [word: value] }.met(knowing: plain) {
                    await $0.body.traits
                }
                #expect(said == plain.traits, "\(word)=\(value)")
            }
            #expect(kept.count == values.count, "\(word): each value is another")
        }
    }

    @Test("what another version noted is passed over, and what another driver noted is nothing to this one")
    func future() async throws {
        let stand = try stand("")
        let usual = try await stand.connector().met(knowing: nil) { await $0.body }
        var newer = usual
        newer.traits = [
            "moods": "many", "parts": "sometimes", "session": "seven", "data-phase": "", "cancel": "no",
        ]
        let found = try await stand.connector().met(knowing: newer) {
            await $0.body.traits
        }
        #expect(found == ["cancel": "no"])
        var other = newer
        other.driver = "other"
        let alone = try await stand.connector().met(knowing: other) {
            await $0.body.traits
        }
        #expect(alone == usual.traits)
    }

    @Test("what the operator says counts more than what was learned, and does not undo it")
    func operators() async throws {
        let stand = try stand("")
        var known = try await stand.connector().met(knowing: nil) { await $0.body }
        known.traits = ["parts": "refused"]
        let listed = try await learned(stand, knowing: known, saying: ["parts": "listed"])
        #expect(listed.canResume && listed.body.traits == ["parts": "refused"])
        await stand.rig.camera.powerOn()
        known.traits = [:]
        let refused = try await learned(stand, knowing: known, saying: ["parts": "refused"])
        #expect(!refused.canResume && refused.body.traits.isEmpty)
    }

    @Test("what is known of the body that answers is remembered, whichever body answered there last")
    func recalled() async throws {
        let stand = try stand("")
        let plain = try await stand.connector().met(knowing: nil) { await $0.body }
        var known = plain
        known.traits = ["parts": "refused"]
        var other = known
        (other.identity.body, other.serial, other.traits) = ("9", "9", ["cancel": "no"])
        let memory: BodyMemory = { [known] body in body.identity == known.identity ? known : nil }
        for last in [nil, other] {
            let found = try await stand.connector().met(knowing: last, recalling: memory) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                #expect(await !driver.canResume(offer))
                return await driver.body
            }
            #expect(found == known)
            let stranger = try await stand.connector().met(knowing: last) { await $0.body }
            #expect(stranger == plain)
        }
    }

    @Test("a body without a serial number that has another GUID each time stays who it was")
    func changingGUID() async throws {
        func nameless(_ model: String) throws -> GenericStand {
            GenericStand(
                try Rig("unstable-guid") { _, card in (card.serial, card.model) = ("0000", model) })
        }
        let stand = try nameless("A")
        let first = try await stand.connector().met(knowing: nil) { await $0.body }
        let second = try await stand.connector().met(knowing: first) { await $0.body }
        #expect(second.identity == first.identity && second.serial == nil)
        #expect(second.wireID != first.wireID && second.wireID != nil)
        // Another model is another body, and so is one that was met under its own name.
        let other = try await nameless("B").connector().met(knowing: first) { await $0.body }
        #expect(other.identity.model == "B" && other.identity.body == other.wireID)
        let metBefore: BodyMemory = { KnownBody(identity: $0.identity, driver: GenericDriver.name) }
        let met = try await stand.connector().met(knowing: first, recalling: metBefore) { await $0.body }
        #expect(met.identity != first.identity && met.identity.body == met.wireID)
    }
}

extension CameraConnector {
    /// A connection on the way to which nothing is looked at.
    func met<Result: Sendable>(
        knowing known: KnownBody?, _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await connected(knowing: known, onStep: { _ in }, use)
    }

    fileprivate func met<Result: Sendable>(
        knowing known: KnownBody?, recalling recall: BodyMemory,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await connected(knowing: known, recalling: recall, onStep: { _ in }, use)
    }
}
