import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// Sony bodies in PC Remote mode: what every driver promises, as far as a body without a list can be asked for it.
@Suite struct SonyConformanceTests {
    private static let models = Cases.isFull ? SonyCamera.all : [SonyCamera.all[1]]
    /// The others begin with a list of photos.
    private static let properties: [DriverConformance] = [
        .identity, .anotherBody, .steps, .farewell, .ended, .clock, .facts,
    ]

    @Test("the Sony driver", arguments: properties, models)
    func conforms(property: DriverConformance, body: SonyCamera) async throws {
        try await property.check(body)
    }

    @Test("there is nothing to list, and that is no error", arguments: models)
    func survey(body: SonyCamera) async throws {
        let stand = try await body.make()
        try await stand.connector().met(knowing: nil) { driver in
            var survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.remark?.contains("PC Remote") == true)
            survey.remark = nil
            #expect(survey == Survey())
            #expect(try await driver.references().isEmpty)
            for _ in 0..<3 { try await driver.keepAlive() }
            for text in ["0x7FFFFFF0", "no such thing", ""] {
                let failure = await ConformanceCheck.failure {
                    _ = try await driver.describe(PhotoReference(text), withRating: false)
                }
                #expect(failure?.trouble == .gone)
                ConformanceCheck.expectSentences(failure)
            }
            let abilities = await driver.abilities
            #expect(abilities.handsOver && !abilities.canDelete)
        }
        #expect(stand.complaints.isEmpty)
    }

    @Test("thirty shots of RAW and JPEG arrive once each, whole, the JPEG first", arguments: models)
    func thirty(body: SonyCamera) async throws {
        let stand = try await body.make { $1.hasRawToo = true }
        let taken = try await stand.connector().met(knowing: nil) { driver in
            async let shooting: Void = {
                for _ in 0..<30 { await stand.shoot() }
            }()
            let taken = try await stand.take(60, from: driver)
            await shooting
            #expect(try await driver.references().isEmpty)
            return taken
        }
        let photos = try await stand.photos()
        #expect(photos.count == 60 && taken.count == 60)
        #expect(Set(taken.map(\.name)) == Set(photos.keys))
        for photo in taken {
            #expect(photo.bytes == photos[photo.name])
            #expect(photo.offer.isInMemory && photo.offer.key == nil)
        }
        for pair in stride(from: 0, to: 60, by: 2) {
            let (jpeg, raw) = (taken[pair].offer, taken[pair + 1].offer)
            #expect(jpeg.identity.kind == .picture && raw.identity.kind == .raw)
            #expect(jpeg.identity.stem == raw.identity.stem && jpeg.sequence == raw.sequence)
        }
        #expect(Set(taken.map(\.offer.reference)).count == 60)
        #expect(stand.complaints.isEmpty)
    }

    @Test("a burst of twenty at 50 ms arrives in its order", arguments: models)
    func burst(body: SonyCamera) async throws {
        let stand = try await body.make { settings, _ in
            (settings.shots, settings.interval) = (20, .milliseconds(50))
        }
        let taken = try await stand.connector().met(knowing: nil) { try await stand.take(20, from: $0) }
        let photos = try await stand.photos()
        #expect(taken.map(\.name) == photos.keys.sorted())
        for photo in taken { #expect(photo.bytes == photos[photo.name]) }
        #expect(stand.complaints.isEmpty)
    }

    @Test("after 9999 comes 0001, and the two are two", arguments: models)
    func wrap(body: SonyCamera) async throws {
        var body = body
        body.script = "first-number value=9999"
        let stand = try await body.make(photos: 2)
        let taken = try await stand.connector().met(knowing: nil) { try await stand.take(2, from: $0) }
        #expect(taken.map(\.name) == ["DSC09999.JPG", "DSC00001.JPG"])
    }

    @Test("two bodies with the same names at once are two bodies, each with its own photos")
    func twoBodies() async throws {
        let stands = try await ["4711", "4712"].asyncMap { serial in
            try await SonyCamera.all[1].make(photos: 2) { $1.serial = serial }
        }
        async let first = stands[0].connector().met(knowing: nil) { try await stands[0].take(2, from: $0) }
        async let second = stands[1].connector().met(knowing: nil) { try await stands[1].take(2, from: $0) }
        let both = try await [first, second]
        #expect(both[0].map(\.name) == both[1].map(\.name))
        #expect(Set(both.flatMap { $0.map(\.offer.identity) }).count == 4)
        for (stand, taken) in zip(stands, both) {
            let photos = try await stand.photos()
            for photo in taken { #expect(photo.bytes == photos[photo.name]) }
        }
    }

    @Test("one that is switched off is gone, and what it had in memory with it", arguments: models)
    func switchedOff(body: SonyCamera) async throws {
        let stand = try await body.make(photos: 3)
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                #expect(try await stand.take(1, from: driver).count == 1)
                await stand.switchOff()
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        guard case .connectionOver = failure?.trouble else {
            return #expect(Bool(false), "it is over")
        }
        await stand.rig.camera.powerOn()
        // What it numbers its shots with begins anew, and so do not their names.
        let taken = try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            return try await stand.take(1, from: driver)
        }
        #expect(taken.map(\.name) == ["DSC00004.JPG"] && taken.map(\.offer.sequence) == [1])
    }
}
