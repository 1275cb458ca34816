import Bridge
import Camera
import Simulator
import TestSupport
import Testing

/// What the plain driver learns of a body, and what it does with what it knows.
@Suite struct GenericLearningTests {
    private func stand(_ script: String) throws -> GenericStand { GenericStand(try Rig(script)) }

    /// Fetches the first photo from its middle, and whole where that is refused. Gives what is known then, and what was
    /// told of it.
    private func learned(_ stand: GenericStand, knowing known: KnownBody? = nil, tries: Int = 1) async throws
        -> (body: KnownBody, told: [KnownBody], canResume: Bool)
    {
        try await stand.connector().met(knowing: known) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            let canResume = await driver.canResume(offer)
            let expected = try await stand.photos()[offer.identity.name] ?? []
            for _ in 0..<tries {
                var sink = ArraySink(canResume ? Array(expected.prefix(100_000)) : [])
                do throws(CameraFailure) {
                    _ = try await driver.fetch(
                        offer, from: UInt64(sink.bytes.count),
                        into: PhotoIntake(into: sink, workers: stand.workers))
                } catch {
                    #expect(error.trouble == .startOver, "\(error)")
                    sink = ArraySink()
                    _ = try await driver.fetch(
                        offer, from: 0, into: PhotoIntake(into: sink, workers: stand.workers))
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
        "another refusal may be about that photo alone; the second tells",
        arguments: ["0x2002", "0x201D", "0xA001"])
    func partsRefused(code: String) async throws {
        let once = try await learned(try stand("refuse-parts code=\(code)"))
        #expect(once.body.traits["parts"] == nil)
        let twice = try await learned(try stand("refuse-parts code=\(code)"), tries: 2)
        #expect(twice.body.traits["parts"] == "refused" && twice.told.count == 1)
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

    @Test("every word of the vocabulary is taken and kept as it was said, unless it is usual")
    func vocabulary() async throws {
        let usual = ["listed", "as-needed"]
        let stand = try stand("")
        for (word, values) in GenericConnector.vocabulary.sorted(by: { $0.key < $1.key }) {
            var kept: Set<String?> = []
            for value in values {
                let connector = try stand.connector { $0.traits = [word: value] }
                let traits = try await connector.met(knowing: nil) {
                    await $0.body.traits
                }
                #expect(traits[word] == nil || traits[word] == value)
                if usual.contains(value) { #expect(traits[word] == nil) }
                kept.insert(traits[word])
                // What was kept is the same for the next connection.
                var known = try await stand.connector().met(knowing: nil) {
                    await $0.body
                }
                known.traits = traits
                let again = try await stand.connector().met(knowing: known) {
                    await $0.body.traits
                }
                #expect(again == traits, "\(word)=\(value)")
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

    @Test("what the operator says counts more than what was learned")
    func operators() async throws {
        let stand = try stand("")
        var known = try await stand.connector().met(knowing: nil) { await $0.body }
        known.traits = ["parts": "refused"]
        let connector = try stand.connector { $0.traits = ["parts": "listed"] }
        let traits = try await connector.met(knowing: known) { await $0.body.traits }
        #expect(traits["parts"] == nil)
    }
}

extension CameraConnector {
    /// A connection on the way to which nothing is looked at.
    fileprivate func met<Result: Sendable>(
        knowing known: KnownBody?, _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await connected(knowing: known, onStep: { _ in }, use)
    }
}
